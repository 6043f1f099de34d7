import { ar } from './languages/ar.ts'
import { de } from './languages/de.ts'
import { en } from './languages/en.ts'
import { es } from './languages/es.ts'
import { fr } from './languages/fr.ts'
import { it } from './languages/it.ts'
import { ja } from './languages/ja.ts'
import { pt } from './languages/pt.ts'
import type { Messages } from './messages.ts'

/** The languages of our pages, by their ISO 639 code: one file each, with all their texts. English is the default. */
const MESSAGES = {
  en,
  de,
  fr,
  es,
  it,
  pt,
  ja,
  ar,
}

export type Language = keyof typeof MESSAGES

export const LANGUAGES = Object.keys(MESSAGES) as readonly Language[]

/** The messages of a language. */
export function getMessages(language: Language): Messages {
  return MESSAGES[language]
}
