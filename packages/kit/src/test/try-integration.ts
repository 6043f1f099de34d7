import { isDeepStrictEqual } from 'node:util'
import type { Spec } from '@linchpin/runner'
import type { Code, Verdict } from '../spec/check-rules.ts'
import { type FakeEndpoints, fakeEndpoints, type Outcome, TOKEN } from './fake-endpoints.ts'
import type { Answers, Fixtures } from './fixtures.ts'
import type { Jail } from './jail.ts'
import { sampleConfig, secretName } from './sample-config.ts'
import { isSame, readSends } from './sent-as.ts'

/** One promise of an integration, and what speaks against it. */
export interface Tried {
  readonly title: string
  readonly faults: readonly string[]
  /** Why it cannot be tried with this provider. */
  readonly never?: string
}

/** What SPEC answers in the jail. @throws Error when that is no spec */
export async function askSpec(jail: Jail, code: string): Promise<Spec> {
  const spec = (await jail.run({ code, command: 'SPEC' })) as Spec | null
  if (typeof spec?.auth_specification === 'object') return spec
  throw new Error('SPEC answers no auth_specification.')
}

/** Tries a bundle in the jail against fake answers of its provider: each auth type, each outcome. */
export async function tryIntegration(
  jail: Jail,
  code: string,
  fixtures: Fixtures,
): Promise<Tried[]> {
  const spec = await askSpec(jail, code)
  const tried: Tried[] = []
  for (const authType of Object.keys(spec.auth_specification)) {
    const answers: Answers = { ...fixtures, ...fixtures.types?.[authType] }
    const given = sampleConfig(spec, authType, answers.config)
    const trial: Trial = {
      jail,
      code,
      spec,
      answers,
      authType,
      config: given,
    }
    const nothing = Object.entries(given).find(([, value]) => value === undefined)
    if (nothing)
      throw new Error(`Give a value for ${nothing[0]} in config of the fixtures: ${authType}.`)
    const outcomes = isMovable(spec, authType) ? [...OUTCOMES, 'elsewhere' as const] : OUTCOMES
    for (const outcome of outcomes) tried.push(await tryOutcome(trial, outcome))
    tried.push(await tryHeaders(trial), await tryIdentity(trial))
  }
  return tried
}

const OUTCOMES: readonly Outcome[] = ['good', 'bad', 'insufficient', 'limited', 'away']
const TITLES: Readonly<Record<Outcome, string>> = {
  good: 'accepts good credentials',
  bad: 'refuses bad credentials',
  insufficient: 'tells credentials that may not do enough',
  limited: 'asks to wait when the provider limits requests',
  away: 'says that the provider is away',
  elsewhere: 'says that the provider is not at this address',
}
const CODES: Readonly<Record<Exclude<Outcome, 'good'>, Code>> = {
  bad: 'invalid_credentials',
  insufficient: 'insufficient_scope',
  limited: 'rate_limited',
  away: 'provider_unreachable',
  elsewhere: 'wrong_host',
}

/** Whether a field says where the provider is. */
function isMovable(spec: Spec, authType: string): boolean {
  const auth: Readonly<Record<string, unknown>> = { ...spec.auth_specification[authType] }
  return String(auth.api_base_url).includes('${')
}

interface Trial {
  readonly jail: Jail
  readonly code: string
  readonly spec: Spec
  readonly answers: Answers
  readonly authType: string
  readonly config: Readonly<Record<string, unknown>>
}

async function tryOutcome(trial: Trial, outcome: Outcome): Promise<Tried> {
  const title = `${trial.authType}: ${TITLES[outcome]}`
  const own =
    outcome === 'insufficient' || outcome === 'limited' ? trial.answers[outcome] : undefined
  if (own && 'never' in own) return { title, faults: [], never: own.never }
  return ask(trial, title, 'CHECK', outcome, (value) =>
    judgeVerdict(trial, outcome, value as Verdict),
  )
}

function tryHeaders(trial: Trial): Promise<Tried> {
  const title = `${trial.authType}: tells the headers of a call`
  return ask(trial, title, 'HEADERS', 'good', (value) => {
    const headers = new Headers(value as Record<string, string>)
    return readSends(trial.answers.sends, namedFor(trial))
      .filter(
        ({ where, name, value }) => where === 'header' && !isSame(headers.get(name) ?? '', value),
      )
      .map(({ name }) => `HEADERS lacks the right ${name}`)
  })
}

async function tryIdentity(trial: Trial): Promise<Tried> {
  const title = `${trial.authType}: tells who connected`
  const { identity } = trial.answers
  if (identity === undefined) {
    const told = await trial.jail
      .run({ code: trial.code, command: 'IDENTITY', config: trial.config })
      .catch((error: Error) => error.message)
    const isNone = /\bcommand\b/i.test(typeof told === 'string' ? told : JSON.stringify(told))
    return {
      title,
      faults: isNone ? [] : ['the fixtures lack identity'],
      ...(isNone && { never: 'It has no identity.' }),
    }
  }
  return ask(trial, title, 'IDENTITY', 'good', (value) =>
    isDeepStrictEqual(value, identity) ? [] : [`IDENTITY is ${JSON.stringify(value)}`],
  )
}

async function ask(
  trial: Trial,
  title: string,
  command: 'CHECK' | 'HEADERS' | 'IDENTITY',
  outcome: Outcome,
  judge: (value: unknown) => string[],
): Promise<Tried> {
  const { jail, code, spec, config, answers } = trial
  const fake = fakeEndpoints(answers, outcome, namedFor(trial))
  jail.provider.answer(fake.answer)
  try {
    const value = await jail.run({ code, command, config, hosts: spec['x-hosts'] })
    return { title, faults: [...judge(value), ...askedFaults(jail, fake)] }
  } catch (error) {
    return { title, faults: [(error as Error).message, ...askedFaults(jail, fake)] }
  }
}

function askedFaults(jail: Jail, fake: FakeEndpoints): string[] {
  return [
    ...new Set([
      ...fake.faults,
      ...jail.refused.map((host) => `asked ${host}, which x-hosts lacks`),
    ]),
  ]
}

/** With `secret` and `token` for the fixtures. */
function namedFor({ spec, authType, config }: Trial): Record<string, unknown> {
  return { ...config, token: TOKEN, secret: config[secretName(spec, authType) ?? ''] }
}

function judgeVerdict({ answers, jail }: Trial, outcome: Outcome, verdict: Verdict): string[] {
  const said = JSON.stringify(verdict)
  if (jail.provider.asked.length === 0) return ['CHECK asked the provider nothing']
  if (outcome === 'good') return verdict.status === true ? [] : [`CHECK is ${said}`]
  const { codes } = answers
  const own = codes === 'none' || outcome === 'away' ? undefined : codes?.[outcome]
  const wanted = own ?? CODES[outcome]
  const isWaiting = wanted === 'rate_limited' || wanted === 'provider_unreachable'
  const told = [
    ...(verdict.code === wanted ? [] : [`the code is ${verdict.code}, not ${wanted}`]),
    ...(isWaiting && verdict.retryable !== true ? ['the verdict is not retryable'] : []),
  ]
  return [
    ...(verdict.status === false ? [] : [`CHECK is ${said}`]),
    ...(verdict.error ? [] : ['the verdict has no error in words']),
    ...(codes === 'none' ? [] : told),
  ]
}
