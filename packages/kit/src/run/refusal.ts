import type { Code, Verdict } from '../spec/check-rules.ts'

/** Why a request was not sent or got no response, as a check result. */
export class Refusal extends Error {
  readonly code: Code
  readonly field: string | undefined

  constructor(code: Code, message: string, field?: string) {
    super(message)
    this.code = code
    this.field = field
  }
}

/** The properties of a check result besides its code. */
export interface RefusalDetail<FieldName extends string = string> {
  readonly field?: FieldName | undefined
  readonly hint?: string | undefined
  /** Replaces the default sentence. */
  readonly error?: string | undefined
}

/** A failed check result, with the default sentence unless another one is passed. */
export function refuse(name: string, code: Code, detail: RefusalDetail = {}): Verdict {
  const { field, hint, error = `${name} ${WORDS[code]}` } = detail
  return {
    status: false,
    error,
    code,
    ...(field && { field }),
    ...(hint && { hint }),
    ...((code === 'rate_limited' || code === 'provider_unreachable') && { retryable: true }),
  }
}

const WORDS: Readonly<Record<Code, string>> = {
  invalid_credentials: 'does not accept these credentials.',
  insufficient_scope: 'knows these credentials, but they are not allowed to do what is needed.',
  wrong_host: 'is not at this address.',
  account_inactive: 'says that this account is not active.',
  rate_limited: 'asks to wait. Try again in a moment.',
  provider_unreachable: 'does not answer now. Try again in a moment.',
  unexpected_answer: 'gave an answer that nobody expected.',
}
