import type { CheckResponse } from '../../accounts/schemas/check-response.ts'
import { DEFAULT_REJECTION_MESSAGE } from '../../accounts/verification/run-check.ts'

/**
 * The integration's message about rejected credentials: its hint, else its error. Undefined when it is empty or a technical
 * message; the page then shows its own.
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

/** Messages of HTTP clients and Node, error names, data and markup. */
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
