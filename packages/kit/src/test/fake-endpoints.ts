import { fillDeep, fillUrl } from '../values/fill.ts'
import type { ReceivedRequest } from './fake-provider.ts'
import type { EndpointFixture, LoginFixture } from './fixtures.ts'
import { findLeakedSecrets } from './leaked-secrets.ts'
import { findMissingBodyParts } from './missing-body-parts.ts'
import { type Reply, reply, toReply } from './reply.ts'
import { findMissingCredentials, parseSends } from './request-encoding.ts'

/** How the provider treats the credentials. */
export type Outcome = 'good' | 'bad' | 'insufficient' | 'limited' | 'away' | 'elsewhere'

/** The provider's documented endpoints with one outcome. */
export interface FakeEndpoints {
  respond(request: ReceivedRequest): Reply
  /** Errors in the requests. */
  readonly errors: readonly string[]
}

/**
 * Fakes the endpoints in the fixtures. Success responses are sent only to requests that carry the credentials as
 * documented.
 */
export function createFakeEndpoints(
  fixtures: EndpointFixture,
  outcome: Outcome,
  config: Readonly<Record<string, unknown>>,
): FakeEndpoints {
  const errors: string[] = []
  const values = { ...config, token: TOKEN }
  const endpoints = [
    ...createLoginEndpoint(fixtures, outcome, values),
    createEndpoint(fixtures, checkReply(fixtures, outcome), values),
    ...Object.entries(fixtures.endpoints ?? {}).map(([endpoint, good]) =>
      createEndpoint(
        { endpoint, sends: fixtures.sends },
        checkReply({ ...fixtures, good }, outcome),
        values,
      ),
    ),
  ]
  return {
    errors,
    respond(request) {
      const matched = endpoints.find((each) => each.matches(request))
      if (matched === undefined) {
        errors.push(
          `requested ${request.method} ${request.url.href}, which the fixtures do not describe`,
        )
        return reply(404)
      }
      const errorsIn = matched.findErrors(request)
      errors.push(...errorsIn)
      return errorsIn.length > 0 ? reply(401) : matched.reply
    },
  }
}

/** The token that a login returns: `${token}` in fixtures. */
export const TOKEN = 'token-of-the-login'

interface FakeEndpoint {
  readonly reply: Reply
  /** Returns what is wrong with a request to it. */
  findErrors(request: ReceivedRequest): string[]
  matches(request: ReceivedRequest): boolean
}

/** A documented endpoint of the fixtures. */
type Documented = Pick<LoginFixture, 'endpoint' | 'sends' | 'json' | 'form'>

type Values = Readonly<Record<string, unknown>>

function createEndpoint(documented: Documented, reply: Reply, values: Values): FakeEndpoint {
  const { endpoint, sends = [] } = documented
  const [method, url = ''] = endpoint.split(/\s+/)
  if (!/^[A-Z]+$/.test(method ?? '')) throw new Error(`"${endpoint}" must be "METHOD https://…".`)
  const target = new URL(fillUrl(url, values))
  const expected = parseSends(sends, values)
  return {
    reply,
    findErrors: (request) => [
      ...findMissingCredentials(request, expected),
      ...findMissingBodyParts(request, documented, values),
      // A login may carry more than its fixtures specify.
      ...(documented.sends === undefined ? [] : findLeakedSecrets(request, expected, values)),
    ],
    matches: (request) =>
      request.method === method &&
      request.url.origin + request.url.pathname === target.origin + target.pathname &&
      [...target.searchParams].every(
        ([name, value]) => request.url.searchParams.get(name) === value,
      ),
  }
}

function createLoginEndpoint(
  { login }: EndpointFixture,
  outcome: Outcome,
  values: Values,
): FakeEndpoint[] {
  if (login === undefined) return []
  const { good = { access_token: '${token}' }, bad = reply(401) } = login
  const { status, body, headers } = toReply(good)
  const success = reply(status, fillDeep(body, values), headers)
  const repliesByOutcome = {
    bad,
    away: AWAY,
    elsewhere: ELSEWHERE,
    good: success,
    insufficient: success,
    limited: success,
  }
  return [createEndpoint(login, repliesByOutcome[outcome], values)]
}

function checkReply(fixtures: EndpointFixture, outcome: Outcome): Reply {
  const { good, bad = reply(401), insufficient, limited } = fixtures
  const defaultReplies = {
    good: toReply(good),
    bad,
    insufficient: reply(403),
    limited: LIMITED,
    away: AWAY,
    elsewhere: ELSEWHERE,
  }
  const configuredReply = { ...defaultReplies, insufficient, limited }[outcome]
  return configuredReply === undefined || 'notApplicable' in configuredReply
    ? defaultReplies[outcome]
    : configuredReply
}

const LIMITED = reply(429, {}, { 'Retry-After': '60' })
const ELSEWHERE = reply(404, '<h1>Not Found</h1>')
const AWAY = reply(503, '<h1>Service Unavailable</h1>')
