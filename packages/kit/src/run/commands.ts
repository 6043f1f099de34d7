import type { Definition, Identity } from '../definition.ts'
import { CheckFailure } from '../spec/check-failure.ts'
import type {
  CheckResult,
  DeclaredIdentity,
  Expectation,
  RequestTemplate,
} from '../spec/check-rules.ts'
import { type Config, fillDeep } from '../values/fill.ts'
import { getByPath } from '../values/get-by-path.ts'
import { readBody } from '../values/read-body.ts'
import { LoginRejected, type RunContext } from './create-context.ts'
import { getAuthMethod } from './get-auth-method.ts'

/** CHECK: whether the provider accepts these credentials. Throws only for errors in the integration. */
export async function runCheck(definition: Definition, context: RunContext): Promise<CheckResult> {
  const check = getAuthMethod(definition, context.authType).check ?? definition.check
  const expectation = typeof check === 'function' ? {} : check
  try {
    const verdict =
      typeof check === 'function'
        ? await check(context as never)
        : await context.checkResponse(await sendDeclared(check, context), check)
    if (typeof verdict !== 'boolean') return verdict
    return verdict ? { status: true, error: '' } : context.refuse('invalid_credentials')
  } catch (error) {
    if (error instanceof LoginRejected)
      return checkLoginResponse(error.response, expectation, context)
    if (!(error instanceof CheckFailure)) throw error
    return context.refuse(error.code, { ...error, error: error.message })
  }
}

/** IDENTITY: the connected user. */
export async function runIdentity(definition: Definition, context: RunContext): Promise<Identity> {
  const { identity = definition.identity, check = definition.check } = getAuthMethod(
    definition,
    context.authType,
  )
  if (identity === undefined) throw new Error('There is no command IDENTITY.')
  if (typeof identity === 'function') return identity(context as never)
  const request = { ...(typeof check === 'function' ? {} : check), ...identity }
  const response = await sendDeclared(
    identity.path === undefined ? request : { ...identity, path: identity.path },
    context,
  )
  const body = await readBody(response)
  if (!response.ok) throw new Error(`${definition.name} returned status ${response.status}.`)
  return readIdentity(identity, body, context.config)
}

/** RUN: sends one request and returns the provider's response. */
export async function runRequest(
  definition: Definition,
  context: RunContext,
  params: Config,
): Promise<unknown> {
  const {
    path = '',
    method = 'GET',
    params: given,
  } = params as { path?: string; method?: string; params?: object }
  const isRead = /^(get|head)$/i.test(method)
  const more =
    given === undefined ? {} : isRead ? { query: given as Record<string, string> } : { json: given }
  const response = await context.fetch(path, { method, ...more })
  if (response.ok) return readBody(response)
  throw new Error(`${definition.name} returned status ${response.status}.`)
}

/** Sends a request that is declared as data. */
export function sendDeclared(
  template: Partial<RequestTemplate>,
  context: RunContext,
): Promise<Response> {
  const { path = '', method, query, headers, body, form } = template
  const filled = fillDeep({ query, headers, form, json: body }, context.config)
  return context.fetch(path, { ...JSON.parse(JSON.stringify(filled)), ...(method && { method }) })
}

/** Some providers reject a login with 400, and some with 200 and no token. */
function checkLoginResponse(response: Response, { errors = [] }: Expectation, context: RunContext) {
  const rejectionRule = { status: [200, 400, 422], code: 'invalid_credentials' } as const
  return context.checkResponse(response, { expect: [], errors: [...errors, rejectionRule] })
}

function readIdentity(
  { id, label, avatarUrl, scopes }: DeclaredIdentity,
  body: unknown,
  config: Config,
): Identity {
  const read = (paths: string | readonly string[]) => readFirst(paths, body, config)
  const found = read(id)
  if (found === undefined) throw new Error(`The response has no identity at ${id}.`)
  const avatar = avatarUrl === undefined ? undefined : read(avatarUrl)
  const granted = scopes === undefined ? undefined : getByPath(body, scopes)
  return {
    id: String(found),
    label: String(read(label) ?? found),
    ...(avatar === undefined ? {} : { avatarUrl: String(avatar) }),
    ...(Array.isArray(granted) && { scopes: granted.map(String) }),
  }
}

/** The first value at one of these paths. A path with `${…}` combines several. */
export function readFirst(
  paths: string | readonly string[],
  body: unknown,
  config: Config,
): unknown {
  return [paths]
    .flat()
    .map((path) =>
      path.includes('${') ? expandIdentity(path, body, config) : getByPath(body, path),
    )
    .find((value) => value != null && value !== '')
}

/** Undefined if one of the values is missing: an incomplete id could identify another user. */
function expandIdentity(template: string, body: unknown, config: Config): string | undefined {
  let isWhole = true
  const filled = template.replace(/\$\{([^}]+)\}/g, (_, path: string) => {
    const value = String(getByPath(body, path) ?? config[path] ?? '')
    isWhole &&= value !== '' && value.length <= MAX_PART_LENGTH
    return isWhole ? value : ''
  })
  return isWhole ? filled : undefined
}

/** A template repeats values, and a longer one identifies no one. */
const MAX_PART_LENGTH = 10_000
