import type { SendRequest } from '../auth/auth-method.ts'
import type { Context, RequestOptions } from '../context.ts'
import type { Definition } from '../definition.ts'
import { CheckFailure, refuse } from '../spec/check-failure.ts'
import type {
  CheckResult,
  Code,
  ErrorRule,
  Expectation,
  ExpectedValue,
} from '../spec/check-rules.ts'
import {
  type Config,
  fillDeep,
  fillUrl,
  getFirstFieldName,
  withoutLastSlashes,
} from '../values/fill.ts'
import { getByPath } from '../values/get-by-path.ts'
import { readBody } from '../values/read-body.ts'
import { getAuthMethod, getBaseUrl, getDefaults, getFacts } from './get-auth-method.ts'
import { isListed } from './host-list.ts'

/** A context, with internals that only the commands use. */
export interface RunContext extends Context<Config> {
  /** The headers that authenticate a call. A response is a rejected login. */
  headers(): Promise<Readonly<Record<string, string>> | Response>
}

/** A rejected login, converted to a check result later. */
export class LoginRejected extends Error {
  readonly response: Response

  constructor(response: Response) {
    super('The login was rejected.')
    this.response = response
  }
}

/** The dependencies of a command: configuration, credentials and requests to the provider. */
export function createContext(definition: Definition, given: Config, deps: RunDeps): RunContext {
  const { name, hosts } = definition
  const authType = String(given.authType)
  const authMethod = getAuthMethod(definition, authType)
  const config: Config = { ...getDefaults(definition, authType), ...given }
  const base = getBaseUrl(definition, authType)
  const named = getFirstFieldName(base)
  // Values of the token response cannot be overridden.
  const field = { ...definition.inputs, ...authMethod.fields }[named ?? '']
  const responseContext: ResponseContext = {
    name,
    credentialField: authMethod.credentialField,
    hostField: field && named,
  }
  const hostField = field && !('enum' in field.property) ? named : undefined
  const send = createSend({ ...deps, name, hostField })
  const values = async (): Promise<Config | Response> => {
    const loginValues = await authMethod.logIn?.(config, createSendRequest(send), deps.now)
    return loginValues instanceof Response ? loginValues : { ...config, ...loginValues }
  }
  let loggedIn: ReturnType<typeof values> | undefined
  // CHECK comes before the facts, and connections may be older than them.
  const unknown = getFacts(definition, authType).flatMap(({ name: fact }) =>
    config[fact] === undefined ? [`\${${fact}}`] : [],
  )
  const withoutUnknown = (headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(headers).filter(
        ([, template]) => !unknown.some((each) => template.includes(each)),
      ),
    )
  const credentials = async () => {
    loggedIn ??= values()
    const filled = await loggedIn
    if (filled instanceof Response) throw new LoginRejected(filled)
    const own =
      typeof definition.headers === 'function'
        ? definition.headers(config as never)
        : definition.headers
    return fillDeep({ ...authMethod.credentials, own: withoutUnknown(own ?? {}) }, filled)
  }
  const isDeclaredHost = (url: URL) =>
    hosts === 'any'
      ? url.origin === new URL(fillUrl(base, config)).origin
      : url.protocol === 'https:' && isListed(url.hostname, hosts)
  return {
    config,
    authType,
    fetch: async (pathOrUrl: string, { query, json, form, ...init }: RequestOptions = {}) => {
      const whole = /^(https?:|\$\{)/.test(pathOrUrl)
        ? pathOrUrl
        : withoutLastSlashes(base) + pathOrUrl
      const url = new URL(fillUrl(whole, config))
      const { headers, query: secret, own } = isDeclaredHost(url) ? await credentials() : {}
      for (const [key, value] of Object.entries({ ...secret, ...query }))
        url.searchParams.set(key, value)
      const body =
        json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json)
      const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
      return send(url.href, {
        method: body === undefined ? 'GET' : 'POST',
        ...(body !== undefined && { body }),
        ...init,
        headers: {
          ...DEFAULT_HEADERS,
          ...(body !== undefined && { 'Content-Type': type }),
          ...own,
          ...Object.fromEntries(new Headers(init.headers)),
          ...headers,
        },
      })
    },
    checkResponse: (response, expectation = {}) =>
      checkResponse(response, expectation, responseContext),
    refuse: (code, detail) => refuse(name, code, detail),
    async headers() {
      const { headers, own } = await credentials()
      return { ...own, ...headers }
    },
  }
}

/** What a check result contains if no rule matches. */
interface ResponseContext {
  readonly name: string
  /** The field that contains the credential. */
  readonly credentialField: string | undefined
  /** The field that contains the address of the provider; undefined if that is fixed. */
  readonly hostField: string | undefined
}

/**
 * Maps a response to a check result: rules first, then success, then the status. A body that was read before is not
 * inspected.
 */
export async function checkResponse(
  response: Response,
  { expect, ok, errors = [] }: Expectation,
  context: ResponseContext,
): Promise<CheckResult> {
  const { name } = context
  // Code may have read it already, and may want to read it later.
  const body = response.bodyUsed ? undefined : await readBody(response.clone())
  const rule = errors.find((each) => matchesRule(each, response, body))
  if (rule) {
    const code = rule.code ?? getCode(response.status, context) ?? 'invalid_credentials'
    return refuse(name, code, { field: getField(code, context), ...rule })
  }
  const expected = expect === undefined ? response.ok : [expect].flat().includes(response.status)
  if (expected && isSuccessBody(ok, body)) return { status: true, error: '' }
  const code = expected ? 'invalid_credentials' : getCode(response.status, context)
  if (code) return refuse(name, code, { field: getField(code, context) })
  const error = `${name} returned the unexpected status ${response.status}.`
  return refuse(name, 'unexpected_answer', { error })
}

function matchesRule(rule: ErrorRule, response: Response, body: unknown): boolean {
  const { status, match = {}, headers = {} } = rule
  if (status !== undefined && ![status].flat().includes(response.status)) return false
  return (
    Object.entries(match).every(([path, expected]) =>
      matchesExpected(getByPath(body, path), expected),
    ) &&
    Object.entries(headers).every(([name, expected]) =>
      matchesExpected(response.headers.get(name), expected),
    )
  )
}

/** Whether a value of a response is the expected one. */
export function matchesExpected(found: unknown, expected: ExpectedValue): boolean {
  if (typeof expected === 'object' && expected !== null && 'startsWith' in expected)
    return typeof found === 'string' && found.startsWith(expected.startsWith)
  return [expected].flat().includes(found as never)
}

function isSuccessBody(ok: Expectation['ok'], body: unknown): boolean {
  if (ok === undefined) return true
  return typeof ok === 'string'
    ? getByPath(body, ok) != null
    : getByPath(body, ok.path) === ok.equals
}

function getCode(status: number, { hostField }: ResponseContext): Code | undefined {
  if (status === 401) return 'invalid_credentials'
  if (status === 403) return 'insufficient_scope'
  if (status === 429) return 'rate_limited'
  if (status >= 500) return 'provider_unreachable'
  const isElsewhere = status === 404 || (status >= 300 && status < 400)
  return isElsewhere && hostField ? 'wrong_host' : undefined
}

function getField(code: Code, { credentialField, hostField }: ResponseContext): string | undefined {
  if (code === 'wrong_host') return hostField
  return code === 'invalid_credentials' || code === 'insufficient_scope'
    ? credentialField
    : undefined
}

/** What a command has access to. */
export interface RunDeps {
  readonly fetch: typeof globalThis.fetch
  /** A clock in milliseconds. */
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

/** Dependencies of sending. */
interface SendDeps extends RunDeps {
  /** The provider's name, for messages. */
  readonly name: string
  /** The field in which the user entered the provider's address; undefined if it cannot be wrong. */
  readonly hostField: string | undefined
}

type Send = (url: string, init?: RequestInit) => Promise<Response>

/**
 * Sends requests, and retries them after a 429 if `Retry-After` is short enough: all waits of a command together are
 * limited to 6 s, so that they never exceed the sandbox's 15 s. Redirects are returned, because credentials must not
 * follow them.
 *
 * @throws CheckFailure `provider_unreachable` or `wrong_host` when there is no response
 */
export function createSend(deps: SendDeps): Send {
  const { now, wait } = deps
  const end = now() + WAIT_MS
  return async (url, init) => {
    for (;;) {
      const signal = init?.signal ?? AbortSignal.timeout(REQUEST_MS)
      const response = await deps
        .fetch(url, { redirect: 'manual', ...init, signal })
        .catch((cause) => {
          throw toCheckFailure(deps, cause)
        })
      const delay = retryAfter(response, now())
      if (response.status !== 429 || !(now() + delay <= end)) return response
      await wait(delay)
    }
  }
}

/** Sends a request that is declared as data. */
function createSendRequest(send: Send): SendRequest {
  return ({ url, method, headers, body, form }) => {
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
    const hasBody = form !== undefined || body !== undefined
    return send(url, {
      method: method ?? (hasBody ? 'POST' : 'GET'),
      headers: { ...DEFAULT_HEADERS, ...(hasBody && { 'Content-Type': type }), ...headers },
      ...(hasBody && { body: form ? new URLSearchParams(form).toString() : JSON.stringify(body) }),
    })
  }
}

/** Some providers reject requests without a user agent; most return JSON only on request. */
const DEFAULT_HEADERS = { Accept: 'application/json', 'User-Agent': 'Linchpin' }

const WAIT_MS = 6_000
const REQUEST_MS = 10_000

/** In milliseconds: seconds or a date (RFC 9110, section 10.2.3). NaN if absent. */
function retryAfter(response: Response, now: number): number {
  const header = response.headers.get('retry-after') ?? ''
  return /^\d+$/.test(header)
    ? Math.max(Number(header) * 1_000, 100)
    : Math.max(Date.parse(header) - now, 100)
}

function toCheckFailure({ name, hostField }: SendDeps, cause: unknown): CheckFailure {
  const { code } = ((cause as { cause?: unknown }).cause ?? {}) as { code?: string }
  if (code === 'ENOTFOUND' && hostField !== undefined)
    return new CheckFailure('wrong_host', `${name} was not found at this address.`, hostField)
  if (
    code === undefined &&
    (cause as Error).name === 'TypeError' &&
    !/fetch failed/.test(String(cause))
  )
    return new CheckFailure(
      'invalid_credentials',
      'The credentials contain characters that cannot be sent.',
    )
  return new CheckFailure(
    'provider_unreachable',
    `${name} cannot be reached. Try again in a moment.`,
  )
}
