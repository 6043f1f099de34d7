import type { Text } from '../phrase.ts'
import type { Facts } from './facts.ts'
import type { Words } from './words.ts'

/** What a person reads for the code of a failure: what happened, and whose move it is. Any code has a sentence. */
export function failureSentence(
  { failures }: Words,
  code: string,
  facts: Pick<Facts, 'tool' | 'workspace'>,
): Text {
  const known = Object.hasOwn(failures, code) ? (code as keyof typeof failures) : 'unknown'
  return failures[known](facts)
}
