import { hash } from 'node:crypto'
import { RunnerError } from '@linchpin/runner'
import { ERRORS, type ErrorCode } from '../error-codes.ts'
import { ApiError } from '../errors.ts'
import type { Id } from '../storage/id.ts'
import { STORAGE_API_ERRORS, StorageError } from '../storage/storage-error.ts'

/** How a person or a program tried to connect: the API, the page of a link or of a session, or POST /v1/oauth. */
export const ATTEMPT_ORIGINS = ['api', 'link', 'connect_session', 'oauth'] as const

/**
 * How an attempt ended. `accepted`: a check without an account found that the credentials work. `cancelled`: the person
 * declined. `abandoned`: no one returned from the sign-in in time.
 */
export const ATTEMPT_OUTCOMES = [
  'connected',
  'accepted',
  'failed',
  'cancelled',
  'abandoned',
] as const

/** An attempt as metrics count it. */
export interface CountedAttempt extends Pick<ConnectAttempt, 'outcome' | 'code'> {
  /** Null if it is not known. */
  readonly workspaceId: Id<'wsp'> | null
  /** The tool, with its latest version if it is in the catalogue; undefined if the request named none that it may use. */
  readonly definition:
    | {
        readonly definitionId: Id<'def'>
        readonly key: string
        readonly latestVersion: string | null
      }
    | undefined
  /** What was sent: credentials, or the person to a sign-in. */
  readonly method: 'credentials' | 'sign_in'
}

/** Codes of CHECK that are listed besides those of errors.md. The API reports them as `credentials_rejected`. */
export const KNOWN_CHECK_CODES: readonly string[] = [
  'insufficient_scope',
  'rate_limited',
  'wrong_host',
]

/** The code under which a failure is counted: integrations report any text, and each code that is counted costs memory. */
export function toCountedCode(code: string): string {
  return COUNTED_CODES.has(code) ? code : 'other'
}

const COUNTED_CODES: ReadonlySet<string> = new Set([...Object.keys(ERRORS), ...KNOWN_CHECK_CODES])

/** Counts attempts, those too that are not stored. */
export interface AttemptCounter {
  /** Returns immediately and never throws. */
  add(attempt: CountedAttempt): void
}

/** An attempt to connect an account, and how it ended. Contains no secrets and no texts of the provider. */
export interface ConnectAttempt {
  readonly workspaceId: Id<'wsp'>
  /** Null if the attempt named none that it may use. */
  readonly definitionId: Id<'def'> | null
  readonly authType: string | null
  readonly via: (typeof ATTEMPT_ORIGINS)[number]
  readonly outcome: (typeof ATTEMPT_OUTCOMES)[number]
  /** Why it failed; null for others. */
  readonly code: string | null
  /** The HTTP status of the provider's last response; null if unknown. */
  readonly providerStatus: number | null
  /** The provider's id of the request that it answered with that status. Default: unknown. */
  readonly providerRequestId?: string | null
  /** The account that was connected, or that should have been reconnected. */
  readonly accountId: Id<'acc'> | null
  readonly linkId: Id<'lnk'> | null
  readonly connectSessionId: Id<'cns'> | null
  readonly accountIdentifier: string | null
}

/** The error code for a failed attempt to connect an account. */
export function failureCode(error: unknown): ErrorCode {
  if (error instanceof ApiError) return error.code
  if (error instanceof StorageError) return STORAGE_API_ERRORS[error.kind]?.[0] ?? 'internal_error'
  if (!(error instanceof RunnerError)) return 'internal_error'
  return error.code === 'bundle_invalid' ? 'integration_failed' : error.code
}

/**
 * The code of errors.md for a failure that an integration or an earlier version reported: integrations call refused credentials
 * `invalid_credentials`, which is `credentials_rejected` everywhere else. Others are unchanged.
 */
export function toFailureCode<Code extends string | null | undefined>(
  code: Code,
): Code | 'credentials_rejected' {
  return code === INTEGRATION_CODE ? 'credentials_rejected' : code
}

/** The codes under which attempts with a code are stored: earlier versions stored that of the integration. */
export function listStoredCodes(code: string): string[] {
  const current = toFailureCode(code)
  return current === 'credentials_rejected' ? [current, INTEGRATION_CODE] : [current]
}

const INTEGRATION_CODE = 'invalid_credentials'

/** What is known of the provider's last response before an attempt failed. */
export function getProviderResponse(
  error: unknown,
): Required<Pick<ConnectAttempt, 'providerStatus' | 'providerRequestId'>> {
  if (error instanceof RunnerError)
    return {
      providerStatus: error.lastStatus ?? null,
      providerRequestId: error.lastRequestId ?? null,
    }
  if (!(error instanceof ApiError)) return { providerStatus: null, providerRequestId: null }
  const { providerStatus, providerRequestId = null, cause } = error
  if (providerStatus === undefined && cause instanceof RunnerError)
    return getProviderResponse(cause)
  return { providerStatus: providerStatus ?? null, providerRequestId }
}

/**
 * Keeps floods of attempts without an account from the database: some are refused before anything is sent, so they cost their
 * sender nothing. Counts in the memory of this node.
 */
export interface AttemptGate {
  /**
   * Whether a refused attempt may be stored: once a minute for the same facts, and 20 times a minute for what it came through.
   *
   * @param scope what it came through: a link or a token
   */
  admits(scope: string, facts: readonly (string | null | undefined)[]): boolean
  /** Notes that the database has no room for attempts of this scope, for a minute. */
  close(scope: string): void
  isClosed(scope: string): boolean
}

/** Creates a gate. `now` is in epoch milliseconds. */
export function createAttemptGate(now: () => number): AttemptGate {
  let minute = 0
  const seen = new Map<string, Set<string>>()
  const closed = new Set<string>()
  const startMinute = () => {
    const current = Math.floor(now() / MINUTE_MS)
    if (current === minute) return
    minute = current
    seen.clear()
    closed.clear()
  }
  return {
    admits(scope, facts) {
      startMinute()
      const known = seen.get(scope) ?? new Set<string>()
      const key = hash('sha256', JSON.stringify(facts), 'base64')
      if (known.has(key) || known.size >= MAX_PER_SCOPE) return false
      if (known.size === 0 && seen.size >= MAX_SCOPES) return false
      seen.set(scope, known.add(key))
      return true
    },
    close(scope) {
      startMinute()
      if (closed.size < MAX_SCOPES) closed.add(scope)
    },
    isClosed(scope) {
      startMinute()
      return closed.has(scope)
    },
  }
}

const MINUTE_MS = 60_000
const MAX_PER_SCOPE = 20
const MAX_SCOPES = 2_000
