/**
 * A text in which everything can be seen: what a reader could not see, or would read in another order, is written as its code point.
 * Line feeds and tabs stay.
 */
export function showInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `\\u{${code.toString(16)}}`
  })
}

/** Control, format and invisible characters and unusual spaces. */
const INVISIBLE = /(?![\n\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu
