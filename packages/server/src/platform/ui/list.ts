import type { Text } from '../i18n/localized-text.ts'
import type { Messages } from '../i18n/messages.ts'
import { tile } from './header.ts'
import { type Attributes, attributes, type Html, html } from './html.ts'
import { ICONS } from './icons.ts'

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
