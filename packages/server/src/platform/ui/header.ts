import { stripBidiControls, type Text } from '../i18n/localized-text.ts'
import { type Attributes, attributes, type Html, html } from './html.ts'
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

/** The tiles of the workspace and of an integration that is connected to it, joined by a check mark. */
export function joinedTiles(workspace: Html, integration: Html): Html {
  return html`${workspace}<span class="joint" aria-hidden="true">${ICONS.check}</span>${integration}`
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

interface BarLink {
  readonly text: Text
  /** Without it, a button for the script, which must be `hidden` until the script runs. */
  readonly href?: string | undefined
  readonly attributes?: Attributes | undefined
}

export interface TopBar {
  /** Back link, at the start. */
  readonly back?: BarLink | undefined
  /** Name and logo of the workspace, unless the screen shows its tile. */
  readonly workspace?: { readonly name: string; readonly logo?: string | undefined } | undefined
  /** Close link, at the end. */
  readonly exit?: BarLink | undefined
}

/** The bar above a screen: back link, workspace and close link. Nothing without any of them. */
export function topBar({ back, workspace, exit }: TopBar): Html {
  if (back === undefined && workspace === undefined && exit === undefined) return html``
  return html`<div class="bar">${back === undefined ? '' : renderBarLink(back, ICONS.back, 'back')}${
    workspace === undefined
      ? ''
      : html`<span class="brand">${tile(workspace.name, workspace.logo)}<bdi>${workspace.name}</bdi></span>`
  }${exit === undefined ? '' : renderBarLink(exit, ICONS.close, 'exit')}</div>`
}

function renderBarLink(
  { text, href, attributes: extraAttributes }: BarLink,
  icon: Html,
  kind: 'back' | 'exit',
): Html {
  const all = { class: `round ${kind}`, 'aria-label': text, ...extraAttributes }
  return href === undefined
    ? html`<button${attributes({ type: 'button', ...all })}>${icon}</button>`
    : html`<a${attributes({ href, ...all })}>${icon}</a>`
}

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

export interface Notice {
  readonly kind: 'warning' | 'bad' | 'good' | 'info'
  readonly text: Text | Html
  /** `{ role: 'alert' }` when it appears without a page load. */
  readonly attributes?: Attributes | undefined
}

/** A highlighted message with an icon, so that its kind does not depend on color alone. */
export function notice({ kind, text, attributes: extraAttributes }: Notice): Html {
  const icon = kind === 'good' ? ICONS.check : ICONS.alert
  return html`<div${attributes({ class: `notice ${kind}`, ...extraAttributes })}>${icon}<p>${text}</p></div>`
}
