import { fillDeep, fillUrl } from '../run/fill.ts'
import { bodyLacks } from './body-lacks.ts'
import type { Answers, LoginAnswers } from './fixtures.ts'
import type { Asked } from './provider.ts'
import { type Reply, reply, toReply } from './reply.ts'
import { missing, readSends } from './sent-as.ts'
import { straySecrets } from './stray-secrets.ts'

/** What the provider does with credentials. */
export type Outcome = 'good' | 'bad' | 'insufficient' | 'limited' | 'away' | 'elsewhere'

/** The provider's documented endpoints in one outcome. */
export interface FakeEndpoints {
  answer(asked: Asked): Reply
  /** What was wrong with the requests. */
  readonly faults: readonly string[]
}

/** Fakes what fixtures describe. Good answers go only to requests that carry the credentials as documented. */
export function fakeEndpoints(
  fixtures: Answers,
  outcome: Outcome,
  config: Readonly<Record<string, unknown>>,
): FakeEndpoints {
  const faults: string[] = []
  const values = { ...config, token: TOKEN }
  const places = [
    ...loginPlace(fixtures, outcome, values),
    place(fixtures, checkReply(fixtures, outcome), values),
    ...Object.entries(fixtures.more ?? {}).map(([endpoint, good]) =>
      place(
        { endpoint, sends: fixtures.sends },
        checkReply({ ...fixtures, good }, outcome),
        values,
      ),
    ),
  ]
  return {
    faults,
    answer(asked) {
      const found = places.find((each) => each.takes(asked))
      if (found === undefined) {
        faults.push(`asked ${asked.method} ${asked.url.href}, which the fixtures do not describe`)
        return reply(404)
      }
      const lacks = found.lacks(asked)
      faults.push(...lacks)
      return lacks.length > 0 ? reply(401) : found.reply
    },
  }
}

/** What a login gives: `${token}` in fixtures. */
export const TOKEN = 'token-of-the-login'

interface Place {
  readonly reply: Reply
  /** What is wrong with a request to it. */
  lacks(asked: Asked): string[]
  takes(asked: Asked): boolean
}

/** An endpoint as the fixtures tell of it. */
type Documented = Pick<LoginAnswers, 'endpoint' | 'sends' | 'json' | 'form'>

type Values = Readonly<Record<string, unknown>>

function place(documented: Documented, reply: Reply, values: Values): Place {
  const { endpoint, sends = [] } = documented
  const [method, url = ''] = endpoint.split(/\s+/)
  if (!/^[A-Z]+$/.test(method ?? '')) throw new Error(`"${endpoint}" must be "METHOD https://…".`)
  const meant = new URL(fillUrl(url, values))
  const wanted = readSends(sends, values)
  return {
    reply,
    lacks: (asked) => [
      ...missing(asked, wanted),
      ...bodyLacks(asked, documented, values),
      // A login may carry more than its fixtures say of it.
      ...(documented.sends === undefined ? [] : straySecrets(asked, wanted, values)),
    ],
    takes: (asked) =>
      asked.method === method &&
      asked.url.origin + asked.url.pathname === meant.origin + meant.pathname &&
      [...meant.searchParams].every(([name, value]) => asked.url.searchParams.get(name) === value),
  }
}

function loginPlace({ login }: Answers, outcome: Outcome, values: Values): Place[] {
  if (login === undefined) return []
  const { good = { access_token: '${token}' }, bad = reply(401) } = login
  const { status, body, headers } = toReply(good)
  const granted = reply(status, fillDeep(body, values), headers)
  const refused = {
    bad,
    away: AWAY,
    elsewhere: ELSEWHERE,
    good: granted,
    insufficient: granted,
    limited: granted,
  }
  return [place(login, refused[outcome], values)]
}

function checkReply(fixtures: Answers, outcome: Outcome): Reply {
  const { good, bad = reply(401), insufficient, limited } = fixtures
  const usual = {
    good: toReply(good),
    bad,
    insufficient: reply(403),
    limited: LIMITED,
    away: AWAY,
    elsewhere: ELSEWHERE,
  }
  const own = { ...usual, insufficient, limited }[outcome]
  return own === undefined || 'never' in own ? usual[outcome] : own
}

const LIMITED = reply(429, {}, { 'Retry-After': '60' })
const ELSEWHERE = reply(404, '<h1>Not Found</h1>')
const AWAY = reply(503, '<h1>Service Unavailable</h1>')
