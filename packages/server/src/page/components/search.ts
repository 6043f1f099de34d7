import { type Attributes, attributes } from '../attributes.ts'
import { type Html, html } from '../html.ts'
import type { Words } from '../words/words.ts'
import { ICONS } from './icons.ts'

export interface Search {
  readonly words: Words
  /** Where the form goes (GET). */
  readonly action: string
  /** What else stays in the address: name → value. */
  readonly keep: Readonly<Record<string, string | undefined>>
  readonly value?: string | undefined
}

/** The search of a list: works by itself, and at once where a script listens. */
export function search({ words: { picker }, action, keep, value }: Search): Html {
  return html`<form class="search" role="search" method="get" action="${action}" data-form="search">${hidden(keep)}
<label class="unseen" for="q">${picker.search}</label>
${ICONS.search}<input${attributes(field(picker.search, value))}>
<button type="submit" class="unseen-until-focus">${picker.searchButton}</button>
</form>`
}

/** Hidden fields, those without a value left out. */
export function hidden(values: Readonly<Record<string, string | undefined>>): Html[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}

function field(placeholder: string, value = ''): Attributes {
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
