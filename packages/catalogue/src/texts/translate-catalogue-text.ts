import { de } from './de.ts'

/**
 * Translates a text of the catalogue's fields. Specs stay English, because each change of a spec is a new version of its
 * bundle; a translation applies to all versions with the same text.
 *
 * @returns undefined if there is no translation
 */
export function translateCatalogueText(language: string, text: string): string | undefined {
  return TEXTS.get(language)?.get(text)
}

const TEXTS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ['de', new Map(Object.entries(de))],
])
