/**
 * A message that contains names. A name may run in either direction, so each is isolated from the text around it: with
 * `<bdi>` in HTML (`html.ts`), with Unicode isolates in plain text.
 */
export class LocalizedText {
  /** The text around the names: one string more than there are names. */
  readonly strings: readonly string[]
  /** The names, unescaped. */
  readonly values: readonly string[]

  constructor(strings: readonly string[], values: readonly string[]) {
    this.strings = strings
    this.values = values
  }

  /** Plain text, for titles and attributes. Isolates are inserted only where both directions occur. */
  toString(): string {
    const cleaned = this.values.map(stripBidiControls)
    const hasMixedDirections = RIGHT_TO_LEFT.test([...this.strings, ...cleaned].join(''))
    return this.strings.reduce((text, part, index) => {
      const value = cleaned[index - 1] ?? ''
      return text + (hasMixedDirections ? `\u2068${value}\u2069` : value) + part
    })
  }
}

/** A message with or without names. */
export type Text = string | LocalizedText

/** Template tag for texts with names, which are shown unchanged. */
export function t(strings: TemplateStringsArray, ...values: readonly string[]): LocalizedText {
  return new LocalizedText(strings, values)
}

/**
 * The template tag of a language: names are shown unchanged, except that `Messages.thisApp` is capitalized at the start of a
 * sentence.
 */
export function createTextTag(thisApp: string): typeof t {
  return (strings, ...values) =>
    new LocalizedText(
      strings,
      values.map((value, index) =>
        value === thisApp && startsSentence(strings, index) ? capitalize(value) : value,
      ),
    )
}

function startsSentence(strings: readonly string[], index: number): boolean {
  const preceding = strings[index] ?? ''
  return preceding === '' ? index === 0 : /[.?!]\s$/.test(preceding)
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Removes bidirectional control characters, which could make one name read as another. */
export function stripBidiControls(text: string): string {
  return text.replace(BIDI_CONTROLS, '')
}

const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
