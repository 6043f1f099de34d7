import type { Text } from '../../i18n/localized-text.ts'
import { type Html, html } from '../html.ts'
import { ICONS, type IconName } from './icons.ts'

export interface StateHeader {
  /** A colored mark, `wait` with a spinner, or the tiles of the workspace and the integration. */
  readonly mark?: 'good' | 'bad' | 'warning' | 'info' | 'wait' | Html | readonly Html[] | undefined
  /** Replaces the icon of the mark. */
  readonly icon?: IconName | undefined
  readonly title: Text
  readonly body?: Text | undefined
}

/**
 * The header of a screen: mark, `<h1>` and a paragraph. The heading is focusable, so that screen readers announce it when the
 * script replaces the screen.
 */
export function stateHeader({ mark, icon, title, body }: StateHeader): Html {
  return html`<div class="head">
${renderMark(mark, icon)}
<h1 tabindex="-1">${title}</h1>${
    body === undefined
      ? ''
      : html`
<p>${body}</p>`
  }
</div>`
}

function renderMark(mark: StateHeader['mark'], icon?: IconName): Html | string {
  if (mark === undefined) return ''
  return typeof mark === 'string' ? markIcon(mark, icon) : html`<div class="tiles">${mark}</div>`
}

function markIcon(mark: 'good' | 'bad' | 'warning' | 'info' | 'wait', icon?: IconName): Html {
  if (mark === 'wait') return html`<div class="mark wait" aria-hidden="true">${ICONS.clock}</div>`
  const defaultIcon = mark === 'good' ? ICONS.check : ICONS.alert
  return html`<div class="mark ${mark}" aria-hidden="true">${icon === undefined ? defaultIcon : ICONS[icon]}</div>`
}
