import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { countRows, fine, startWorld, type World } from '../../../test/fixtures.ts'
import { registerApp } from '../../../test/oauth-app-fixtures.ts'
import type { TestAppOptions } from '../../../test/test-app.ts'
import { BASE_URL, type Browser, newBrowser, type Visit } from './browser.ts'
import { CLIENT, HOME, oidcBundle } from './oauth-world.ts'

/** The issuer that the stub's answers must name. */
export const ISSUER = 'https://issuer.example'

/** A service beside a provider whose every answer a test decides; consent is skipped, the callback is called at once. */
export interface StubWorld extends World {
  readonly definitionId: string
  readonly appId: string
  readonly browser: Browser
  /** Bodies that the token endpoint got. Empty it with `length = 0`. */
  readonly tokenRequests: URLSearchParams[]
  /** How the token endpoint answers from now on. */
  answer: (response: ServerResponse) => unknown
  start(body?: Record<string, unknown>, token?: string): Promise<string>
  /** Opens the page and presses its button; answers the state. */
  begin(page: string, browser?: Browser): Promise<string>
  /** Comes back from the provider with these parameters. */
  back(query: Record<string, string> | string, browser?: Browser): Promise<Visit>
  /** Every way in one: start, begin, come back with a code. */
  through(body?: Record<string, unknown>): Promise<Visit>
  accounts(): Promise<number>
}

export interface StubOptions extends TestAppOptions {
  readonly auth?: Record<string, unknown>
  readonly code?: (url: string, auth: Record<string, unknown>) => string
}

export async function startStubWorld(options: StubOptions = {}): Promise<StubWorld> {
  const world = await startWorld(options)
  const tokenRequests: URLSearchParams[] = []
  const { url } = world.origin
  const auth = {
    authorization_url: `${url}/authorize`,
    token_url: `${url}/token`,
    'x-issuer': ISSUER,
    ...options.auth,
  }
  const code = (options.code ?? oidcBundle)(url, auth)
  const definition = await world.define({ code, name: 'Stub' })
  const definitionId = String(definition.integrationDefinitionId)
  const app = await registerApp(world, { integrationDefinitionId: definitionId, ...CLIENT })
  const settings = { body: { name: 'North', allowedRedirectURLs: [HOME] } }
  fine(await world.call('POST', `/v1/workspace/${world.workspaceId}`, settings))
  const browser = newBrowser(world.app)
  const t: StubWorld = {
    ...world,
    definitionId,
    appId: String(app.integrationOAuthAppId),
    browser,
    tokenRequests,
    answer: json(200, { access_token: 'at_1', refresh_token: 'rt_1', expires_in: 3600 }),
    async start(body = {}, token = world.token) {
      const given = {
        integrationDefinitionId: definitionId,
        integrationAccountName: 'An account',
        redirectURL: HOME,
        confirm: false,
        ...body,
      }
      return fine(await world.call('POST', '/v1/oauth', { body: given, token })).redirectURL
    },
    async begin(page, other = browser) {
      const state = new URL(await other.begin(page)).searchParams.get('state')
      assert.match(state ?? '', /^[\w-]{43}$/)
      return state ?? ''
    },
    back: (query, other = browser) =>
      other.get(`${BASE_URL}/api/v1/oauth/callback?${new URLSearchParams(query)}`),
    async through(body) {
      const state = await t.begin(await t.start(body))
      return t.back({ state, code: 'a-code', iss: ISSUER })
    },
    accounts: () => countRows(world, 'accounts'),
  }
  world.origin.serve('/token', async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    tokenRequests.push(new URLSearchParams(Buffer.concat(chunks).toString()))
    await t.answer(response)
  })
  world.origin.serve('/me', (request, response) => {
    const known = request.headers.authorization !== 'Bearer refused'
    response.writeHead(known ? 200 : 401).end(JSON.stringify({ sub: 'alice' }))
  })
  return t
}

/** A token endpoint that answers this JSON. */
export function json(status: number, body: unknown): (response: ServerResponse) => unknown {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** What came back at the host's URL. */
export function returned(visit: Visit): Record<string, string> {
  assert.equal(visit.status, 303, visit.text)
  assert.ok(visit.location?.startsWith(HOME), visit.location)
  return Object.fromEntries(new URL(visit.location ?? '').searchParams)
}

/** Holds an answer to be a page for people of this status, with every guard. */
export function isPage(visit: Visit, status: number): void {
  assert.equal(visit.status, status, visit.text)
  assert.equal(visit.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(visit.text, /^<!doctype html>/)
  const policy = visit.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe|script-src (?!'nonce-[\w-]{22}';)/)
  assert.equal(visit.headers.get('referrer-policy'), 'no-referrer')
  assert.equal(visit.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(visit.headers.get('cache-control'), 'no-store')
  assert.equal(visit.headers.get('cross-origin-opener-policy'), 'same-origin-allow-popups')
  const nonce = /script-src 'nonce-([\w-]+)'/.exec(policy)?.[1]
  assert.doesNotMatch(visit.text.replace(`<script nonce="${nonce}">`, ''), /<script| on\w+=/i)
}
