import type { Text } from '../../i18n/localized-text.ts'
import { type Attributes, attributes } from '../attributes.ts'
import { type Html, html } from '../html.ts'
import { ICONS } from './icons.ts'
import { tile } from './tile.ts'

interface BarLink {
  readonly text: Text
  /** Without it, a button for the script, which must be `hidden` until the script runs. */
  readonly href?: string | undefined
  readonly attributes?: Attributes | undefined
}

export interface TopBar {
  /** Back link, at the start. */
  readonly back?: BarLink | undefined
  /** Name and logo of the workspace. */
  readonly workspace?: { readonly name: string; readonly logo?: string | undefined } | undefined
  /** Close link, at the end. */
  readonly exit?: BarLink | undefined
}

/** The bar above a screen: back link, workspace and close link. */
export function topBar({ back, workspace, exit }: TopBar): Html {
  return html`<div class="bar">${back === undefined ? '' : renderBarLink(back, ICONS.back)}${
    workspace === undefined
      ? ''
      : html`<span class="brand">${tile(workspace.name, workspace.logo)}<bdi>${workspace.name}</bdi></span>`
  }${exit === undefined ? '' : renderBarLink(exit, ICONS.close)}</div>`
}

function renderBarLink({ text, href, attributes: more }: BarLink, icon: Html): Html {
  const all = { class: 'round', 'aria-label': text, ...more }
  return href === undefined
    ? html`<button${attributes({ type: 'button', ...all })}>${icon}</button>`
    : html`<a${attributes({ href, ...all })}>${icon}</a>`
}
