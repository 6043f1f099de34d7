import type { Messages } from '../../i18n/messages.ts'
import { type Attributes, attributes } from '../attributes.ts'
import { type Html, html } from '../html.ts'
import { ICONS } from './icons.ts'

export interface Search {
  readonly messages: Messages
  /** Where the form goes (GET). */
  readonly action: string
  /** What else stays in the address: name → value. */
  readonly preservedParams: Readonly<Record<string, string | undefined>>
  readonly value?: string | undefined
}

/** The search of a list: works by itself, and at once where a script listens. */
export function search({ messages: { picker }, action, preservedParams, value }: Search): Html {
  return html`<form class="search" role="search" method="get" action="${action}" data-form="search">${hiddenInputs(preservedParams)}
<label class="unseen" for="q">${picker.search}</label>
${ICONS.search}<input${attributes(searchInputAttributes(picker.search, value))}>
<button type="submit" class="unseen-until-focus">${picker.searchButton}</button>
</form>`
}

/** Hidden fields, those without a value left out. */
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
