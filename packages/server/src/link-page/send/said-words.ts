import { NOT_ACCEPTED } from '../../account/check/not-accepted.ts'
import type { CheckAnswer } from '../../account/wire/check-answer.ts'

/**
 * What an integration says to the person whose answers it refused: its hint, else its error. Undefined when it says nothing,
 * or only what programs say to each other: the page has words of its own.
 */
export function saidWords({
  hint,
  error,
}: Pick<CheckAnswer, 'error' | 'hint'>): string | undefined {
  const said = (hint ?? error).trim()
  return said === '' || said === NOT_ACCEPTED || PROGRAM.test(said) ? undefined : said
}

/** Messages of HTTP clients and of Node, names of errors, data, and markup. */
const PROGRAM = new RegExp(
  [
    '^request failed with status code',
    String.raw`^(?:network error|fetch failed|failed to fetch|socket hang up)\b`,
    String.raw`^\w*(?:error|exception):`,
    String.raw`\be(?:conn\w+|notfound|ai_again|timedout|hostunreach|proto)\b`,
    String.raw`\[object \w+\]`,
    String.raw`^(?:\{\s*"|\[\s*[{"]|<!doctype|<html)`,
    String.raw`^(?:undefined|null|true|false|\d{3})$`,
  ].join('|'),
  'i',
)
