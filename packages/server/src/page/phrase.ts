/**
 * A sentence with names in it. The names may run in either direction, so each is kept apart from the words around it: as
 * `<bdi>` in a page (html.ts does it), with invisible marks in plain text.
 */
export class Phrase {
  /** The words: one more than there are names. */
  readonly words: readonly string[]
  /** The names between the words, as they were given. */
  readonly names: readonly string[]

  constructor(words: readonly string[], names: readonly string[]) {
    this.words = words
    this.names = names
  }

  /** Plain text, for titles and attributes. Marks are set only where two directions meet. */
  toString(): string {
    const names = this.names.map(withoutMarks)
    const isMixed = RIGHT_TO_LEFT.test([...this.words, ...names].join(''))
    return this.words.reduce((before, part, index) => {
      const name = names[index - 1] ?? ''
      return before + (isMixed ? `\u2068${name}\u2069` : name) + part
    })
  }
}

/** What a page says: words alone, or words with names in them. */
export type Text = string | Phrase

/** Writes a sentence: what stands between `${}` is a name, and shown as it is. */
export function say(words: TemplateStringsArray, ...names: readonly string[]): Phrase {
  return new Phrase(words, names)
}

/** Takes out marks that change the direction of text: they could make one name read as another. */
export function withoutMarks(text: string): string {
  return text.replace(MARKS, '')
}

const MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
