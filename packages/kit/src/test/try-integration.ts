import { isDeepStrictEqual } from 'node:util'
import type { Spec } from '@linchpin/runner/protocol'
import type { Verdict } from '../spec/check-rules.ts'
import type { Outcome } from './fake-endpoints.ts'
import type { Answers, Fixtures } from './fixtures.ts'
import type { Jail } from './jail.ts'
import { sampleConfig } from './sample-config.ts'
import { isSame, readSends } from './sent-as.ts'
import { trySignIn } from './sign-in/try-sign-in.ts'
import { ask, fieldsOf, judgeVerdict, namedFor, type Trial, type Tried } from './trial.ts'

export type { Tried }

/** What SPEC answers in the jail. @throws Error when that is no spec */
async function askSpec(jail: Jail, code: string): Promise<Spec> {
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
    tried.push(await tryHeaders(trial), await tryIdentity(trial), ...(await trySignIn(trial)))
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
/** Whether a field says where the provider is. */
function isMovable(spec: Spec, authType: string): boolean {
  const auth: Readonly<Record<string, unknown>> = { ...spec.auth_specification[authType] }
  const named = String(auth.api_base_url).matchAll(/\$\{([\w.-]+)\}/g)
  const fields = fieldsOf(spec, authType)
  return [...named].some(([, name = '']) => fields.has(name))
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
  const told = await ask(trial, title, 'IDENTITY', 'good', (value) =>
    isDeepStrictEqual(value, identity) ? [] : [`IDENTITY is ${JSON.stringify(value)}`],
  )
  return { title, faults: [...told.faults, ...(await mistaken(trial))] }
}

/** Two accounts whose credentials are refused would be the same one. */
async function mistaken(trial: Trial): Promise<readonly string[]> {
  let who: unknown
  await ask(trial, '', 'IDENTITY', 'bad', (value) => {
    who = value
    return []
  })
  if (who === undefined || trial.jail.provider.asked.length === 0) return []
  return [`IDENTITY is ${JSON.stringify(who)} for bad credentials: let it throw`]
}
