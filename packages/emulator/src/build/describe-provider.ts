import type {
  BodyFormat,
  ClientPlace,
  Provider,
  ProviderEndpoint,
  ProviderLogin,
  ProviderMethod,
  Reply,
} from '../provider.ts'
import { toUrlPattern, withoutQuery } from '../url-pattern.ts'
import { describeSignIn } from './describe-sign-in.ts'
import { Facts } from './facts.ts'
import type { Fixture, ProviderSource } from './provider-source.ts'
import { one } from './witnesses.ts'

/**
 * Describes a provider by two witnesses: the evidence has the URLs, methods and parameters, the fixtures have responses, and
 * examples of the same URLs.
 *
 * @throws Error when they contradict each other, when a request has no documented response, or when the evidence has a property
 * that the emulator does not know
 */
export function describeProvider(source: ProviderSource): Provider {
  const { key, name, authTypes } = source
  const methods = authTypes.map((authType) => {
    const hasSignIn = source.signInTypes.includes(authType)
    const describe = () =>
      describeMethod(new Facts(source.facts, authType), fixtureOf(source, authType), hasSignIn)
    return [authType, inContext(`${key}, ${authType}`, describe)] as const
  })
  const examples = methods.flatMap(([, { endpoints }]) => endpoints.map(({ example }) => example))
  const base = source.facts.find(({ path }) => path === 'base')?.value
  return {
    key,
    name,
    base: exampleBase(base as string | undefined, examples),
    methods: Object.fromEntries(methods),
  }
}

function inContext<T>(context: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw new Error(`${context}: ${(error as Error).message}`)
  }
}

/** The base URL with the values of an example; without one, the host of the first example. */
function exampleBase(template: string | undefined, examples: readonly string[]): string {
  const [first = ''] = examples
  if (template === undefined) return new URL(first).origin
  const below = toUrlPattern(`${template}/\${rest}`).source.replace('[^/?#]+$', '.*')
  const example = examples.find((each) => new RegExp(below).test(each))
  if (example === undefined) return template.includes('${') ? new URL(first).origin : template
  const { origin, pathname } = new URL(example)
  const [, fixed = ''] = /^(?:https:\/\/[^/]*|\$\{[^}]*\})(.*)$/s.exec(template) ?? []
  return origin + pathname.split('/').slice(0, fixed.split('/').length).join('/')
}

function fixtureOf({ fixtures }: ProviderSource, authType: string): Fixture {
  return { ...fixtures, ...fixtures.types?.[authType] }
}

function describeMethod(facts: Facts, fixture: Fixture, hasSignIn: boolean): ProviderMethod {
  const signIn = hasSignIn ? describeSignIn(facts, fixture) : undefined
  const login = hasSignIn ? undefined : describeLogin(facts, fixture)
  const retry = facts.record('retry')
  const lines = [fixture.sends].flat()
  return {
    sends: lines.filter((line) => line.includes('${')),
    headers: [
      ...new Set([
        ...lines.filter((line) => !line.includes('${')).map((line) => line.split(':')[0] ?? ''),
        ...facts
          .below('headers')
          .filter(([name, value]) => !String(value).includes('${') && name !== 'User-Agent')
          .map(([name]) => name),
      ]),
    ],
    endpoints: describeEndpoints(facts, fixture),
    bad: toReply(fixture.bad, 401),
    insufficient: toReply(fixture.insufficient, 403),
    limited: toReply(fixture.limited, 429),
    ...(retry.remaining !== undefined && {
      retry: { ...retry, remaining: retry.remaining },
    }),
    ...(signIn !== undefined && { signIn }),
    ...(login !== undefined && { login }),
  }
}

/** A failure of the fixtures; without one, or if the provider has none, its status alone. */
function toReply(value: unknown, status: number): Reply {
  const given = Object(value) as Partial<Reply>
  if (typeof given.status !== 'number' || !('body' in given)) return { status, body: {} }
  const { headers } = given
  return { status: given.status, body: given.body, ...(headers !== undefined && { headers }) }
}

function toSuccess(value: unknown): Reply {
  const given = Object(value) as Partial<Reply>
  // A reply of the kit has headers in any case; a body may have a property `status`.
  return typeof given.status === 'number' && 'headers' in given && 'body' in given
    ? toReply(value, 200)
    : { status: 200, body: value }
}

/** The requests that the evidence names, each with the response that the fixtures have for it. */
function describeEndpoints(facts: Facts, fixture: Fixture): ProviderEndpoint[] {
  const documented = [
    [fixture.endpoint, fixture.good] as const,
    ...Object.entries(fixture.endpoints ?? {}),
  ].map(([endpoint, good]) => parseEndpoint(endpoint, good))
  const requests = listRequests(facts, documented[0]?.example ?? '')
  const unanswered = requests.find((request) => !documented.some((one) => fits(request, one)))
  if (unanswered !== undefined)
    throw new Error(
      `the evidence has ${unanswered.method} ${unanswered.url}, for which the fixtures have no response`,
    )
  const unexpected = documented.find((one) => !requests.some((request) => fits(request, one)))
  if (unexpected !== undefined && !facts.isEmpty)
    throw new Error(
      `the fixtures have ${unexpected.method} ${unexpected.example}, which the evidence does not name`,
    )
  return documented.map((one) => {
    const request = requests.find((each) => fits(each, one))
    return {
      ...one,
      url: request?.url ?? withoutQuery(one.example),
      query: { ...one.query, ...request?.query },
    }
  })
}

function fits(request: ProviderRequest, { method, example }: Omit<ProviderEndpoint, 'url'>) {
  return request.method === method && toUrlPattern(request.url).test(withoutQuery(example))
}

function parseEndpoint(endpoint: string, good: unknown): Omit<ProviderEndpoint, 'url'> {
  const [method = '', example = ''] = endpoint.split(/\s+/)
  const query = Object.fromEntries(new URL(example).searchParams)
  return { method, example, query, good: toSuccess(good) }
}

interface ProviderRequest {
  readonly method: string
  readonly url: string
  readonly query: Readonly<Record<string, string>>
}

/** The requests that the evidence names. Its property is the method; a path is below the base URL. */
function listRequests(facts: Facts, example: string): ProviderRequest[] {
  const base = facts.text('base') ?? new URL(example).origin
  const names = ['check', 'identity', ...facts.below('after').map(([name]) => `after.${name[0]}`)]
  return [...new Set(names)].flatMap((name) => {
    const own = new Map(facts.below(name))
    const path = own.get('get') ?? own.get('post')
    if (path === undefined) return []
    const url = /^(?:https:|\$\{)/.test(`${path}`) ? `${path}` : `${base}${path}`
    const params = [...own].filter(([each]) => each.startsWith('query.'))
    return [
      {
        method: own.has('get') ? 'GET' : 'POST',
        url: withoutQuery(url),
        query: {
          ...Object.fromEntries(new URLSearchParams(url.split('?')[1] ?? '')),
          ...Object.fromEntries(params.map(([each, value]) => [each.slice(6), String(value)])),
        },
      },
    ]
  })
}

/** Client credentials, or a login. */
function describeLogin(facts: Facts, { login }: Fixture): ProviderLogin | undefined {
  const own = facts.text('clientCredentials.token') ?? facts.text('login.post')
  if (own === undefined && !facts.isEmpty) return undefined
  if (login === undefined) {
    if (own === undefined) return undefined
    throw new Error('the fixtures have no login')
  }
  const [method = 'POST', example = ''] = login.endpoint.split(/\s+/)
  const url = one('token', own, example) ?? example
  const params = facts.record('clientCredentials.params')
  const body = facts.text('clientCredentials.body') as BodyFormat | undefined
  const client = facts.text('clientCredentials.client') as ClientPlace | undefined
  const fixed = { ...login.form, ...params }
  return {
    method,
    url,
    sends: [login.sends ?? []].flat(),
    ...(login.json !== undefined && { json: login.json }),
    ...(login.json === undefined && body !== 'json' && { form: fixed }),
    ...(login.json === undefined && body === 'json' && { json: fixed }),
    ...(client !== undefined && { client }),
    ...(body !== undefined && { body }),
    good: toSuccess(login.good ?? { access_token: '${token}' }),
    bad: toReply(login.bad, 401),
  }
}
