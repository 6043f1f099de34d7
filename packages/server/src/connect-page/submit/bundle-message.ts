import type { CheckResponse } from '../../accounts/schemas/check-response.ts'
import { DEFAULT_REJECTION_MESSAGE } from '../../accounts/verification/run-check.ts'

/**
 * What an integration says to the person whose answers it refused: its hint, else its error. Undefined when it says nothing,
 * or only what programs say to each other: the page has words of its own.
 */
export function bundleMessage({
  hint,
  error,
}: Pick<CheckResponse, 'error' | 'hint'>): string | undefined {
  const message = (hint ?? error).trim()
  return message === '' || message === DEFAULT_REJECTION_MESSAGE || TECHNICAL_MESSAGE.test(message)
    ? undefined
    : message
}

/** Messages of HTTP clients and of Node, names of errors, data, and markup. */
const TECHNICAL_MESSAGE = new RegExp(
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
