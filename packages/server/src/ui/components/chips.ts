import { attributes } from '../attributes.ts'
import { type Html, html } from '../html.ts'

export interface Chip {
  readonly href: string
  readonly text: string
  readonly isSelected: boolean
  /** Category key for the script; empty for "All". */
  readonly category: string
}

/** Category filters of a list; `label` is the accessible name. */
export function chips(label: string, all: readonly Chip[]): Html {
  return html`<nav class="chips" aria-label="${label}">${all.map(
    ({ href, text, isSelected, category }) =>
      html`<a${attributes({
        class: 'chip',
        href,
        'data-go': true,
        'data-category': category,
        'aria-current': isSelected ? 'true' : undefined,
      })}><span>${text}</span></a>`,
  )}</nav>`
}
