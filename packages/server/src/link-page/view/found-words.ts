import type { Language } from '../../page/language.ts'
import { measuresOf } from '../../page/words/measures.ts'
import type { Words } from '../../page/words/words.ts'

/**
 * "7 tools" for every kind of number that the language tells apart, with `#` for the number, as JSON: the page's script
 * counts while somebody types.
 */
export function foundWords(words: Words, language: Language): string {
  const known = KEPT.get(language) ?? write(words, language)
  KEPT.set(language, known)
  return known
}

/** Every list needs them, and to ask Intl takes longer than to write the list. */
const KEPT = new Map<Language, string>()

function write({ picker }: Words, language: Language): string {
  const { number } = measuresOf(language)
  const rules = new Intl.PluralRules(language)
  const forms = SAMPLES.map((count) => [
    rules.select(count),
    String(picker.found({ count })).replace(number(count), '#'),
  ])
  return JSON.stringify(Object.fromEntries(forms))
}

/** One of each kind in every language that pages speak; the plainest last. */
const SAMPLES = [0, 1, 2, 3, 11, 100]
