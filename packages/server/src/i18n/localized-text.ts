/**
 * A sentence with names in it. The names may run in either direction, so each is kept apart from the words around it: as
 * `<bdi>` in a page (html.ts does it), with invisible marks in plain text.
 */
export class LocalizedText {
  /** The words: one more than there are names. */
  readonly strings: readonly string[]
  /** The names between the words, as they were given. */
  readonly values: readonly string[]

  constructor(strings: readonly string[], values: readonly string[]) {
    this.strings = strings
    this.values = values
  }

  /** Plain text, for titles and attributes. Marks are set only where two directions meet. */
  toString(): string {
    const cleaned = this.values.map(stripBidiControls)
    const hasMixedDirections = RIGHT_TO_LEFT.test([...this.strings, ...cleaned].join(''))
    return this.strings.reduce((text, part, index) => {
      const value = cleaned[index - 1] ?? ''
      return text + (hasMixedDirections ? `\u2068${value}\u2069` : value) + part
    })
  }
}

/** What a page says: words alone, or words with names in them. */
export type Text = string | LocalizedText

/** Writes a sentence: what stands between `${}` is a name, and shown as it is. */
export function t(strings: TemplateStringsArray, ...values: readonly string[]): LocalizedText {
  return new LocalizedText(strings, values)
}

/** Takes out marks that change the direction of text: they could make one name read as another. */
export function stripBidiControls(text: string): string {
  return text.replace(BIDI_CONTROLS, '')
}

const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
