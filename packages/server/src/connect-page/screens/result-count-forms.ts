import { getFormatters } from '../../i18n/formatters.ts'
import type { Language } from '../../i18n/language.ts'
import type { Messages } from '../../i18n/messages.ts'

/**
 * "7 tools" for every kind of number that the language tells apart, with `#` for the number, as JSON: the page's script
 * counts while somebody types.
 */
export function resultCountForms(messages: Messages, language: Language): string {
  const forms = CACHE.get(language) ?? buildForms(messages, language)
  CACHE.set(language, forms)
  return forms
}

/** Every list needs them, and to ask Intl takes longer than to write the list. */
const CACHE = new Map<Language, string>()

function buildForms({ picker }: Messages, language: Language): string {
  const { number } = getFormatters(language)
  const rules = new Intl.PluralRules(language)
  const forms = SAMPLES.map((count) => [
    rules.select(count),
    String(picker.resultCount({ count })).replace(number(count), '#'),
  ])
  return JSON.stringify(Object.fromEntries(forms))
}

/** One of each kind in every language that pages speak; the plainest last. */
const SAMPLES = [0, 1, 2, 3, 11, 100]
