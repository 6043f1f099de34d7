import type { Text } from './localized-text.ts'
import type { MessageParams } from './message-params.ts'
import type { Messages } from './messages.ts'

/** What a person reads for the code of a failure: what happened, and whose move it is. Any code has a sentence. */
export function failureMessage(
  { failures }: Messages,
  code: string,
  params: Pick<MessageParams, 'tool' | 'workspace'>,
): Text {
  const name = SAME_SENTENCE.get(code) ?? code
  const known = Object.hasOwn(failures, name) ? (name as keyof typeof failures) : 'unknown'
  return failures[known](params)
}

/** To the person at the page an OAuth app that needs its secret again is one that is not set up. */
const SAME_SENTENCE: ReadonlyMap<string, string> = new Map([
  ['oauth_app_secret_required', 'oauth_app_missing'],
])
