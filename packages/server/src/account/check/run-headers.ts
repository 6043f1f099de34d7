import { type BundleAnswer, RunnerError, refreshTokensIn } from '@linchpin/runner'
import { ApiError } from '../../errors.ts'
import { type CheckSubject, isUnreachable, type RunCheckDeps } from './run-check.ts'

/** What HEADERS answered. */
export interface HeadersAnswer {
  /** The bundle does not know the command, and never will. */
  readonly isUnknown: boolean
  /** Null: the bundle has no HEADERS. */
  readonly headers: Readonly<Record<string, string>> | null
  /** Tokens that the bundle fetched by itself; undefined when it says of none. */
  readonly refreshToken: string | undefined
  readonly accessToken: string | undefined
  /** How long the access token lives. */
  readonly lifeMs: number | undefined
  /** Whether it asked nobody. */
  readonly isQuiet: boolean
  /** It answered an error, or nothing, after its provider said no: the credentials may be refused for good. */
  readonly isRefused: boolean
}

/** How the last request of a call went. */
type Last = Pick<BundleAnswer, 'lastExchange' | 'lastStatus'>

/** The older kit swallows what the token endpoint says and answers nothing; the provider said no. */
class NothingAnswered extends ApiError {
  constructor() {
    super('provider_error', NOTHING)
  }
}

/** Whether HEADERS failed because its provider said no: the credentials may be refused for good. */
export function mayBeRefused(error: unknown): boolean {
  if (error instanceof NothingAnswered) return true
  return error instanceof RunnerError && error.code === 'integration_failed' && saysNo(error)
}

/**
 * Runs HEADERS in the jail. Bundles of the older kit fetch tokens there, and answer `refresh-token` and `expiry` beside
 * the headers: these are told apart, they are no headers.
 *
 * @throws RunnerError; ApiError `oauth_app_secret_required`, `provider_error`, `provider_timeout`, `integration_bad_output`
 */
export async function runHeaders(
  deps: RunCheckDeps,
  { sha256, tenant, hosts, authType, config, tokens, secret }: CheckSubject,
): Promise<HeadersAnswer> {
  try {
    const { value, ...last } = await deps.runner.run({
      bundle: deps.bundles.bundle(sha256),
      tenant,
      command: 'HEADERS',
      params: { config: { ...config, authType } },
      hosts,
      tokens,
      secret,
    })
    const answer = judge(value, last, refreshTokensIn(config).length > 0)
    if (Object.keys(answer.headers ?? {}).length === 0) secret?.throwRefusal()
    return answer
  } catch (error) {
    secret?.throwRefusal()
    if (error instanceof RunnerError && isUnknownCommand(error)) return NO_HEADERS
    throw error
  }
}

/** Of a bundle that does not know the command. */
export const NO_HEADERS: HeadersAnswer = {
  isUnknown: true,
  headers: null,
  refreshToken: undefined,
  accessToken: undefined,
  lifeMs: undefined,
  isQuiet: true,
  isRefused: false,
}

/** What token endpoints and APIs refuse credentials with (RFC 6749 section 5.2, RFC 6750 section 3.1). Anything else may pass. */
function saysNo({ lastStatus }: Pick<Last, 'lastStatus'>): boolean {
  return lastStatus === 400 || lastStatus === 401
}

function refusal(last: Last): HeadersAnswer {
  return { ...NO_HEADERS, isUnknown: false, isQuiet: false, isRefused: saysNo(last) }
}

function judge(value: unknown, last: Last, hasGrant: boolean): HeadersAnswer {
  const { lastExchange } = last
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refusal(last)
  const { status, error } = value as { status?: unknown; error?: unknown }
  // How the older kit, and most bundles, say that they do not know a command.
  if (status === false) return /\bcommand\b/i.test(textOf(error)) ? NO_HEADERS : refusal(last)
  const entries = Object.entries(value)
  if (entries.length === 0 && lastExchange !== 'none') refuseEmpty(last, hasGrant)
  const told = (name: RegExp) => entries.find(([key]) => name.test(key))?.[1]
  const headers = entries.filter(([name]) => !/^(?:refresh[-_]token|expiry)$/i.test(name))
  const refreshToken = told(/^refresh[-_]token$/i)
  const bearer = /^Bearer ([\x21-\x7e]+)$/i.exec(textOf(told(/^authorization$/i)))?.[1]
  const seconds = Number(textOf(told(/^expiry$/i)))
  return {
    isUnknown: false,
    headers: Object.fromEntries(headers.map(([name, given]) => [name, headerValue(name, given)])),
    refreshToken: isToken(refreshToken) ? refreshToken : undefined,
    accessToken: bearer === 'undefined' ? undefined : bearer,
    lifeMs: seconds > 0 && seconds < 1e9 ? seconds * 1_000 : undefined,
    isQuiet: lastExchange === 'none',
    isRefused: entries.length === 0 && saysNo(last),
  }
}

/** Empty for what is neither a text nor a number: `String` throws at some objects. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function refuseEmpty(last: Last, hasGrant: boolean): void {
  const { lastExchange } = last
  if (lastExchange === 'timeout')
    throw new ApiError('provider_timeout', 'The provider did not answer the integration in time.')
  if (isUnreachable(lastExchange))
    throw new ApiError('provider_error', 'The provider gave the integration no headers now.')
  if (!hasGrant) return
  if (saysNo(last)) throw new NothingAnswered()
  throw new ApiError('provider_error', NOTHING)
}

function headerValue(name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !NAME.test(name) || !VALUE.test(text))
    throw new ApiError('integration_bad_output', 'The integration answered headers that are none.')
  return text
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value)
}

/** Not every bundle answers; some throw. */
function isUnknownCommand({ code, message, lastExchange }: RunnerError): boolean {
  return (
    code === 'integration_failed' &&
    lastExchange === 'none' &&
    /\bcommand\b|\bHEADERS\b|not (?:supported|implemented)/i.test(message)
  )
}

const NOTHING = 'The integration got no headers from the provider.'

/** RFC 9110 section 5.6.2. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,16384}$/
