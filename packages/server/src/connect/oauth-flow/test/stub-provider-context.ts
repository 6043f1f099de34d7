import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import type { TestContext } from '../../../../test/base-context.ts'
import { expectOk } from '../../../../test/expect-response.ts'
import { countRows } from '../../../../test/read-database.ts'
import { registerOAuthApp } from '../../../../test/register-oauth-app.ts'
import type { AccountId } from '../../../accounts/accounts/account.ts'
import type { DefinitionId } from '../../../integrations/definitions/definition.ts'
import { BASE_URL, type Browser, type BrowserResponse, newBrowser } from './browser.ts'
import { CLIENT, createOidcBundle, RETURN_URL } from './oauth-test-context.ts'

/** The issuer that authorization responses of the stub must contain. */
export const ISSUER = 'https://issuer.example'

/**
 * A service with a stub provider whose responses are set by the test. Skips consent and calls the callback directly.
 */
export interface StubProviderContext extends TestContext {
  readonly definitionId: DefinitionId
  readonly appId: string
  readonly browser: Browser
  /** Bodies that the token endpoint received. Reset it with `length = 0`. */
  readonly tokenRequests: URLSearchParams[]
  /** Sets how the token endpoint responds. */
  respondToToken: (response: ServerResponse) => unknown
  start(body?: Record<string, unknown>, token?: string): Promise<string>
  /** Opens the consent page and submits it; returns the state. */
  begin(page: string, browser?: Browser): Promise<string>
  /** Calls the callback with these parameters. */
  callback(query: Record<string, string> | string, browser?: Browser): Promise<BrowserResponse>
  /** Runs the whole flow: start, consent, callback with a code. */
  completeFlow(body?: Record<string, unknown>): Promise<BrowserResponse>
  countAccounts(): Promise<number>
}

export interface StubProviderOptions {
  /** Fields of the spec. */
  readonly auth?: Record<string, unknown>
  /** The bundle. Default: that of `oidcBundle`. */
  readonly code?: (url: string, auth: Record<string, unknown>) => string
}

/** Adds the provider to the stub server of the context. */
export async function addStubProvider(
  context: TestContext,
  options: StubProviderOptions,
): Promise<StubProviderContext> {
  const tokenRequests: URLSearchParams[] = []
  const { url } = context.stubServer
  const auth = {
    authorization_url: `${url}/authorize`,
    token_url: `${url}/token`,
    'x-issuer': ISSUER,
    ...options.auth,
  }
  const code = (options.code ?? createOidcBundle)(url, auth)
  const definition = await context.createDefinition({ code, name: 'Stub' })
  const definitionId = definition.integrationDefinitionId
  const app = await registerOAuthApp(context, { integrationDefinitionId: definitionId, ...CLIENT })
  const settings = { body: { name: 'North', allowedRedirectURLs: [RETURN_URL] } }
  expectOk(await context.call('POST', `/v1/workspace/${context.workspaceId}`, settings))
  const browser = newBrowser(context.app)
  const additions: Omit<StubProviderContext, keyof TestContext> = {
    definitionId,
    appId: String(app.integrationOAuthAppId),
    browser,
    tokenRequests,
    respondToToken: respondWithJson(200, {
      access_token: 'at_1',
      refresh_token: 'rt_1',
      expires_in: 3600,
    }),
    async start(body = {}, token = context.token) {
      const startInput = {
        integrationDefinitionId: definitionId,
        integrationAccountName: 'An account',
        redirectURL: RETURN_URL,
        confirm: false,
        ...body,
      }
      return expectOk(await context.call('POST', '/v1/oauth', { body: startInput, token }))
        .redirectURL
    },
    async begin(page, currentBrowser = browser) {
      const state = new URL(await currentBrowser.begin(page)).searchParams.get('state')
      assert.match(state ?? '', /^[\w-]{43}$/)
      return state ?? ''
    },
    callback: (query, currentBrowser = browser) =>
      currentBrowser.get(`${BASE_URL}/api/v1/oauth/callback?${new URLSearchParams(query)}`),
    async completeFlow(body) {
      const state = await t.begin(await t.start(body))
      return t.callback({ state, code: 'a-code', iss: ISSUER })
    },
    countAccounts: () => countRows(context, 'accounts'),
  }
  const t = Object.assign(context, additions)
  context.stubServer.serve('/token', async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    tokenRequests.push(new URLSearchParams(Buffer.concat(chunks).toString()))
    await t.respondToToken(response)
  })
  context.stubServer.serve('/me', (request, response) => {
    const isKnownToken = request.headers.authorization !== 'Bearer refused'
    response.writeHead(isKnownToken ? 200 : 401).end(JSON.stringify({ sub: 'alice' }))
  })
  return t
}

/** A token endpoint that responds with this JSON. */
export function respondWithJson(
  status: number,
  body: unknown,
): (response: ServerResponse) => unknown {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Query parameters by name; `integrationAccountId` only after a successful sign-in. */
type ReturnParams = Record<string, string> & { readonly integrationAccountId: AccountId }

/** The query parameters that the host application receives at `redirectURL`. */
export function getReturnParams(response: BrowserResponse): ReturnParams {
  assert.equal(response.status, 303, response.text)
  assert.ok(response.location?.startsWith(RETURN_URL), response.location)
  return Object.fromEntries(new URL(response.location ?? '').searchParams) as ReturnParams
}

/** Asserts that a response is an HTML page of this status with all security headers. */
export function expectPage(response: BrowserResponse, status: number): void {
  assert.equal(response.status, status, response.text)
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(response.text, /^<!doctype html>/)
  const policy = response.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe|script-src (?!'nonce-[\w-]{22}';)/)
  assert.equal(response.headers.get('referrer-policy'), 'no-referrer')
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.equal(response.headers.get('cross-origin-opener-policy'), 'same-origin-allow-popups')
  const nonce = /script-src 'nonce-([\w-]+)'/.exec(policy)?.[1]
  assert.doesNotMatch(response.text.replace(`<script nonce="${nonce}">`, ''), /<script| on\w+=/i)
}
