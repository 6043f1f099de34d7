import { AlreadyConnectedError } from '../../../accounts/accounts/find-same-identity.ts'
import type { RejectedCredentials } from '../../../accounts/accounts/schemas/check-response.ts'
import {
  CredentialsRejectedError,
  DEFAULT_REJECTION_MESSAGE,
} from '../../../accounts/accounts/verification/run-check.ts'
import { ERRORS } from '../../../platform/error-codes.ts'
import { ApiError, type FieldErrors } from '../../../platform/errors.ts'
import { failureCode } from '../../../platform/record/failure-code.ts'
import { KNOWN_CHECK_CODES } from '../../attempts/attempt.ts'

/** Why a form did not create an account, as it is stored and shown. */
export interface Failure {
  readonly code: string
  /** The field that the integration reported. */
  readonly field?: string | undefined
  /** The integration's message. */
  readonly hint?: string | undefined
  /** Validation errors by field. */
  readonly errors?: FieldErrors | undefined
  /** Who is connected already. Shown, but not stored. */
  readonly connectedAs?: string | undefined
}

/** Whether the failure is an internal error (500). */
export function isServerError({ code }: Failure): boolean {
  return getStatus(code) === 500
}

/** Whether the same values may be accepted a little later: the failure was ours, or the provider was busy. */
export function isTemporary({ code }: Failure): boolean {
  return code === 'rate_limited' || TEMPORARY_STATUSES.includes(getStatus(code) ?? 0)
}

const TEMPORARY_STATUSES = [429, 500, 502, 503, 504]

export function getStatus(code: string): number | undefined {
  return Object.hasOwn(ERRORS, code) ? ERRORS[code as keyof typeof ERRORS][0] : undefined
}

/** Converts an error to a failure for the page. */
export function toFailure(error: unknown): Failure {
  if (error instanceof CredentialsRejectedError) {
    const { code = '', field } = error.checkResult
    return {
      code: KNOWN_CHECK_CODES.includes(code) ? code : 'credentials_rejected',
      field,
      hint: bundleMessage(error.checkResult),
    }
  }
  const code = failureCode(error)
  if (error instanceof AlreadyConnectedError) return { code, connectedAs: error.label }
  return error instanceof ApiError && code === 'validation_failed'
    ? { code, errors: error.errors }
    : { code }
}

/**
 * The integration's message about rejected credentials: its hint, else its error. Undefined when it is empty or a technical
 * message; the page then shows its own.
 */
export function bundleMessage({
  hint,
  error,
}: Pick<RejectedCredentials, 'error' | 'hint'>): string | undefined {
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
