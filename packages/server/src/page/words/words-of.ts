import type { Language } from '../language.ts'
import { en } from './en.ts'
import type { Words } from './words.ts'

/** The words of a language. */
export function wordsOf(language: Language): Words {
  return WORDS[language]
}

const WORDS: Readonly<Record<Language, Words>> = { en, de: en, fr: en, es: en, ja: en, ar: en }
