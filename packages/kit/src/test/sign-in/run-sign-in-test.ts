import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { SignInFixture } from '../fixtures.ts'
import type { TestResult, TestRun } from '../test-run.ts'
import { fakeSignIn } from './fake-sign-in.ts'
import { readSignIn } from './read-sign-in.ts'
import { CLIENT, createSignInClient } from './sign-in-client.ts'
import { runCheck, runCommand, type SignInRun, serveApi } from './sign-in-run.ts'
import { pick, splitConfig } from './split-config.ts'
import { DEFAULT_TOKEN_RESPONSE } from './token-response.ts'

/**
 * Walks sign-in of one auth type against a fake of its provider, over HTTP: let in, denied, expired, rotated, revoked.
 * Empty for an auth type without sign-in.
 */
export async function runSignInTest(testRun: TestRun): Promise<TestResult[]> {
  const signIn = readSignIn(testRun.spec, testRun.authType)
  if (signIn === undefined) return []
  const { userValues, facts, callback } = splitConfig(testRun, signIn)
  const documented: SignInFixture = {
    callback,
    good: { ...DEFAULT_TOKEN_RESPONSE, ...facts },
    ...testRun.fixture.signIn,
  }
  const { good, renewed } = testRun.fixture.signIn ?? {}
  const fake = fakeSignIn(
    signIn,
    documented,
    { ...userValues, ...facts, ...callback, client_id: CLIENT.id },
    good !== undefined || renewed !== undefined,
  )
  const run: SignInRun = {
    testRun,
    signIn,
    documented,
    fake,
    userValues,
    // What comes back with sign-in may stand in URLs that are asked later.
    client: createSignInClient(testRun.jail, signIn, { ...facts, ...callback, ...userValues }),
    tokens: undefined,
    apiFakes: [],
  }
  const results: TestResult[] =
    testRun.fixture.signIn === undefined ? [undocumentedResult(testRun)] : []
  for (const [title, step] of STEPS) {
    const result = await runStep(run, step)
    results.push({ title: `${testRun.authType}: ${title}`, ...result })
    if (run.tokens === undefined) break
  }
  return results
}

/** Faults; a text says why it cannot be tried. */
type Step = (run: SignInRun) => Promise<string[] | string>

const STEPS: readonly (readonly [string, Step])[] = [
  ['signs in', signIn],
  ['is told when the person says no', denyConsent],
  ['renews what has expired', expireAccessToken],
  ['keeps the refresh token that is valid now', useRotatedRefreshToken],
  ['revokes when an account is deleted', revokeTokens],
]

/** A spec that is wrong agrees with itself: only what the provider documents tells. */
function undocumentedResult({ authType }: TestRun): TestResult {
  const title = `${authType}: signs in as the provider documents`
  return { title, errors: [], never: 'The fixtures lack signIn, so what the spec says is walked.' }
}

async function runStep(run: SignInRun, step: Step): Promise<Omit<TestResult, 'title'>> {
  const before = run.fake.errors.length
  const { jail } = run.testRun
  run.apiFakes = []
  serveApi(run)
  const requestErrors = () => [
    ...run.fake.errors.slice(before),
    ...run.apiFakes.flatMap(({ errors }) => errors),
    ...jail.blockedHosts.map((host) => `asked ${host}, which x-hosts lacks`),
  ]
  try {
    const errors = await step(run)
    if (typeof errors === 'string') return { errors: [], never: errors }
    return { errors: [...new Set([...requestErrors(), ...errors])] }
  } catch (error) {
    return { errors: [...new Set([...requestErrors(), (error as Error).message])] }
  }
}

async function signIn(run: SignInRun): Promise<string[]> {
  const { testRun, client, documented } = run
  const verifier = randomUUID() + randomUUID()
  const callbackParams = await authorize(run, verifier)
  const signedIn = await client.exchange(callbackParams.get('code') ?? '', verifier)
  const callbackValues = pick(Object.fromEntries(callbackParams), run.signIn.callbackParams)
  run.tokens = { ...signedIn, facts: { ...callbackValues, ...signedIn.facts } }
  const { identity } = testRun.fixture
  const checked = await runCheck(run, 'good')
  const identityResult = identity && (await runCommand(run, 'IDENTITY'))
  const isDifferent = identity !== undefined && !isDeepStrictEqual(identityResult, identity)
  const lacksRefresh = documented.offline !== undefined && signedIn.refresh_token === undefined
  return [
    ...checked,
    ...(isDifferent ? [`IDENTITY is ${JSON.stringify(identityResult)}`] : []),
    ...(lacksRefresh
      ? [`no refresh token came: ask for ${JSON.stringify(documented.offline)} at consent`]
      : []),
  ]
}

async function denyConsent(run: SignInRun): Promise<string[]> {
  run.fake.deny()
  const callbackParams = await authorize(run, randomUUID())
  return callbackParams.get('error') === 'access_denied' && !callbackParams.has('code')
    ? []
    : ['nobody was told']
}

async function expireAccessToken(run: SignInRun): Promise<string[] | string> {
  run.fake.expire()
  const before = await runCheck(run, run.fake.isRefreshedByBundle ? 'good' : 'bad')
  const after = await refreshTokens(run)
  return typeof after === 'string' ? after : [...before, ...after]
}

async function useRotatedRefreshToken(run: SignInRun): Promise<string[] | string> {
  run.fake.expire()
  return refreshTokens(run)
}

/** Linchpin's own renewal, and what CHECK says then. */
async function refreshTokens(run: SignInRun): Promise<string[] | string> {
  const { client, tokens: signInTokens, fake } = run
  if (signInTokens?.refresh_token === undefined) return 'No refresh token comes with sign-in.'
  if (!fake.isRefreshable(signInTokens.refresh_token)) return [REFRESH_TOKEN_SPENT]
  const { facts, ...tokens } = await client.refresh(signInTokens.refresh_token)
  run.tokens = { ...signInTokens, ...tokens, facts: { ...signInTokens.facts, ...facts } }
  return runCheck(run, 'good')
}

async function revokeTokens(run: SignInRun): Promise<string[] | string> {
  const { client, tokens: signInTokens, signIn, documented, fake } = run
  if (signIn.revocationUrl === undefined) {
    const { revocation } = documented
    return revocation === undefined
      ? 'It names no URL for that.'
      : [`the provider revokes at ${revocation}: say revocationUrl`]
  }
  if (signInTokens?.refresh_token !== undefined)
    await client.revoke(signInTokens.refresh_token, 'refresh_token')
  await client.revoke(signInTokens?.access_token ?? '', 'access_token')
  const isRevoked = !fake.isActive(signInTokens?.access_token ?? '')
  if (!isRevoked) return ['the token is still alive']
  // Without tokens to renew, a bundle that renews may ask with none at all.
  return fake.isRefreshedByBundle ? [] : runCheck(run, 'bad')
}

const REFRESH_TOKEN_SPENT =
  'the bundle renews by itself and HEADERS does not tell its refresh-token: let it use access_token'

/** The answer that a person brings back from the provider. */
async function authorize(
  { client, testRun }: SignInRun,
  verifier: string,
): Promise<URLSearchParams> {
  const state = randomUUID()
  const { status, location } = await testRun.jail.request(await client.authorize(state, verifier))
  if (location === undefined) throw new Error(`the page for consent answered ${status}`)
  const callbackParams = new URL(location).searchParams
  if (callbackParams.get('state') !== state) throw new Error('the state did not come back')
  return callbackParams
}
