import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { beforeEach, describe, it } from 'node:test'
import { createEmulator, type Emulator } from './emulator.ts'
import type { Provider, ProviderSignIn } from './provider.ts'

const REDIRECT = 'https://app.test/callback'
const VERIFIER = 'a-verifier-that-is-long-enough-for-rfc-7636-abc'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

const SIGN_IN: ProviderSignIn = {
  authorize: 'https://desk.test/authorize',
  token: 'https://desk.test/token',
  refresh: 'https://desk.test/token',
  revocations: [
    { method: 'POST', url: 'https://desk.test/revoke', good: { status: 200, body: {} } },
  ],
  revokesGrant: false,
  paramNames: {},
  namesRedirects: false,
  scopes: [],
  separator: ' ',
  pkce: 'optional',
  client: 'body',
  authorizeParams: {},
  tokenParams: {},
  refreshParams: {},
  offline: {},
  callback: {},
  good: { access_token: '${access_token}', refresh_token: '${refresh_token}' },
  refreshed: { access_token: '${access_token}', expires_in: 5_000 },
}

const CLIENT = { client_id: 'ours', client_secret: 'secret' }

interface Body {
  readonly [name: string]: string
}

describe('An authorization server', () => {
  let emulator: Emulator
  let now = 0
  const serve = (signIn: Partial<ProviderSignIn>) => {
    emulator = createEmulator({ providers: [provider(signIn)], now: () => now, consent: 'allow' })
  }
  beforeEach(() => {
    now = 0
  })

  const get = (path: string, params: Body, headers: Body = {}) =>
    emulator.respond({
      method: 'GET',
      target: `/_hosts/desk.test${path}?${new URLSearchParams(params)}`,
      headers,
      body: '',
    })
  const post = (path: string, params: Body) => {
    const { status, body } = emulator.respond({
      method: 'POST',
      target: `/_hosts/desk.test${path}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams(params)}`,
    })
    return { status, body: body as Body }
  }
  const authorize = (params: Body) => {
    const { status, headers } = get('/authorize', params)
    const { searchParams, origin } = new URL(headers?.location ?? 'none:')
    return { status, origin, query: Object.fromEntries(searchParams) as Body }
  }
  const signIn = (): Body => {
    const { code = '' } = authorize({ client_id: 'ours', redirect_uri: REDIRECT }).query
    const params = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT }
    return post('/token', { ...CLIENT, ...params }).body
  }
  const use = (token = '') => get('/me', {}, { authorization: `Bearer ${token}` }).status

  it('takes the parameters of a pushed request, once, and not those beside it', () => {
    serve({ par: 'https://desk.test/par', pkce: 'required' })
    const pushed = post('/par', {
      ...CLIENT,
      redirect_uri: REDIRECT,
      state: 'pushed',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    })
    assert.equal(pushed.status, 201)
    const { request_uri = '' } = pushed.body
    assert.match(request_uri, /^urn:ietf:params:oauth:request_uri:[\w-]{16}$/)
    assert.equal(authorize({ client_id: 'theirs', request_uri }).status, 400)
    const beside = { redirect_uri: 'https://evil.test/', state: 'beside' }
    const { origin, query } = authorize({ client_id: 'ours', request_uri, ...beside })
    const { state, code = '' } = query
    assert.deepEqual([origin, state], ['https://app.test', 'pushed'])
    assert.equal(authorize({ client_id: 'ours', request_uri }).status, 400)
    const params = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT }
    const { status } = post('/token', { ...CLIENT, ...params, code_verifier: VERIFIER })
    assert.equal(status, 200)
  })

  it('accepts no pushed request of an unknown client, or that could not be authorized', () => {
    serve({ par: 'https://desk.test/par' })
    const valid = { ...CLIENT, redirect_uri: REDIRECT }
    const errors = [
      { client_secret: 'wrong' },
      { redirect_uri: 'javascript:alert(1)' },
      { code_challenge: CHALLENGE, code_challenge_method: 'plain' },
    ].map((more) => post('/par', { ...valid, ...more }).body.error)
    assert.deepEqual(errors, ['invalid_client', 'invalid_request', 'invalid_request'])
    assert.equal(authorize({ client_id: 'ours', request_uri: 'urn:unknown' }).status, 400)
  })

  it('has other names of parameters, and does not know those of RFC 6749 then', () => {
    const paramNames = {
      client_id: 'app',
      client_secret: 'key',
      code: 'auth_code',
      redirect_uri: 'back',
      refresh_token: 'refresher',
    }
    serve({ paramNames })
    assert.equal(authorize({ client_id: 'ours', redirect_uri: REDIRECT }).status, 400)
    const { status, query } = authorize({ app: 'ours', back: REDIRECT })
    const { auth_code = '', code } = query
    assert.deepEqual([status, code], [302, undefined])
    const client = { app: 'ours', key: 'secret' }
    const request = { grant_type: 'authorization_code', auth_code, back: REDIRECT }
    assert.equal(post('/token', { ...CLIENT, ...request }).status, 401)
    const { access_token = '', refresh_token = '' } = post('/token', { ...client, ...request }).body
    const refresh = { grant_type: 'refresh_token' }
    assert.equal(post('/token', { ...client, ...refresh, refresh_token }).status, 400)
    assert.equal(post('/token', { ...client, ...refresh, refresher: refresh_token }).status, 200)
    post('/revoke', { ...client, token: access_token })
    post('/revoke', { ...CLIENT, token: access_token })
    const [first, second] = emulator.control.requests.slice(-2)
    assert.deepEqual(first?.deviations, [])
    assert.deepEqual(second?.deviations, [
      'the revocation has client_id instead of app',
      'the revocation has client_secret instead of key',
    ])
  })

  it('takes the assigned name of a redirect URI, and leads to the URL for which it stands', () => {
    serve({ namesRedirects: true })
    assert.equal(authorize({ client_id: 'ours', redirect_uri: REDIRECT }).status, 400)
    const named = { client_id: 'ours', redirect_uri: 'Acme-name' }
    assert.equal(authorize(named).origin, 'http://localhost:3000')
    const told = emulator.respond({
      method: 'POST',
      target: '/_emulator/callback',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: REDIRECT }),
    })
    assert.equal(told.status, 200)
    const { origin, query } = authorize(named)
    assert.equal(origin, 'https://app.test')
    const request = { ...CLIENT, grant_type: 'authorization_code', code: query.code ?? '' }
    assert.equal(post('/token', { ...request, redirect_uri: 'Acme-name' }).status, 200)
  })

  it('exchanges an access token as documented, the first one elsewhere, until it expires', () => {
    const params = { key: '${client_secret}', old: '${access_token}', type: 'exchange' }
    const [first, next] = ['first', 'next'].map((name) => ({
      url: `https://desk.test/${name}`,
      params,
    }))
    assert.ok(first && next)
    serve({ exchanges: { first, next }, good: { access_token: '${access_token}', expires_in: 60 } })
    const { access_token: old = '' } = signIn()
    const right = { key: 'secret', old, type: 'exchange' }
    const wrong = [
      { key: 'wrong' },
      { key: '' },
      { old: 'another' },
      { type: 'other' },
      { more: 'unknown' },
    ]
    for (const more of wrong)
      assert.equal(get('/first', { ...right, ...more }).status, 400, JSON.stringify(more))
    assert.equal(get('/next', right).status, 400)
    const exchanged = (get('/first', right).body as Body).access_token
    assert.equal(get('/first', { ...right, old: exchanged ?? '' }).status, 400)
    assert.deepEqual([use(old), use(exchanged)], [200, 200])
    now += 60_000
    assert.deepEqual([use(old), use(exchanged)], [401, 200])
    assert.equal(get('/next', right).status, 400)
    const last = (get('/next', { ...right, old: exchanged ?? '' }).body as Body).access_token
    now += 4_999_000
    assert.deepEqual([use(exchanged), use(last)], [401, 200])
  })

  it('takes token requests at the URL of authorization requests', () => {
    serve({ authorize: 'https://desk.test/token' })
    const asked = new URLSearchParams({ client_id: 'ours', redirect_uri: REDIRECT })
    const { headers } = get('/token', Object.fromEntries(asked))
    const code = new URL(headers?.location ?? 'none:').searchParams.get('code') ?? ''
    const params = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT }
    assert.equal(post('/token', { ...CLIENT, ...params }).status, 200)
  })
})

function provider(signIn: Partial<ProviderSignIn>): Provider {
  const example = 'https://desk.test/me'
  const good = { status: 200, body: { id: 7 } }
  const endpoint = { method: 'GET', url: example, example, query: {}, good }
  const method = {
    sends: ['Authorization: Bearer ${secret}'],
    headers: [],
    endpoints: [endpoint],
    bad: { status: 401, body: {} },
    insufficient: { status: 403, body: {} },
    limited: { status: 429, body: {} },
    signIn: { ...SIGN_IN, ...signIn },
  }
  return { key: 'desk', name: 'Desk', base: 'https://desk.test', methods: { OAuth2: method } }
}
