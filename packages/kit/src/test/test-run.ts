import type { Spec } from '@linchpin/runner/protocol'
import type { CheckResult, Code } from '../spec/check-rules.ts'
import { createFakeEndpoints, type FakeEndpoints, type Outcome, TOKEN } from './fake-endpoints.ts'
import type { EndpointFixture } from './fixtures.ts'
import { secretName } from './sample-config.ts'
import { simulateRefresh } from './sign-in/fake-refresh.ts'
import type { TestSandbox } from './test-sandbox.ts'

/** One tested behaviour of an integration, and the errors found. */
export interface TestResult {
  readonly title: string
  readonly errors: readonly string[]
  /** Why it cannot be tested with this provider. */
  readonly skipReason?: string
}

/** The dependencies of testing one auth type. */
export interface TestRun {
  readonly sandbox: TestSandbox
  readonly code: string
  readonly spec: Spec
  readonly fixture: EndpointFixture
  readonly authType: string
  readonly config: Readonly<Record<string, unknown>>
}

/** Runs one command against the provider with one outcome; returns errors in its result and in its requests. */
export async function runCommand(
  testRun: TestRun,
  title: string,
  command: 'CHECK' | 'CONNECTED' | 'HEADERS' | 'IDENTITY',
  outcome: Outcome,
  validate: (value: unknown) => string[],
): Promise<TestResult> {
  const { sandbox, code, spec, config, fixture } = testRun
  const fake = createFakeEndpoints(fixture, outcome, getFixtureValues(testRun))
  const fakeRefreshEndpoint = simulateRefresh(testRun)
  sandbox.provider.respondWith((request) => fakeRefreshEndpoint(request) ?? fake.respond(request))
  try {
    const value = await sandbox.run({ code, command, config, hosts: spec['x-hosts'] })
    return { title, errors: [...validate(value), ...requestErrors(sandbox, fake)] }
  } catch (error) {
    return { title, errors: [(error as Error).message, ...requestErrors(sandbox, fake)] }
  }
}

function requestErrors(sandbox: TestSandbox, fake: FakeEndpoints): string[] {
  return [
    ...new Set([
      ...fake.errors,
      ...sandbox.blockedHosts.map((host) => `requested ${host}, which x-hosts lacks`),
    ]),
  ]
}

/** With `secret` and `token` for the fixtures. */
export function getFixtureValues({ spec, authType, config }: TestRun): Record<string, unknown> {
  return { ...config, token: TOKEN, secret: config[secretName(spec, authType) ?? ''] }
}

/** Errors in a check result. */
export function validateCheckResult(
  testRun: TestRun,
  outcome: Outcome,
  checkResult: CheckResult,
): string[] {
  const { fixture, sandbox, spec, authType } = testRun
  const serialized = JSON.stringify(checkResult)
  if (sandbox.provider.requests.length === 0) return ['CHECK sent no request to the provider']
  if (outcome === 'good') return checkResult.status === true ? [] : [`CHECK is ${serialized}`]
  const { codes } = fixture
  const configuredCode = codes === 'none' || outcome === 'away' ? undefined : codes?.[outcome]
  const expectedCode = configuredCode ?? DEFAULT_CODES[outcome]
  const isTemporary = expectedCode === 'rate_limited' || expectedCode === 'provider_unreachable'
  const resultErrors = [
    ...(checkResult.code === expectedCode
      ? []
      : [`the code is ${checkResult.code}, not ${expectedCode}`]),
    ...(checkResult.field === undefined || listFieldNames(spec, authType).has(checkResult.field)
      ? []
      : [`the check result points to ${checkResult.field}, which is not a field`]),
    ...(isTemporary && checkResult.retryable !== true ? ['the check result is not retryable'] : []),
  ]
  return [
    ...(checkResult.status === false ? [] : [`CHECK is ${serialized}`]),
    ...(checkResult.error ? [] : ['the check result has no error message']),
    ...[checkResult.error, checkResult.hint].flatMap((text = '') =>
      findMessageErrors(testRun, text),
    ),
    ...(codes === 'none' ? [] : resultErrors),
  ]
}

/** The sandbox removes values of the configuration from texts for users. Sentences in the code may contain an example. */
function findMessageErrors({ code, config }: TestRun, text: string): string[] {
  const isLiteralInCode = Object.values(config).some((value) =>
    code.includes(text.replaceAll('[removed]', String(value))),
  )
  return [
    ...(text.includes('[removed]') && !isLiteralInCode
      ? ['the check result quotes a value of the configuration, which may be the credential']
      : []),
    ...(/^\s*[{[<]|<\/?[a-z][^>]*>/i.test(text)
      ? ['the check result contains the response body instead of a message for users']
      : []),
  ]
}

/** Names of the fields of an auth type. */
export function listFieldNames(spec: Spec, authType: string): ReadonlySet<string> {
  const ownFields = spec.auth_specification[authType]?.input_specification?.properties
  return new Set(
    Object.keys({ ...spec.other_inputs?.input_specification?.properties, ...ownFields }),
  )
}

const DEFAULT_CODES: Readonly<Record<Exclude<Outcome, 'good'>, Code>> = {
  bad: 'invalid_credentials',
  insufficient: 'insufficient_scope',
  limited: 'rate_limited',
  away: 'provider_unreachable',
  elsewhere: 'wrong_host',
}
