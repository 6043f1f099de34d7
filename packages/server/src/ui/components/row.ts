import type { Text } from '../../i18n/localized-text.ts'
import { type Attributes, attributes } from '../attributes.ts'
import { type Html, html } from '../html.ts'
import { ICONS } from './icons.ts'
import { tile } from './tile.ts'

export interface Row {
  readonly href: string
  readonly name: Text
  readonly icon?: string | undefined
  /** Replaces the tile, for example with an interface icon. */
  readonly picture?: Html | undefined
  /** A secondary line under the name. */
  readonly line?: Text | undefined
  /** Badges such as "Custom" or "Recommended". */
  readonly badges?: readonly string[] | undefined
  /** Label of a check mark that replaces the arrow. */
  readonly connected?: string | undefined
  /** Searchable text in lower case. */
  readonly search?: string | undefined
  readonly attributes?: Attributes | undefined
}

/** A list item whose whole row is a link. Must be a child of `rows`. */
export function row(props: Row): Html {
  const { href, name, line, badges = [], connected, search } = props
  const linkAttributes = { href, class: 'row', 'data-go': true, ...props.attributes }
  return html`<li${attributes({ 'data-row': true, 'data-text': search })}><a${attributes(linkAttributes)}>${
    props.picture === undefined
      ? tile(String(name), props.icon)
      : html`<span class="tile" aria-hidden="true">${props.picture}</span>`
  }<span class="row-text"><span class="row-name">${
    typeof name === 'string' ? html`<bdi>${name}</bdi>` : name
  }${badges.map((mark) => html` <span class="badge">${mark}</span>`)}</span>${
    line === undefined ? '' : html`<span class="row-line">${line}</span>`
  }</span>${
    connected === undefined
      ? ICONS.chevron
      : html`<span class="row-good">${ICONS.check}<span>${connected}</span></span>`
  }</a></li>`
}

/** A list of rows. */
export function rows(items: readonly Html[], more: Attributes = {}): Html {
  return html`<ul${attributes({ class: 'rows', role: 'list', ...more })}>${items}</ul>`
}
