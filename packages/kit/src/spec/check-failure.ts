import type { CheckResult, Code } from './check-rules.ts'

/** Why a request was not sent or got no response, as a check result. */
export class CheckFailure extends Error {
  readonly code: Code
  readonly field: string | undefined
  /** What to do about it. */
  readonly hint: string | undefined

  constructor(code: Code, message: string, field?: string, hint?: string) {
    super(message)
    this.code = code
    this.field = field
    this.hint = hint
  }
}

/** The properties of a check result besides its code. */
export interface CheckFailureDetails<FieldName extends string = string> {
  readonly field?: FieldName | undefined
  readonly hint?: string | undefined
  /** Replaces the default sentence. */
  readonly error?: string | undefined
}

/** A failed check result, with the default sentence unless another one is passed. */
export function refuse(name: string, code: Code, detail: CheckFailureDetails = {}): CheckResult {
  const { field, hint, error = `${name} ${MESSAGES[code]}` } = detail
  return {
    status: false,
    error,
    code,
    ...(field && { field }),
    ...(hint && { hint }),
    ...((code === 'rate_limited' || code === 'provider_unreachable') && { retryable: true }),
  }
}

const MESSAGES: Readonly<Record<Code, string>> = {
  invalid_credentials: 'rejected these credentials.',
  insufficient_scope: 'accepted these credentials, but they lack a required permission.',
  wrong_host: 'was not found at this address.',
  account_inactive: 'reports that this account is not active.',
  rate_limited: 'is limiting requests. Try again in a moment.',
  provider_unreachable: 'cannot be reached. Try again in a moment.',
  unexpected_answer: 'returned an unexpected response.',
}
