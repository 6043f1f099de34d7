import type { CheckResult } from '../../spec/check-rules.ts'
import { createFakeEndpoints, type FakeEndpoints } from '../fake-endpoints.ts'
import type { SignInFixture } from '../fixtures.ts'
import { type TestRun, validateCheckResult } from '../test-run.ts'
import type { FakeSignIn } from './fake-sign-in.ts'
import type { SignInTokens } from './parse-token-response.ts'
import type { SignIn } from './read-sign-in.ts'
import { CLIENT, type SignInClient } from './sign-in-client.ts'

/** A sign-in in progress. */
export interface SignInRun {
  readonly testRun: TestRun
  readonly signIn: SignIn
  readonly documented: SignInFixture
  readonly fake: FakeSignIn
  readonly userValues: Readonly<Record<string, unknown>>
  readonly client: SignInClient
  /** The result of the last code exchange or refresh. */
  tokens: SignInTokens | undefined
  /** The recorded requests to the provider's API since the step started. */
  apiFakes: FakeEndpoints[]
}

/**
 * Errors in the result of CHECK with the values from sign-in. As in Linchpin, HEADERS runs before: if it returns
 * another refresh token, that one is stored and proves that the credentials work.
 */
export async function runCheck(signInRun: SignInRun, outcome: 'good' | 'bad'): Promise<string[]> {
  if (await refreshViaHeaders(signInRun))
    return outcome === 'good' ? [] : ['HEADERS returned new tokens']
  const checkResult = (await runCommand(signInRun, 'CHECK')) as CheckResult
  return validateCheckResult(signInRun.testRun, outcome, checkResult)
}

async function refreshViaHeaders(signInRun: SignInRun): Promise<boolean> {
  const { tokens } = signInRun
  if (tokens?.refresh_token === undefined) return false
  // If HEADERS fails, CHECK will report it.
  const headersResult = await runCommand(signInRun, 'HEADERS').catch(() => ({}))
  const headers = new Headers(headersResult as Record<string, string>)
  const refresh_token = headers.get('refresh-token') ?? ''
  if (refresh_token === '' || refresh_token === tokens.refresh_token) return false
  const [, access_token = tokens.access_token] =
    /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '') ?? []
  signInRun.tokens = { ...tokens, refresh_token, access_token }
  return true
}

/** Runs a command with the values from sign-in. */
export async function runCommand(
  signInRun: SignInRun,
  command: 'CHECK' | 'CONNECTED' | 'HEADERS' | 'IDENTITY',
): Promise<unknown> {
  const { sandbox, code, spec, authType } = signInRun.testRun
  serveApi(signInRun)
  const { responseParams, ...tokens } = signInRun.tokens ?? { responseParams: {} }
  const client = { client_id: CLIENT.id, client_secret: CLIENT.secret }
  const config = { ...responseParams, ...signInRun.userValues, ...tokens, ...client, authType }
  signInRun.fake.setBundleActive(true)
  try {
    return await sandbox.run({ code, command, config, hosts: spec['x-hosts'] })
  } finally {
    signInRun.fake.setBundleActive(false)
  }
}

/** From now on the provider's API accepts the current token, or one that the bundle got instead, until it expires. */
export function serveApi(signInRun: SignInRun): void {
  const { testRun, fake, userValues, tokens } = signInRun
  const fakesByToken = new Map<string, FakeEndpoints>()
  const createApi = (token: string) => {
    const names = { secret: token, access_token: token }
    const values = { ...testRun.fixture.config, ...userValues, ...tokens?.responseParams, ...names }
    const api = createFakeEndpoints(testRun.fixture, fake.isActive(token) ? 'good' : 'bad', values)
    signInRun.apiFakes.push(api)
    fakesByToken.set(token, api)
    return api
  }
  const lastToken = tokens?.access_token ?? 'none'
  testRun.sandbox.provider.respondWith((request) => {
    const signInReply = fake.respond(request)
    if (signInReply !== undefined) return signInReply
    const { newest = lastToken } = fake
    const token = JSON.stringify([request.url.href, request.headers]).includes(newest)
      ? newest
      : lastToken
    return (fakesByToken.get(token) ?? createApi(token)).respond(request)
  })
}
