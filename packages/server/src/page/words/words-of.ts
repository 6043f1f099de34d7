import type { Language } from '../language.ts'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import type { Words } from './words.ts'

/** The words of a language. */
export function wordsOf(language: Language): Words {
  return WORDS[language]
}

const WORDS: Readonly<Record<Language, Words>> = { en, de, fr, es, ja, ar }
