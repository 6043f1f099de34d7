import type { Messages } from '../../i18n/messages.ts'
import { type Attributes, attributes } from '../attributes.ts'
import { type Html, html } from '../html.ts'
import { ICONS } from './icons.ts'

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
