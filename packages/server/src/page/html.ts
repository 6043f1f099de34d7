import { html as ghtml } from 'ghtml'

/** A piece of a page, every text in it escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * A template of a page. Pieces go in as they are, everything else as text: `& < > " '` are escaped, so attributes must
 * stand in double quotes.
 */
export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): Html {
  const text = strings.reduce((before, part, index) => {
    const value = values[index - 1]
    return before + written(value) + part
  })
  return new Html(text)
}

function written(value: unknown): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(written).join('')
  return value === undefined || value === null ? '' : ghtml`${String(value).replace(DIRECTION, '')}`
}

/** Marks that change the direction of text could make one name read as another. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
