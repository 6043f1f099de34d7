import type { Spec } from '@linchpin/runner/protocol'
import type { Code, Verdict } from '../spec/check-rules.ts'
import { type FakeEndpoints, fakeEndpoints, type Outcome, TOKEN } from './fake-endpoints.ts'
import type { Answers } from './fixtures.ts'
import type { Jail } from './jail.ts'
import { secretName } from './sample-config.ts'
import { fakeRenewal } from './sign-in/fake-renewal.ts'

/** One promise of an integration, and what speaks against it. */
export interface Tried {
  readonly title: string
  readonly faults: readonly string[]
  /** Why it cannot be tried with this provider. */
  readonly never?: string
}

/** What one auth type is tried with. */
export interface Trial {
  readonly jail: Jail
  readonly code: string
  readonly spec: Spec
  readonly answers: Answers
  readonly authType: string
  readonly config: Readonly<Record<string, unknown>>
}

/** Runs one command against the provider in one outcome; what speaks against its answer, and against what it asked. */
export async function ask(
  trial: Trial,
  title: string,
  command: 'CHECK' | 'HEADERS' | 'IDENTITY',
  outcome: Outcome,
  judge: (value: unknown) => string[],
): Promise<Tried> {
  const { jail, code, spec, config, answers } = trial
  const fake = fakeEndpoints(answers, outcome, namedFor(trial))
  const renewal = fakeRenewal(trial)
  jail.provider.answer((asked) => renewal(asked) ?? fake.answer(asked))
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
export function namedFor({ spec, authType, config }: Trial): Record<string, unknown> {
  return { ...config, token: TOKEN, secret: config[secretName(spec, authType) ?? ''] }
}

/** What speaks against a verdict. */
export function judgeVerdict(trial: Trial, outcome: Outcome, verdict: Verdict): string[] {
  const { answers, jail, spec, authType } = trial
  const said = JSON.stringify(verdict)
  if (jail.provider.asked.length === 0) return ['CHECK asked the provider nothing']
  if (outcome === 'good') return verdict.status === true ? [] : [`CHECK is ${said}`]
  const { codes } = answers
  const own = codes === 'none' || outcome === 'away' ? undefined : codes?.[outcome]
  const wanted = own ?? CODES[outcome]
  const isWaiting = wanted === 'rate_limited' || wanted === 'provider_unreachable'
  const told = [
    ...(verdict.code === wanted ? [] : [`the code is ${verdict.code}, not ${wanted}`]),
    ...(verdict.field === undefined || fieldsOf(spec, authType).has(verdict.field)
      ? []
      : [`the verdict points to ${verdict.field}, which is no field`]),
    ...(isWaiting && verdict.retryable !== true ? ['the verdict is not retryable'] : []),
  ]
  return [
    ...(verdict.status === false ? [] : [`CHECK is ${said}`]),
    ...(verdict.error ? [] : ['the verdict has no error in words']),
    ...[verdict.error, verdict.hint].flatMap((words = '') => wordFaults(trial, words)),
    ...(codes === 'none' ? [] : told),
  ]
}

/** The jail takes values of the configuration out of what people read. Sentences that stand in the code may name an example. */
function wordFaults({ code, config }: Trial, words: string): string[] {
  const isWritten = Object.values(config).some((value) =>
    code.includes(words.replaceAll('[removed]', String(value))),
  )
  return [
    ...(words.includes('[removed]') && !isWritten
      ? ['the verdict quotes a value of the configuration, which may be the credential']
      : []),
    ...(/^\s*[{[<]|<\/?[a-z][^>]*>/i.test(words)
      ? ['the verdict shows what the provider sent as it came, not words for people']
      : []),
  ]
}

/** Names of the fields of an auth type. */
export function fieldsOf(spec: Spec, authType: string): ReadonlySet<string> {
  const own = spec.auth_specification[authType]?.input_specification?.properties
  return new Set(Object.keys({ ...spec.other_inputs?.input_specification?.properties, ...own }))
}

const CODES: Readonly<Record<Exclude<Outcome, 'good'>, Code>> = {
  bad: 'invalid_credentials',
  insufficient: 'insufficient_scope',
  limited: 'rate_limited',
  away: 'provider_unreachable',
  elsewhere: 'wrong_host',
}
