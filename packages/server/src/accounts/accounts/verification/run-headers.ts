import { type BundleResult, findRefreshTokens, RunnerError } from '@linchpin/runner'
import { findHeaderProblem, trimHeaderValue } from '../../../integrations/oauth/template.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { CheckParams } from '../credentials/account-config.ts'
import { createProviderUnavailableError, isUnreachable, type RunCheckDeps } from './run-check.ts'

/** The result of HEADERS. */
export interface HeadersResult {
  /** The bundle does not support the command. */
  readonly isUnsupported: boolean
  /** Null if the bundle does not return headers. */
  readonly headers: Readonly<Record<string, string>> | null
  /** Tokens that the bundle fetched itself; undefined if it returned none. */
  readonly refreshToken: string | undefined
  readonly accessToken: string | undefined
  /** Lifetime of the access token, in milliseconds. */
  readonly ttlMs: number | undefined
  /** Whether the bundle sent no request. */
  readonly madeNoRequests: boolean
  /** Whether the bundle will return the same for the same parameters: it used no request, clock, randomness or timer. */
  readonly isDeterministic: boolean
  /**
   * The bundle returned an error or nothing after its provider rejected a request: the credentials may be permanently
   * invalid.
   */
  readonly isRejected: boolean
}

/** How the last request of a call ended, and whether the call depended on more than its parameters. */
type CallInfo = Omit<BundleResult, 'value'>

/**
 * Bundles built with the older kit swallow the error of the token endpoint and return nothing; here the provider
 * rejected the credentials.
 */
class EmptyBundleResponse extends ApiError {
  constructor() {
    super('provider_error', NO_HEADERS_MESSAGE)
  }
}

/** Whether HEADERS failed because the provider rejected a request: the credentials may be permanently invalid. */
export function isPossiblyRejected(error: unknown): boolean {
  if (error instanceof EmptyBundleResponse) return true
  return error instanceof RunnerError && error.code === 'integration_failed' && isAuthError(error)
}

/**
 * Runs HEADERS in the sandbox. Bundles built with the older kit fetch tokens there and return `refresh-token` and
 * `expiry` beside the headers; these two are not treated as headers.
 *
 * @throws RunnerError; ApiError `oauth_app_secret_required`, `provider_error`, `provider_timeout`,
 * `integration_bad_output`
 */
export async function runHeaders(
  deps: RunCheckDeps,
  { bundle, tenant, hosts, authType, config, tokens, secret }: CheckParams,
): Promise<HeadersResult> {
  try {
    const { value, ...last } = await deps.runner.run({
      bundle,
      tenant,
      command: 'HEADERS',
      params: { config: { ...config, authType } },
      hosts,
      tokens,
      secret,
    })
    const result = parseHeadersResult(value, last, findRefreshTokens(config).length > 0)
    if (Object.keys(result.headers ?? {}).length === 0) secret?.throwIfDenied()
    return result
  } catch (error) {
    secret?.throwIfDenied()
    if (error instanceof RunnerError && isUnknownCommand(error)) return HEADERS_UNSUPPORTED
    throw error
  }
}

/** The result for a bundle that does not support the command. */
export const HEADERS_UNSUPPORTED: HeadersResult = {
  isUnsupported: true,
  headers: null,
  refreshToken: undefined,
  accessToken: undefined,
  ttlMs: undefined,
  madeNoRequests: true,
  // Remembered for the bundle, not for each account.
  isDeterministic: false,
  isRejected: false,
}

/**
 * The statuses with which token endpoints and APIs reject credentials (RFC 6749 section 5.2, RFC 6750 section 3.1).
 * Any other status may be temporary.
 */
function isAuthError({ lastStatus }: Pick<CallInfo, 'lastStatus'>): boolean {
  return lastStatus === 400 || lastStatus === 401
}

function createRejectedResult(last: CallInfo): HeadersResult {
  return {
    ...HEADERS_UNSUPPORTED,
    isUnsupported: false,
    madeNoRequests: false,
    isDeterministic: last.isDeterministic,
    isRejected: isAuthError(last),
  }
}

function parseHeadersResult(value: unknown, last: CallInfo, hasGrant: boolean): HeadersResult {
  const { lastExchange } = last
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return createRejectedResult(last)
  const { status, error } = value as { status?: unknown; error?: unknown }
  // The older kit and most bundles report an unknown command this way.
  if (status === false)
    return /\bcommand\b/i.test(toText(error)) ? HEADERS_UNSUPPORTED : createRejectedResult(last)
  const entries = Object.entries(value)
  if (entries.length === 0 && lastExchange !== 'none') assertEmptyAllowed(last, hasGrant)
  const findEntry = (name: RegExp) => entries.find(([key]) => name.test(key))?.[1]
  const headers = entries.filter(([name]) => !/^(?:refresh[-_]token|expiry)$/i.test(name))
  const refreshToken = findEntry(/^refresh[-_]token$/i)
  const bearer = /^Bearer ([\x21-\x7e]+)$/i.exec(toText(findEntry(/^authorization$/i)))?.[1]
  const seconds = Number(toText(findEntry(/^expiry$/i)))
  return {
    isUnsupported: false,
    headers: Object.fromEntries(
      headers.map(([name, rawValue]) => [name, toHeaderValue(name, rawValue)]),
    ),
    refreshToken: isToken(refreshToken) ? refreshToken : undefined,
    accessToken: bearer === 'undefined' ? undefined : bearer,
    ttlMs: seconds > 0 && seconds < 1e9 ? seconds * 1_000 : undefined,
    madeNoRequests: lastExchange === 'none',
    isDeterministic: last.isDeterministic,
    isRejected: entries.length === 0 && isAuthError(last),
  }
}

/** Empty for anything but strings and numbers: `String` throws for some objects. */
function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function assertEmptyAllowed(last: CallInfo, hasGrant: boolean): void {
  const { lastExchange } = last
  if (lastExchange === 'timeout')
    throw new ApiError('provider_timeout', 'The provider did not answer the integration in time.')
  if (lastExchange === 'egress_unavailable') throw createProviderUnavailableError(lastExchange)
  if (isUnreachable(lastExchange))
    throw new ApiError(
      'provider_error',
      'The integration could not obtain headers from the provider.',
    )
  if (!hasGrant) return
  if (isAuthError(last)) throw new EmptyBundleResponse()
  throw new ApiError('provider_error', NO_HEADERS_MESSAGE)
}

function toHeaderValue(name: string, value: unknown): string {
  if (!HEADER_NAME.test(name)) throw createBadHeaderError('A header', 'has a name that is invalid')
  if (typeof value !== 'string' && typeof value !== 'number')
    throw createBadHeaderError(name, 'must be a string or a number')
  const text = trimHeaderValue(String(value))
  const problem = findHeaderProblem(text)
  if (problem !== undefined) throw createBadHeaderError(name, problem)
  return text
}

function createBadHeaderError(header: string, problem: string): ApiError {
  return new ApiError(
    'integration_bad_output',
    `The integration returned headers that can't be sent: ${header} ${problem}.`,
  )
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value)
}

/** Some bundles throw for an unknown command instead of returning an error. */
function isUnknownCommand({ code, message, lastExchange }: RunnerError): boolean {
  return (
    code === 'integration_failed' &&
    lastExchange === 'none' &&
    /\bcommand\b|\bHEADERS\b|not (?:supported|implemented)/i.test(message)
  )
}

const NO_HEADERS_MESSAGE = 'The integration received no headers from the provider.'

/** RFC 9110 section 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/
