import type { Text } from '../../i18n/localized-text.ts'
import { type Attributes, attributes } from '../attributes.ts'
import { type Html, html } from '../html.ts'
import { ICONS } from './icons.ts'
import { tile } from './tile.ts'

interface BarLink {
  readonly text: Text
  /** Left out, it is a button of the script: give it `hidden` until that runs. */
  readonly href?: string | undefined
  readonly attributes?: Attributes | undefined
}

export interface TopBar {
  /** The way back, at the start. */
  readonly back?: BarLink | undefined
  /** Who asks. */
  readonly workspace?: { readonly name: string; readonly logo?: string | undefined } | undefined
  /** The way out, at the end. */
  readonly exit?: BarLink | undefined
}

/** The line over a screen: back, whose page it is, and out. */
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
