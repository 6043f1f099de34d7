import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Catalogue, createFindDeclared, loadCatalogue } from '@linchpin/catalogue'
import {
  loadProviders,
  type Provider,
  type ProviderMethod,
  type RunningEmulator,
  startEmulator,
} from '@linchpin/emulator'
import { fixturesPath, loadFixtures, sampleConfig } from '@linchpin/kit/testing'
import type { Spec } from '@linchpin/runner/protocol'
import type { PageTestContext } from '../../src/connect/connect-page/test/page-test-context.ts'
import {
  BASE_URL,
  type Browser,
  type BrowserResponse,
  newBrowser,
} from '../../src/connect/oauth-flow/test/browser.ts'
import type { AnyBody } from '../any-body.ts'
import { registerOAuthApp } from '../register-oauth-app.ts'
import { expectOk, testContext } from '../test-context.ts'

/** A service whose requests to providers go to an emulator of all of them. */
export interface LifeCycleContext extends PageTestContext {
  readonly catalogue: Catalogue
  readonly emulator: RunningEmulator
  readonly providers: readonly Provider[]
  /** How far the time of both is ahead. */
  readonly clock: { aheadMs: number }
  /** The public URL of the service. */
  readonly url: string
}

/** @param hasAddress whether pages lead to the address where the service listens, for a browser */
export async function startLifeCycles({ hasAddress = false } = {}): Promise<LifeCycleContext> {
  let url = BASE_URL
  const catalogue = await loadCatalogue()
  const providers = await loadProviders()
  const clock = { aheadMs: 0 }
  const now = () => Date.now() + clock.aheadMs
  const emulator = await startEmulator({ providers, now, consent: 'allow', port: 0 })
  const context = await testContext({
    pages: true,
    now,
    baseUrl: () => url,
    catalogue,
    findDeclared: createFindDeclared(catalogue),
    emulator: new URL(emulator.origin),
  })
  const { port } = context.app.server.address() as AddressInfo
  if (hasAddress) url = `http://localhost:${port}`
  const { close } = context
  expectOk(
    await context.call('POST', `/v1/workspace/${context.workspaceId}`, {
      body: { allowedRedirectURLs: [RETURN_URL] },
    }),
  )
  return Object.assign(context, {
    catalogue,
    emulator,
    providers,
    clock,
    url,
    async close() {
      await close()
      await emulator.close()
    },
  })
}

const RETURN_URL = 'https://app.example.com/connected'

/** One authentication method of an integration. */
export interface LifeCycleCase {
  readonly key: string
  readonly authType: string
  readonly spec: Spec
  readonly definitionId: string
  /** Values of fields for which no generated one is suitable. */
  readonly config?: Readonly<Record<string, unknown>> | undefined
  /** What the provider documents of the connected user. */
  readonly identity?: object | undefined
  /** Whether the provider's response to credentials that were revoked says so. Bitly's is the one for missing permissions. */
  readonly saysRevoked: boolean
  /** The facts of the connection, with the first of each choice. */
  readonly facts: object
  /** The facts among which a customer chooses. */
  readonly choices?: Readonly<Record<string, readonly { readonly value: string }[]>> | undefined
}

/**
 * Connects an account, uses it, lets its credentials expire or be revoked, connects it again and deletes it, each through the API.
 *
 * @throws AssertionError when the integration and the provider's documents differ
 */
export async function runLifeCycle(t: LifeCycleContext, one: LifeCycleCase): Promise<void> {
  const method = t.providers.find(({ key }) => key === one.key)?.methods[one.authType]
  assert.ok(method, `the emulator has no ${one.key}, ${one.authType}`)
  t.emulator.control.reset()
  if (method.signIn === undefined) await runWithCredentials(t, one)
  else await runWithSignIn(t, one, method)
  const deviating = t.emulator.control.requests.filter(({ deviations }) => deviations.length > 0)
  assert.deepEqual(deviating, [])
}

async function runWithCredentials(t: LifeCycleContext, one: LifeCycleCase): Promise<void> {
  const { control } = t.emulator
  const config = createConfig(one)
  const id = await submitForm(t, one, config)
  await expectUsable(t, one, id)
  await expectTemporary(t, one, id)
  for (const value of Object.values(config)) control.revoke(String(value))
  control.endGrants(one.key)
  assert.equal(await recheck(t, id), one.saysRevoked ? 'needs_reauth' : 'active')
  control.restore()
  expectOk(await t.call('POST', accountPath(id), { body: { config } }))
  await expectUsable(t, one, id)
  await expectDeleted(t, id)
}

const CLIENT = { clientId: 'client', clientSecret: 'a-secret-of-the-client' }

/** Longer than any access token is valid, and shorter than a refresh token. */
const ONE_YEAR_MS = 360 * 24 * 3_600_000

async function runWithSignIn(
  t: LifeCycleContext,
  one: LifeCycleCase,
  method: ProviderMethod,
): Promise<void> {
  const { control } = t.emulator
  const { scopes = [], namesRedirects = false } = method.signIn ?? {}
  const app = await registerOAuthApp(t, {
    integrationDefinitionId: one.definitionId,
    ...CLIENT,
    clientId: `${CLIENT.clientId}-${one.key}`,
    // A second one, so that what is between them counts.
    ...(scopes.length > 0 && { scopes: [...scopes, 'another_scope'] }),
    ...(namesRedirects && { redirectName: 'Acme-name-of-the-redirect' }),
  })
  const id = await signIn(t, one, {})
  await expectUsable(t, one, id)
  const hasRotated = await runExpiry(t, one, id, method)
  // The reuse of a refresh token has ended the grant.
  if (!hasRotated) control.endGrants(one.key)
  await request(t, one, id)
  assert.equal(await recheck(t, id), one.saysRevoked ? 'needs_reauth' : 'active')
  assert.equal(await signIn(t, one, { integrationAccountId: id }), id)
  await expectUsable(t, one, id)
  await expectTemporary(t, one, id)
  await expectDeleted(t, id)
  if (method.signIn?.revocations.length) expectRevoked(t, one)
  expectOk(await t.call('DELETE', `/v1/integration_oauth/${app.integrationOAuthAppId}`))
}

/** Lets the access token expire. Resolves to whether another refresh token has replaced the first. */
async function runExpiry(
  t: LifeCycleContext,
  one: LifeCycleCase,
  id: string,
  method: ProviderMethod,
): Promise<boolean> {
  if (method.signIn?.exchanges !== undefined) {
    await expectExchanged(t, one, id, method)
    return false
  }
  const first = await readTokens(t, id)
  // Before its time if the provider's answer says so, and otherwise by the clock.
  const hasLifetime = readLifetime(method.signIn?.good) !== undefined
  if (method.bad.status !== 401 && hasLifetime) t.clock.aheadMs += ONE_YEAR_MS
  else t.emulator.control.expire(one.key)
  const isRefreshed = (await request(t, one, id)) === true
  assert.equal(isRefreshed, first.refreshToken !== undefined, 'an expired token is refreshed')
  if (isRefreshed) await expectRefreshed(t, one, id, method, first)
  return isRefreshed && (await readTokens(t, id)).refreshToken !== first.refreshToken
}

/** In seconds. */
function readLifetime(tokenResponse: unknown): number | undefined {
  const [, seconds] = /"expires_in":"?([1-9]\d*)/.exec(JSON.stringify(tokenResponse)) ?? []
  return seconds === undefined ? undefined : Number(seconds)
}

/** Providers exchange no token that has expired, so the exchange is before that, and the next one as well. */
async function expectExchanged(
  t: LifeCycleContext,
  one: LifeCycleCase,
  id: string,
  { signIn }: ProviderMethod,
): Promise<void> {
  const lifetime = readLifetime(signIn?.refreshed)
  assert.ok(lifetime, 'the documents say how long a token lives that was exchanged')
  const first = await readTokens(t, id)
  assert.equal(first.refreshToken, undefined)
  t.clock.aheadMs += (lifetime - 30) * 1_000
  assert.equal(await request(t, one, id), true, 'a token is exchanged before it expires')
  const second = await readTokens(t, id)
  assert.notEqual(second.accessToken, first.accessToken)
  t.clock.aheadMs += (lifetime - 30) * 1_000
  assert.equal(await request(t, one, id), true, 'the new token is exchanged, too')
  assert.notEqual((await readTokens(t, id)).accessToken, second.accessToken)
  const exchanges = t.emulator.control.requests
    .filter(({ kind }) => kind === 'token' || kind === 'exchange')
    .map(({ kind, url, status }) => [kind, url, status])
  const { first: of, next } = signIn?.exchanges ?? {}
  assert.deepEqual(exchanges, [
    ['token', signIn?.token, 200],
    ['exchange', of?.url, 200],
    ['exchange', next?.url, 200],
    ['exchange', next?.url, 200],
  ])
}

/** What a new customer enters. */
function createConfig({ spec, authType, config }: LifeCycleCase): Record<string, unknown> {
  const fields = {
    ...spec.other_inputs?.input_specification?.properties,
    ...spec.auth_specification[authType]?.input_specification?.properties,
  }
  const all = sampleConfig(spec, authType, config)
  return Object.fromEntries(Object.entries(all).filter(([name]) => Object.hasOwn(fields, name)))
}

function presetFacts({ choices = {} }: LifeCycleCase): Record<string, unknown> {
  return Object.fromEntries(Object.entries(choices).map(([name, [first]]) => [name, first?.value]))
}

/** Submits the form of the connect page, with which customers enter credentials. Resolves to the account. */
async function submitForm(
  t: LifeCycleContext,
  { definitionId, authType, choices = {} }: LifeCycleCase,
  config: Readonly<Record<string, unknown>>,
): Promise<string> {
  const visitor = t.visitor()
  const path = await t.link({ integrationDefinitionId: definitionId })
  const form = await visitor.get(`${path}?${new URLSearchParams({ auth: authType })}`)
  const fields = Object.fromEntries(
    Object.entries(config).map(([name, value]) => [`field.${name}`, `${value}`]),
  )
  const asked = await visitor.submit(form, fields)
  const facts = Object.entries(choices).map(([name, [first]]) => [
    `field.${name}`,
    first?.value ?? '',
  ])
  const end =
    asked.status === 422 && facts.length > 0
      ? await visitor.submit(asked, { ...fields, ...Object.fromEntries(facts) })
      : asked
  assert.equal(
    end.status,
    303,
    end.plain.replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/g, ' ').replace(/\s+/g, ' '),
  )
  const linkId = path.slice('/link/'.length)
  const [account] = expectOk(await t.call('GET', `/v1/integration_account?linkId=${linkId}`))
  return String(account?.integrationAccountId)
}

/** Signs in with the page of the emulator, and selects facts of the connection. Resolves to the account. */
async function signIn(
  t: LifeCycleContext,
  one: LifeCycleCase,
  body: Record<string, unknown>,
): Promise<string> {
  const isReconnect = body.integrationAccountId !== undefined
  const browser = newBrowser(t.app)
  const started = expectOk(
    await t.call('POST', '/v1/oauth', {
      body: {
        ...(!isReconnect && {
          integrationDefinitionId: one.definitionId,
          integrationAccountName: 'Life cycle',
          authType: one.authType,
          config: createConfig(one),
        }),
        redirectURL: RETURN_URL,
        confirm: false,
        ...body,
      },
    }),
  )
  const authorizationUrl = await browser.begin(started.redirectURL)
  assert.ok(authorizationUrl.startsWith(`${t.emulator.origin}/_hosts/`), authorizationUrl)
  const consent = await browser.get(authorizationUrl)
  assert.equal(consent.status, 302, consent.text)
  const end = await answerFacts(browser, one, await browser.get(consent.location ?? ''))
  const params = new URL(end.location ?? 'none:').searchParams
  assert.equal(params.get('success'), 'true', `${end.location} ${end.text}`)
  return params.get('integrationAccountId') ?? ''
}

async function answerFacts(
  browser: Browser,
  one: LifeCycleCase,
  callback: BrowserResponse,
): Promise<BrowserResponse> {
  const { location = '' } = callback
  if (!/\/oauth\/finished\//.test(location)) return callback
  const facts = Object.entries(presetFacts(one)).map(([name, value]) => [
    `fact.${name}`,
    `${value}`,
  ])
  return browser.post(location, Object.fromEntries(facts))
}

async function expectUsable(t: LifeCycleContext, one: LifeCycleCase, id: string): Promise<void> {
  const account = expectOk(await t.call('GET', accountPath(id)))
  assert.equal(account.status, 'active', JSON.stringify(account))
  assert.deepEqual(account.facts, one.facts)
  if (one.identity !== undefined) {
    const { id: expected, label } = one.identity as AnyBody
    assert.deepEqual(
      { id: account.identity?.id, label: account.identity?.label },
      { id: expected, label },
    )
  }
  assert.equal(await request(t, one, id), true)
}

/** Sends the documented request as the account. Resolves to whether the response is the documented one, or what it is instead. */
async function request(
  t: LifeCycleContext,
  one: LifeCycleCase,
  id: string,
): Promise<true | string> {
  const provider = t.providers.find(({ key }) => key === one.key)
  const [endpoint] = provider?.methods[one.authType]?.endpoints ?? []
  assert.ok(endpoint)
  const url = new URL(endpoint.example)
  for (const [name, value] of Object.entries(endpoint.query)) url.searchParams.set(name, value)
  const { status, text } = await t.call(endpoint.method, `${accountPath(id)}/proxy/${url.href}`, {
    ...(endpoint.method === 'POST' && { body: {} }),
  })
  return text === JSON.stringify(endpoint.good.body) || `${status} ${text}`
}

/** Failures for other reasons than the credentials do not change the account. */
async function expectTemporary(t: LifeCycleContext, { key }: LifeCycleCase, id: string) {
  for (const status of [429, 503]) {
    t.emulator.control.next({ key, status, times: 10 })
    assert.equal(await recheck(t, id), 'active', `after ${status}`)
    t.emulator.control.cancel()
  }
}

async function recheck(t: LifeCycleContext, id: string): Promise<string> {
  // The first rejection of a check changes no status.
  for (let count = 0; count < 2; count += 1) {
    // An account is checked at most once in 10 seconds.
    t.clock.aheadMs += 11_000
    await t.call('POST', `${accountPath(id)}/check`)
  }
  return expectOk(await t.call('GET', accountPath(id))).status
}

interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
}

async function readTokens(t: LifeCycleContext, id: string): Promise<Tokens> {
  const { config } = expectOk(await t.call('GET', `${accountPath(id)}/credentials`))
  return { accessToken: config.access_token, refreshToken: config.refresh_token }
}

/** A refresh token that has been replaced ends the grant when it is used again. */
async function expectRefreshed(
  t: LifeCycleContext,
  { key, authType }: LifeCycleCase,
  id: string,
  method: ProviderMethod,
  before: Tokens,
): Promise<void> {
  const after = await readTokens(t, id)
  assert.notEqual(after.accessToken, before.accessToken)
  const refreshes = t.emulator.control.requests.filter(
    (each) => each.key === key && each.authType === authType && each.kind === 'token',
  )
  assert.equal(refreshes.length, 2)
  if (after.refreshToken === before.refreshToken) return
  const [, refresh] = refreshes
  const { status, error } = await reuse(
    t,
    key,
    method,
    refresh?.url ?? '',
    before.refreshToken ?? '',
  )
  assert.deepEqual([status, error], [400, 'invalid_grant'])
}

/** Sends a refresh token as someone who has stolen it with the client. */
async function reuse(
  t: LifeCycleContext,
  key: string,
  { signIn }: ProviderMethod,
  url: string,
  refreshToken: string,
): Promise<{ readonly status: number; readonly error: unknown }> {
  const clientId = `${CLIENT.clientId}-${key}`
  const isHeader = signIn?.client === 'header'
  const isJson = signIn?.body === 'json'
  const { client_id = 'client_id', client_secret = 'client_secret' } = signIn?.paramNames ?? {}
  const params = {
    grant_type: 'refresh_token',
    [signIn?.paramNames.refresh_token ?? 'refresh_token']: refreshToken,
    ...(!isHeader && { [client_id]: clientId, [client_secret]: CLIENT.clientSecret }),
    ...signIn?.refreshParams,
  }
  const basic = Buffer.from(`${clientId}:${CLIENT.clientSecret}`).toString('base64')
  const response = await fetch(url.replace('https://', `${t.emulator.origin}/_hosts/`), {
    method: 'POST',
    headers: {
      'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
      ...(isHeader && { authorization: `Basic ${basic}` }),
    },
    body: isJson ? JSON.stringify(params) : new URLSearchParams(params),
  })
  const { error } = (await response.json()) as AnyBody
  return { status: response.status, error }
}

async function expectDeleted(t: LifeCycleContext, id: string): Promise<void> {
  expectOk(await t.call('DELETE', accountPath(id)))
  assert.equal(expectOk(await t.call('GET', accountPath(id))).status, 'deleted')
}

function expectRevoked(t: LifeCycleContext, { key, authType }: LifeCycleCase): void {
  const revocations = t.emulator.control.requests.filter(({ kind }) => kind === 'revoke')
  assert.ok(revocations.length > 0, 'the grant is revoked at the provider')
  for (const each of revocations)
    assert.deepEqual([each.key, each.authType, each.status < 300], [key, authType, true])
}

function accountPath(id: string): string {
  return `/v1/integration_account/${id}`
}

/** Every authentication method of every integration of the catalogue. */
export async function listCases(): Promise<LifeCycleCase[]> {
  const { entries } = await loadCatalogue()
  const cases = entries
    .filter(({ key }) => key !== 'acme_sandbox' && key !== 'mcp_server')
    .map(async ({ key, versions }) => {
      const spec: Spec = JSON.parse(versions[0]?.spec ?? '{}')
      const fixtures = await loadFixtures(fixturesPath(`${ENTRIES}${key}.json`))
      return Object.keys(spec.auth_specification).map((authType): LifeCycleCase => {
        const { config, identity, connected, codes } = {
          ...fixtures,
          ...fixtures.types?.[authType],
        }
        return {
          key,
          authType,
          spec,
          definitionId: key,
          config,
          identity,
          choices: connected?.choices,
          facts: expectedFacts(connected),
          saysRevoked:
            codes === undefined || codes === 'none' || codes.bad !== 'insufficient_scope',
        }
      })
    })
  return (await Promise.all(cases)).flat()
}

/** As the API has them: without a label it is null. */
function expectedFacts({ facts = {}, choices = {} }: AnyBody = {}): object {
  const first = Object.entries(choices).map(([name, all]) => [name, (all as AnyBody)[0]])
  return Object.fromEntries(
    [...Object.entries(facts), ...first].map(([name, { value, label = null }]) => [
      name,
      { value, label },
    ]),
  )
}

const ENTRIES = fileURLToPath(new URL('../../../catalogue/entries/', import.meta.url))
