import { stripBidiControls } from '../../i18n/localized-text.ts'
import { type Html, html } from '../html.ts'

/**
 * The tile of an integration or a workspace: its icon, which we serve, else the first letter of its name. Hidden from screen
 * readers, because the name is next to it.
 */
export function tile(name: string, icon?: string | undefined): Html {
  const content =
    icon === undefined
      ? firstLetter(name)
      : html`<img src="${icon}" alt="" width="24" height="24" loading="lazy">`
  return html`<span class="tile${icon === undefined ? '' : ' pictured'}" aria-hidden="true">${content}</span>`
}

function firstLetter(name: string): string {
  const [first] = GRAPHEMES.segment(stripBidiControls(name).trim())
  return first?.segment.toLocaleUpperCase() ?? '?'
}

const GRAPHEMES = new Intl.Segmenter()
