import type { Text } from '../phrase.ts'
import type { Facts } from './facts.ts'
import type { Words } from './words.ts'

/** What a person reads for the code of a failure: what happened, and whose move it is. Any code has a sentence. */
export function failureSentence(
  { failures }: Words,
  code: string,
  facts: Pick<Facts, 'tool' | 'workspace'>,
): Text {
  const name = SAME_SENTENCE.get(code) ?? code
  const known = Object.hasOwn(failures, name) ? (name as keyof typeof failures) : 'unknown'
  return failures[known](facts)
}

/** To the person at the page an OAuth app that needs its secret again is one that is not set up. */
const SAME_SENTENCE: ReadonlyMap<string, string> = new Map([
  ['oauth_app_secret_required', 'oauth_app_missing'],
])
