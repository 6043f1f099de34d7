import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Connected, Fact } from '../../spec/facts.ts'
import type { SignInFixture } from '../fixtures.ts'
import type { TestResult, TestRun } from '../test-run.ts'
import { simulateSignIn } from './fake-sign-in.ts'
import type { SignInTokens } from './parse-token-response.ts'
import { readSignIn } from './read-sign-in.ts'
import { CLIENT, createSignInClient } from './sign-in-client.ts'
import { runCheck, runCommand, type SignInRun, serveApi } from './sign-in-run.ts'
import { pick, splitConfig } from './split-config.ts'
import { DEFAULT_TOKEN_RESPONSE } from './token-response.ts'

/**
 * Tests sign-in of one auth type against a fake of its provider, over HTTP: granted, denied, expired, rotated, revoked.
 * Empty for an auth type without sign-in.
 */
export async function runSignInTest(testRun: TestRun): Promise<TestResult[]> {
  const signIn = readSignIn(testRun.spec, testRun.authType)
  if (signIn === undefined) return []
  const { userValues, responseParams, callback } = splitConfig(testRun, signIn)
  const documented: SignInFixture = {
    callback,
    good: { ...DEFAULT_TOKEN_RESPONSE, ...responseParams },
    ...testRun.fixture.signIn,
  }
  const { good, refreshed } = testRun.fixture.signIn ?? {}
  const fake = simulateSignIn(
    signIn,
    documented,
    { ...userValues, ...responseParams, ...callback, client_id: CLIENT.id },
    good !== undefined || refreshed !== undefined,
  )
  const run: SignInRun = {
    testRun,
    signIn,
    documented,
    fake,
    userValues,
    // Values from sign-in may be part of URLs that are requested later.
    client: createSignInClient(testRun.sandbox, signIn, {
      ...responseParams,
      ...callback,
      ...userValues,
    }),
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

/** Errors; a string is the reason why it cannot be tested. */
type Step = (run: SignInRun) => Promise<string[] | string>

const STEPS: readonly (readonly [string, Step])[] = [
  ['signs in', signIn],
  ['reports a denial', denyConsent],
  ['refreshes expired tokens', expireAccessToken],
  ['stores the current refresh token', useRotatedRefreshToken],
  ['revokes the tokens of a deleted account', revokeTokens],
]

/** A wrong spec agrees with itself, so only the provider's documentation can show that it is wrong. */
function undocumentedResult({ authType }: TestRun): TestResult {
  const title = `${authType}: signs in as the provider documents`
  return {
    title,
    errors: [],
    skipReason: 'The fixtures lack signIn, so the spec is tested against itself.',
  }
}

async function runStep(run: SignInRun, step: Step): Promise<Omit<TestResult, 'title'>> {
  const before = run.fake.errors.length
  const { sandbox } = run.testRun
  run.apiFakes = []
  serveApi(run)
  const requestErrors = () => [
    ...run.fake.errors.slice(before),
    ...run.apiFakes.flatMap(({ errors }) => errors),
    ...sandbox.blockedHosts.map((host) => `requested ${host}, which x-hosts lacks`),
  ]
  try {
    const errors = await step(run)
    if (typeof errors === 'string') return { errors: [], skipReason: errors }
    return { errors: [...new Set([...requestErrors(), ...errors])] }
  } catch (error) {
    return { errors: [...new Set([...requestErrors(), (error as Error).message])] }
  }
}

async function signIn(run: SignInRun): Promise<string[]> {
  const { testRun, client, documented } = run
  const verifier = randomUUID() + randomUUID()
  const callbackParams = await authorize(run, verifier)
  const code = callbackParams.get(run.signIn.paramNames.code ?? 'code') ?? ''
  const signedIn = await exchangeFirst(run, await client.exchange(code, verifier))
  const callbackValues = pick(Object.fromEntries(callbackParams), run.signIn.callbackParams)
  run.tokens = { ...signedIn, responseParams: { ...callbackValues, ...signedIn.responseParams } }
  const { identity } = testRun.fixture
  const checked = await runCheck(run, 'good')
  if (testRun.fixture.connected !== undefined) await connect(run)
  const identityResult = identity && (await runCommand(run, 'IDENTITY'))
  const isDifferent = identity !== undefined && !isDeepStrictEqual(identityResult, identity)
  const lacksRefresh = documented.offline !== undefined && signedIn.refresh_token === undefined
  return [
    ...checked,
    ...(isDifferent ? [`IDENTITY is ${JSON.stringify(identityResult)}`] : []),
    ...(lacksRefresh
      ? [
          `no refresh token was issued: add ${JSON.stringify(documented.offline)} to the authorization request`,
        ]
      : []),
  ]
}

/** As Linchpin does after a sign-in: what lives longer replaces the first token. */
async function exchangeFirst(
  { client, signIn }: SignInRun,
  issued: SignInTokens,
): Promise<SignInTokens> {
  if (signIn.exchange === undefined || issued.refresh_token !== undefined) return issued
  const exchanged = await client.exchangeToken(issued.access_token, 'first')
  const responseParams = { ...issued.responseParams, ...exchanged.responseParams }
  return { ...issued, ...exchanged, responseParams }
}

/** As Linchpin does after CHECK: the facts of the connection are known from then on. */
async function connect(run: SignInRun): Promise<void> {
  const { facts = {}, choices = {} } = (await runCommand(run, 'CONNECTED')) as Connected
  const chosen = Object.entries(choices).map(([name, [first]]) => [name, first])
  const found: [string, Fact | undefined][] = [...Object.entries(facts), ...(chosen as [])]
  const values = Object.fromEntries(found.map(([name, fact]) => [name, fact?.value ?? '']))
  const { tokens } = run
  if (tokens === undefined) return
  run.tokens = { ...tokens, responseParams: { ...tokens.responseParams, ...values } }
}

async function denyConsent(run: SignInRun): Promise<string[]> {
  run.fake.deny()
  const callbackParams = await authorize(run, randomUUID())
  return callbackParams.get('error') === 'access_denied' && !callbackParams.has('code')
    ? []
    : ['the denial was not reported']
}

async function expireAccessToken(run: SignInRun): Promise<string[] | string> {
  // A token that has expired cannot be exchanged.
  if (run.signIn.exchange !== undefined) return exchangeToken(run)
  run.fake.expire()
  const before = await runCheck(run, run.fake.isRefreshedByBundle ? 'good' : 'bad')
  const after = await refreshTokens(run)
  return typeof after === 'string' ? after : [...before, ...after]
}

async function exchangeToken(run: SignInRun): Promise<string[] | string> {
  const { client, tokens } = run
  if (tokens === undefined || tokens.refresh_token !== undefined) return refreshTokens(run)
  const { responseParams, ...exchanged } = await client.exchangeToken(tokens.access_token, 'next')
  run.tokens = {
    ...tokens,
    ...exchanged,
    responseParams: { ...tokens.responseParams, ...responseParams },
  }
  return runCheck(run, 'good')
}

async function useRotatedRefreshToken(run: SignInRun): Promise<string[] | string> {
  run.fake.expire()
  return refreshTokens(run)
}

/** Linchpin's own refresh, and the result of CHECK afterwards. */
async function refreshTokens(run: SignInRun): Promise<string[] | string> {
  const { client, tokens: signInTokens, fake } = run
  if (signInTokens?.refresh_token === undefined) return 'Sign-in returns no refresh token.'
  if (!fake.isRefreshable(signInTokens.refresh_token)) return [REFRESH_TOKEN_USED]
  const { responseParams, ...tokens } = await client.refresh(signInTokens.refresh_token)
  run.tokens = {
    ...signInTokens,
    ...tokens,
    responseParams: { ...signInTokens.responseParams, ...responseParams },
  }
  return runCheck(run, 'good')
}

async function revokeTokens(run: SignInRun): Promise<string[] | string> {
  const { client, tokens: signInTokens, signIn, documented, fake } = run
  if (signIn.revocation.length === 0) {
    const [revocation] = [documented.revocation ?? []].flat()
    if (revocation === undefined) return 'It has no revocation.'
    return typeof revocation === 'string'
      ? [`the provider has the revocation endpoint ${revocation}: set revocationUrl`]
      : [`the provider has the revocation ${revocation.endpoint}: set revocation`]
  }
  const { access_token, refresh_token } = signInTokens ?? {}
  await client.revoke({ access_token, refresh_token })
  const isRevoked = !fake.isActive(signInTokens?.access_token ?? '')
  if (!isRevoked) return ['the token is still valid']
  // Without a refresh token, a bundle that refreshes itself may send a request with none at all.
  return fake.isRefreshedByBundle ? [] : runCheck(run, 'bad')
}

const REFRESH_TOKEN_USED =
  'the bundle refreshes tokens itself, and HEADERS does not return its refresh-token: use access_token instead'

/** The parameters of the provider's redirect. */
async function authorize(
  { client, testRun }: SignInRun,
  verifier: string,
): Promise<URLSearchParams> {
  const state = randomUUID()
  const { status, location } = await testRun.sandbox.request(
    await client.authorize(state, verifier),
  )
  if (location === undefined) throw new Error(`the authorization page returned ${status}`)
  const callbackParams = new URL(location).searchParams
  if (callbackParams.get('state') !== state) throw new Error('the redirect has no state')
  return callbackParams
}
