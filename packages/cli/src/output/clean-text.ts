/** Without the characters that control a terminal. */
export function cleanText(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}
