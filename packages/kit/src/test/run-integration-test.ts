import { isDeepStrictEqual } from 'node:util'
import type { Spec } from '@linchpin/runner/protocol'
import type { CheckResult } from '../spec/check-rules.ts'
import type { Outcome } from './fake-endpoints.ts'
import type { EndpointFixture, Fixtures } from './fixtures.ts'
import { isSameCredential, parseSends } from './request-encoding.ts'
import { sampleConfig } from './sample-config.ts'
import { runSignInTest } from './sign-in/run-sign-in-test.ts'
import {
  getFixtureValues,
  listFieldNames,
  runCommand,
  type TestResult,
  type TestRun,
  validateCheckResult,
} from './test-run.ts'
import type { TestSandbox } from './test-sandbox.ts'

export type { TestResult }

/** The result of SPEC in the sandbox. @throws Error when it is not a spec */
async function fetchSpec(sandbox: TestSandbox, code: string): Promise<Spec> {
  const spec = (await sandbox.run({ code, command: 'SPEC' })) as Spec | null
  if (typeof spec?.auth_specification === 'object') return spec
  throw new Error('SPEC returned no auth_specification.')
}

/** Tests a bundle in the sandbox against fake responses of its provider: each auth type, each outcome, and by default sign-ins. */
export async function runIntegrationTest(
  sandbox: TestSandbox,
  code: string,
  fixtures: Fixtures,
  { withSignIn = true } = {},
): Promise<TestResult[]> {
  const spec = await fetchSpec(sandbox, code)
  const results: TestResult[] = []
  for (const authType of Object.keys(spec.auth_specification)) {
    const fixture: EndpointFixture = { ...fixtures, ...fixtures.types?.[authType] }
    const sample = sampleConfig(spec, authType, fixture.config)
    const testRun: TestRun = {
      sandbox,
      code,
      spec,
      fixture,
      authType,
      config: sample,
    }
    const missingField = Object.entries(sample).find(([, value]) => value === undefined)
    if (missingField)
      throw new Error(`Add a value for ${missingField[0]} to config of the fixtures: ${authType}.`)
    const outcomes = hasConfigurableHost(spec, authType)
      ? [...OUTCOMES, 'elsewhere' as const]
      : OUTCOMES
    for (const outcome of outcomes) results.push(await testOutcome(testRun, outcome))
    results.push(await testHeaders(testRun), await testIdentity(testRun))
    results.push(...(await testConnected(testRun)))
    if (withSignIn) results.push(...(await runSignInTest(testRun)))
  }
  return results
}

const OUTCOMES: readonly Outcome[] = ['good', 'bad', 'insufficient', 'limited', 'away']
const TITLES: Readonly<Record<Outcome, string>> = {
  good: 'accepts good credentials',
  bad: 'rejects bad credentials',
  insufficient: 'reports insufficient permissions',
  limited: 'reports rate limiting',
  away: 'reports an unavailable provider',
  elsewhere: 'reports a wrong address',
}
/** Whether a field contains the address of the provider. */
function hasConfigurableHost(spec: Spec, authType: string): boolean {
  const auth: Readonly<Record<string, unknown>> = { ...spec.auth_specification[authType] }
  const named = String(auth.api_base_url).matchAll(/\$\{([\w.-]+)\}/g)
  const fields = listFieldNames(spec, authType)
  return [...named].some(([, name = '']) => fields.has(name))
}

async function testOutcome(testRun: TestRun, outcome: Outcome): Promise<TestResult> {
  const title = `${testRun.authType}: ${TITLES[outcome]}`
  const configuredReply =
    outcome === 'insufficient' || outcome === 'limited' ? testRun.fixture[outcome] : undefined
  if (configuredReply && 'notApplicable' in configuredReply)
    return { title, errors: [], skipReason: configuredReply.notApplicable }
  return runCommand(testRun, title, 'CHECK', outcome, (value) =>
    validateCheckResult(testRun, outcome, value as CheckResult),
  )
}

function testHeaders(testRun: TestRun): Promise<TestResult> {
  const title = `${testRun.authType}: returns the headers of a request`
  return runCommand(testRun, title, 'HEADERS', 'good', (value) => {
    const headers = new Headers(value as Record<string, string>)
    return parseSends(testRun.fixture.sends, getFixtureValues(testRun))
      .filter(
        ({ location, name, value }) =>
          location === 'header' && !isSameCredential(headers.get(name) ?? '', value),
      )
      .map(({ name }) => `HEADERS does not return the expected ${name}`)
  })
}

async function testIdentity(testRun: TestRun): Promise<TestResult> {
  const title = `${testRun.authType}: identifies the user`
  const { identity } = testRun.fixture
  if (identity === undefined) {
    const identityResult = await testRun.sandbox
      .run({ code: testRun.code, command: 'IDENTITY', config: testRun.config })
      .catch((error: Error) => error.message)
    const isUnsupported = /\bcommand\b/i.test(
      typeof identityResult === 'string' ? identityResult : JSON.stringify(identityResult),
    )
    return {
      title,
      errors: isUnsupported ? [] : ['the fixtures lack identity'],
      ...(isUnsupported && { skipReason: 'It has no identity.' }),
    }
  }
  const result = await runCommand(testRun, title, 'IDENTITY', 'good', (value) =>
    isDeepStrictEqual(value, identity) ? [] : [`IDENTITY is ${JSON.stringify(value)}`],
  )
  return { title, errors: [...result.errors, ...(await identityErrorsForBadCredentials(testRun))] }
}

async function testConnected(testRun: TestRun): Promise<readonly TestResult[]> {
  const { spec, authType, fixture } = testRun
  if (spec.auth_specification[authType]?.['x-facts'] === undefined) return []
  const title = `${authType}: finds the facts of the connection`
  const { connected } = fixture
  if (connected === undefined) return [{ title, errors: ['the fixtures lack connected'] }]
  const expected = { facts: {}, choices: {}, ...connected }
  const result = await runCommand(testRun, title, 'CONNECTED', 'good', (value) =>
    isDeepStrictEqual(value, expected) ? [] : [`CONNECTED is ${JSON.stringify(value)}`],
  )
  return [result]
}

/** Two accounts with rejected credentials would have the same identity. */
async function identityErrorsForBadCredentials(testRun: TestRun): Promise<readonly string[]> {
  let identity: unknown
  await runCommand(testRun, '', 'IDENTITY', 'bad', (value) => {
    identity = value
    return []
  })
  if (identity === undefined || testRun.sandbox.provider.requests.length === 0) return []
  return [`IDENTITY is ${JSON.stringify(identity)} for bad credentials: it should throw`]
}
