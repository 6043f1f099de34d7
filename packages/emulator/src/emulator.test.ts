import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { loadProviders } from './provider.ts'
import { type RunningEmulator, startEmulator } from './start-emulator.ts'

const REDIRECT = 'http://127.0.0.1:9/callback?x=1%2F2'
const VERIFIER = 'a-verifier-that-is-long-enough-for-rfc-7636-abc'

interface Body {
  readonly [name: string]: string
}

describe('The emulator', () => {
  let emulator: RunningEmulator
  let aheadMs = 0
  before(async () => {
    const keys = ['close', 'github', 'stripe', 'google_calendar', 'gmail']
    emulator = await startEmulator({
      providers: (await loadProviders()).filter(({ key }) => keys.includes(key)),
      now: () => Date.now() + aheadMs,
      port: 0,
    })
  })
  beforeEach(() => emulator.control.reset())
  after(() => emulator.close())

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(emulator.origin + path, { headers, redirect: 'manual' })
  const command = (name: string, body: object) =>
    fetch(`${emulator.origin}/_emulator/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const authorize = (more: Record<string, string> = {}) => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'ours',
      redirect_uri: REDIRECT,
      scope: 'all.full_access offline_access',
      state: 'a b',
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    })
    return get(`/_hosts/app.close.com/oauth2/authorize/?${query}`)
  }
  const allow = async (more: Record<string, string> = {}) => {
    const response = await authorize({ emulator_consent: 'allow', ...more })
    return new URL(response.headers.get('location') ?? 'none:').searchParams.get('code') ?? ''
  }
  const exchange = async (body: Record<string, string>) => {
    const params = { client_id: 'ours', client_secret: 'secret', redirect_uri: REDIRECT, ...body }
    const response = await fetch(`${emulator.origin}/_hosts/api.close.com/oauth2/token/`, {
      method: 'POST',
      body: new URLSearchParams(params),
    })
    return { status: response.status, body: (await response.json()) as Body }
  }
  const signIn = async (more: Record<string, string> = {}) =>
    (
      await exchange({
        grant_type: 'authorization_code',
        code: await allow(more),
        code_verifier: VERIFIER,
      })
    ).body
  const useToken = async (token = '') =>
    (await get('/close/me/', { authorization: `Bearer ${token}` })).status

  it('asks for consent on a page, and repeats the redirect URI as it was sent', async () => {
    const page = await authorize()
    assert.equal(page.status, 200)
    assert.match(
      await page.text(),
      /Close: allow access\?[\s\S]*name="scope" value="offline_access"/,
    )
    const allowed = await authorize({ emulator_consent: 'allow' })
    const location = allowed.headers.get('location') ?? ''
    assert.ok(location.startsWith(`${REDIRECT}&code=emulated-code-`), location)
    assert.equal(new URL(location).searchParams.get('state'), 'a b')
  })

  it('returns access_denied, or fewer scopes, as the request or the control says', async () => {
    const denied = await authorize({ emulator_consent: 'deny' })
    assert.match(denied.headers.get('location') ?? '', /&error=access_denied&state=a\+b$/)
    await command('consent', { consent: 'partial' })
    const code = new URL((await authorize()).headers.get('location') ?? '').searchParams.get('code')
    const { body } = await exchange({
      grant_type: 'authorization_code',
      code: code ?? '',
      code_verifier: VERIFIER,
    })
    assert.equal(body.scope, 'all.full_access')
    // The integration needs both: a request without one has insufficient permissions.
    assert.equal(await useToken(body.access_token), 403)
  })

  it('has no redirect for a request without a client, or with another code challenge', async () => {
    for (const more of [
      { client_id: '' },
      { redirect_uri: 'javascript:alert(1)' },
      { response_type: 'token' },
      { code_challenge_method: 'plain' },
    ]) {
      const response = await authorize({ emulator_consent: 'allow', ...more })
      assert.deepEqual([response.status, response.headers.get('location')], [400, null])
    }
  })

  it('exchanges a code once, with its verifier, redirect URI and client', async () => {
    const wrong = [
      { code_verifier: 'another' },
      { redirect_uri: `${REDIRECT}#` },
      { client_id: 'theirs' },
      { client_secret: 'wrong-secret' },
      { grant_type: 'password' },
    ]
    for (const more of wrong) {
      const code = await allow()
      const body = { grant_type: 'authorization_code', code, code_verifier: VERIFIER, ...more }
      assert.notEqual((await exchange(body)).status, 200, JSON.stringify(more))
    }
    const code = await allow()
    const body = { grant_type: 'authorization_code', code, code_verifier: VERIFIER }
    const first = await exchange(body)
    assert.equal(await useToken(first.body.access_token), 200)
    assert.equal((await exchange(body)).body.error, 'invalid_grant')
    assert.equal(await useToken(first.body.access_token), 401)
  })

  it('replaces refresh tokens, and ends a grant when a used one comes again', async () => {
    const first = await signIn()
    const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token ?? '' }
    const second = await exchange(refresh)
    assert.notEqual(second.body.refresh_token, first.refresh_token)
    assert.equal(await useToken(second.body.access_token), 200)
    assert.equal((await exchange(refresh)).body.error, 'invalid_grant')
    assert.equal(await useToken(second.body.access_token), 401)
  })

  it('issues a refresh token only with the documented scope', async () => {
    assert.equal((await signIn({ scope: 'all.full_access' })).refresh_token, undefined)
  })

  it('expires tokens by the clock, and when the control says so', async () => {
    const { access_token } = await signIn()
    aheadMs += 3_599_000
    assert.equal(await useToken(access_token), 200)
    aheadMs += 1_000
    assert.equal(await useToken(access_token), 401)
    const next = await signIn()
    assert.deepEqual(await (await command('expire', { key: 'close' })).json(), { expired: 1 })
    assert.equal(await useToken(next.access_token), 401)
  })

  it('accepts keys, except wrong, revoked and mistaken ones, in the form that the provider documents', async () => {
    const stripe = (key: string) => get('/stripe/v1/account', { authorization: `Bearer ${key}` })
    assert.equal((await stripe('sk_test_1')).status, 200)
    for (const key of ['sk_wrong', 'undefined', '${key}', (await signIn()).access_token ?? ''])
      assert.equal((await stripe(key)).status, 401, key)
    await command('revoke', { value: 'sk_test_1' })
    const refused = (await (await stripe('sk_test_1')).json()) as { error: { type: string } }
    assert.equal(refused.error.type, 'invalid_request_error')
  })

  it('answers the next requests with a status, the declared headers, and late', async () => {
    const use = () => get('/github/user', { authorization: 'Bearer key' })
    await command('next', { key: 'github', status: 429, delayMs: 50 })
    const startedAt = performance.now()
    const limited = await use()
    assert.ok(performance.now() - startedAt >= 49)
    // GitHub documents 403 for this.
    assert.deepEqual([limited.status, limited.headers.get('retry-after')], [403, '30'])
    assert.equal(limited.headers.get('x-ratelimit-remaining'), '0')
    assert.ok(Number(limited.headers.get('x-ratelimit-reset')) > Date.now() / 1_000)
    await command('next', { status: 503, times: 2 })
    assert.deepEqual(
      [(await use()).status, (await use()).status, (await use()).status],
      [503, 503, 200],
    )
  })

  it('serves a provider by its key, by /_hosts and by Host, and no other host', async () => {
    const headers = { authorization: 'Bearer key' }
    assert.equal((await get('/github/user', headers)).status, 200)
    assert.equal((await get('/_hosts/api.github.com/user', headers)).status, 200)
    assert.equal((await get('/_hosts/api.example.com/user', headers)).status, 421)
    const byHost = await sendWithHost(emulator.origin, '/user', 'api.github.com')
    assert.equal(byHost, 200)
  })

  it('takes responses for requests that the documents of the integration do not have', async () => {
    const path = '/github/repos/acme/desk'
    const headers = { authorization: 'Bearer key' }
    assert.equal((await get(path, headers)).status, 404)
    const url = 'https://api.github.com/repos/acme/desk'
    await command('responses', { url, body: { id: 7 } })
    assert.deepEqual(await (await get(path, headers)).json(), { id: 7 })
    assert.equal((await get(path)).status, 401)
  })

  it('tells providers of one authorization server apart by scopes, and by the client ID', async () => {
    const start = async (client_id: string, scope: string) => {
      const query = new URLSearchParams({
        client_id,
        scope,
        redirect_uri: REDIRECT,
        emulator_consent: 'allow',
      })
      await get(`/_hosts/accounts.google.com/o/oauth2/v2/auth?${query}`)
      return emulator.control.requests.at(-1)?.key
    }
    const calendar = 'https://www.googleapis.com/auth/calendar.readonly'
    assert.equal(await start('ours', calendar), 'google_calendar')
    assert.equal(await start('gmail-of-ours', calendar), 'gmail')
  })

  it('lists what it serves, for people and programs', async () => {
    assert.match(await (await get('/')).text(), /<a href="\/close">Close<\/a>/)
    const json = { accept: 'application/json' }
    const list = (await (await get('/', json)).json()) as { key: string }[]
    assert.deepEqual(
      list.map(({ key }) => key),
      ['close', 'github', 'gmail', 'google_calendar', 'stripe'],
    )
    const page = await (await get('/close')).text()
    assert.match(page, /https:\/\/api\.close\.com\/oauth2\/token\//)
    assert.match(page, /Authorization: Basic \$\{api_key\}:/)
    assert.equal((await get('/nothing')).status, 404)
  })

  it('refuses commands without JSON, with unknown names or values, and bodies above 1 MB', async () => {
    const form = await fetch(`${emulator.origin}/_emulator/reset`, { method: 'POST', body: 'x' })
    assert.equal(form.status, 405)
    const invalid: [string, object][] = [
      ['next', {}],
      ['next', { status: 99 }],
      ['next', { key: 'unknown', status: 500 }],
      ['next', { delayMs: -1 }],
      ['next', { status: 500, times: 0 }],
      ['consent', { consent: 'maybe' }],
      ['callback', { url: 'javascript:alert(1)' }],
      ['responses', { url: 'no URL' }],
      ['responses', { url: 'https://api.github.com/x', status: 'ok' }],
    ]
    for (const [name, body] of invalid)
      assert.equal((await command(name, body)).status, 400, JSON.stringify(body))
    assert.equal((await command('explode', {})).status, 404)
    assert.equal((await command('next', { text: 'x'.repeat(1_100_000) })).status, 413)
  })

  it('records requests without credentials', async () => {
    await get('/stripe/v1/account?key=sk_secret_1', { authorization: 'Bearer sk_secret_1' })
    const requests = await (await get('/_emulator/requests')).json()
    assert.deepEqual(requests, [
      {
        key: 'stripe',
        authType: 'Api Key',
        kind: 'api',
        method: 'GET',
        url: 'https://api.stripe.com/v1/account',
        status: 200,
        deviations: [],
      },
    ])
  })
})

/** `fetch` does not let a caller set the header. */
async function sendWithHost(origin: string, path: string, host: string): Promise<number> {
  const { request } = await import('node:http')
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  request(origin + path, { headers: { host, authorization: 'Bearer key' } }, (response) =>
    resolve(response.resume().statusCode ?? 0),
  )
    .on('error', reject)
    .end()
  return promise
}
