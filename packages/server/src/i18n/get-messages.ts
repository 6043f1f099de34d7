import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import type { Language } from './language.ts'
import type { Messages } from './messages.ts'

/** The messages of a language. */
export function getMessages(language: Language): Messages {
  return MESSAGES[language]
}

const MESSAGES: Readonly<Record<Language, Messages>> = { en, de, fr, es, ja, ar }
