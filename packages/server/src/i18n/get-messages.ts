import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import type { Language } from './language.ts'
import type { Text } from './localized-text.ts'
import type { MessageParams } from './message-params.ts'
import type { Messages } from './messages.ts'

/** The messages of a language. */
export function getMessages(language: Language): Messages {
  return MESSAGES[language]
}

const MESSAGES: Readonly<Record<Language, Messages>> = { en, de, fr, es, ja, ar }

/** The sentence for an error code. An unknown code has a general one. */
export function failureMessage(
  { failures }: Messages,
  code: string,
  params: Pick<MessageParams, 'tool' | 'workspace'>,
): Text {
  const name = SAME_SENTENCE.get(code) ?? code
  const known = Object.hasOwn(failures, name) ? (name as keyof typeof failures) : 'unknown'
  return failures[known](params)
}

/** Codes that mean the same to a customer. */
const SAME_SENTENCE: ReadonlyMap<string, string> = new Map([
  ['oauth_app_secret_required', 'oauth_app_missing'],
])

/** The name of a workspace for customers: `thisApp` when it has none, since slugs and link names are internal. */
export function workspaceDisplayName(
  { name }: { readonly name: string },
  { thisApp }: Pick<Messages, 'thisApp'>,
): string {
  return name.trim() === '' ? thisApp : name
}
