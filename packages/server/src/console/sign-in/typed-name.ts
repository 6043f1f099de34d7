/** A name that a person typed or an identity provider sent: on one line, without characters that PostgreSQL cannot store, and not too long. */
export function toTypedName(text: string, maxLength: number): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed()
}
