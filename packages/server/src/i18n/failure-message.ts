import type { Text } from './localized-text.ts'
import type { MessageParams } from './message-params.ts'
import type { Messages } from './messages.ts'

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
