import { stripBidiControls, type Text } from '../i18n/localized-text.ts'
import type { Messages } from '../i18n/messages.ts'
import { type Attributes, attributes, type Html, html, ICONS, type IconName } from './html.ts'

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
 * The tile of a workspace: its logo, which we serve, else the first letter of its name. Hidden from screen readers, because the name
 * is next to it.
 */
export function tile(name: string, icon?: string | undefined): Html {
  if (icon !== undefined) return picture(icon)
  const [first = '?'] = listGraphemes(name)
  return html`<span class="tile" aria-hidden="true">${first.toLocaleUpperCase()}</span>`
}

/**
 * The tile of a tool: its icon, else two letters in a color that it always has, so that people recognize it in a long list.
 */
export function toolTile(name: string, icon?: string | undefined): Html {
  if (icon !== undefined) return picture(icon)
  return html`<span class="tile tool-${getTint(name)}" aria-hidden="true">${getInitials(name)}</span>`
}

function picture(icon: string): Html {
  return html`<span class="tile pictured" aria-hidden="true"><img src="${icon}" alt="" width="24" height="24" loading="lazy"></span>`
}

/** The first letters of two words, or the first two of one. */
function getInitials(name: string): string {
  const [first = [], second] = name
    .split(/[\s.&/-]+/)
    .map(listGraphemes)
    .filter(([letter]) => letter !== undefined && /[\p{L}\p{N}]/u.test(letter))
  if (second !== undefined) return `${first[0]}${second[0]}`.toLocaleUpperCase()
  const [letter = '?', next = ''] = first
  return letter.toLocaleUpperCase() + next
}

function listGraphemes(text: string): string[] {
  return [...GRAPHEMES.segment(stripBidiControls(text).trim())].map(({ segment }) => segment)
}

const GRAPHEMES = new Intl.Segmenter()

/** One of the colors `tool-0` to `tool-7`. */
function getTint(name: string): number {
  let sum = 0
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521
  return sum % 8
}

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
      ? toolTile(String(name), props.icon)
      : html`<span class="tile" aria-hidden="true">${props.picture}</span>`
  }<span class="row-text"><span class="row-name">${
    typeof name === 'string' ? html`<bdi>${name}</bdi>` : name
  }${badges.map((mark) => html` <span class="badge" dir="auto">${mark}</span>`)}</span>${
    line === undefined ? '' : html`<span class="row-line">${line}</span>`
  }</span>${
    connected === undefined
      ? ''
      : html`<span class="row-good">${ICONS.check}<span>${connected}</span></span>`
  }</a></li>`
}

/** A list of rows. */
export function rows(items: readonly Html[], extraAttributes: Attributes = {}): Html {
  return html`<ul${attributes({ class: 'rows', role: 'list', ...extraAttributes })}>${items}</ul>`
}

export interface Chip {
  readonly href: string
  readonly text: string
  readonly isSelected: boolean
  /** Category key for the script; empty for "All". */
  readonly category: string
}

/**
 * Category filters of a list. Each is a tab stop, which a link to the list passes over; the
 * script makes them one and hides the link.
 */
export function chips({ picker }: Messages, all: readonly Chip[]): Html {
  return html`<a class="unseen-until-focus" href="#tools" data-skip>${picker.skip}</a>
<div class="chips" role="group" aria-label="${picker.categories}">${all.map(
    ({ href, text, isSelected, category }) =>
      html`<a${attributes({
        class: 'chip',
        href,
        'data-go': true,
        'data-category': category,
        'aria-current': isSelected ? 'true' : undefined,
      })}><span>${text}</span></a>`,
  )}</div>`
}

export interface Search {
  readonly messages: Messages
  /** Action URL of the form (GET). */
  readonly action: string
  /** Query parameters to preserve. */
  readonly preservedParams: Readonly<Record<string, string | undefined>>
  readonly value?: string | undefined
}

/** The search form of a list. It works without a script, which filters while the person types. */
export function search({ messages: { picker }, action, preservedParams, value }: Search): Html {
  return html`<form class="search" role="search" method="get" action="${action}" data-form="search">${hiddenInputs(preservedParams)}
<label class="unseen" for="q">${picker.search}</label>
${ICONS.search}<input${attributes(searchInputAttributes(picker.search, value))}>
<button type="submit" class="unseen-until-focus">${picker.searchButton}</button>
</form>`
}

/** Hidden inputs, without those whose value is undefined. */
export function hiddenInputs(values: Readonly<Record<string, string | undefined>>): Html[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}

function searchInputAttributes(placeholder: string, value = ''): Attributes {
  return {
    id: 'q',
    name: 'q',
    type: 'search',
    value,
    placeholder,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    enterkeyhint: 'search',
    maxlength: 100,
  }
}
