import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { BOOKS_CLIENT } from './books.ts'
import { createProvider } from './provider.ts'

const REDIRECT_URI = 'http://127.0.0.1:1/back?kept=1'
const VERIFIER = 'a-verifier-that-is-long-enough-for-rfc-7636-4-1'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
const VALID_REQUEST = {
  client_id: BOOKS_CLIENT.client_id,
  redirect_uri: REDIRECT_URI,
  response_type: 'code',
  state: 'st',
  scope: 'books.read offline_access',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
}

describe('Consent at Acme Books', () => {
  let now = Date.now()
  const provider = createProvider({ now: () => now })
  before(() => provider.listen())
  after(() => provider.close())

  it('shows a page without scripts, for any tenant, with escaped parameters', async () => {
    const response = await authorize({ scope: '<script>x</script>' }, '/west')
    const text = await response.text()
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.match(text, /<b>west<\/b>/)
    assert.match(text, /value="allow".*value="deny"/s)
    assert.ok(!text.includes('<script'))
  })

  it('does not redirect for an unknown client or redirect URI', async () => {
    for (const invalidParams of [
      { client_id: 'other' },
      { redirect_uri: 'javascript:alert(1)' },
      { redirect_uri: 'nowhere' },
    ]) {
      for (const response of [
        await authorize(invalidParams),
        await decide('allow', invalidParams),
      ]) {
        assert.equal(response.status, 400)
        assert.equal(response.headers.get('location'), null)
      }
    }
  })

  it('redirects with the error codes of RFC 6749', async () => {
    const plainChallenge = { code_challenge_method: 'plain' }
    for (const [response, error] of [
      [await decide('deny'), 'access_denied'],
      [await authorize({ response_type: 'token' }), 'unsupported_response_type'],
      [await authorize(plainChallenge), 'invalid_request'],
      [await decide('allow', plainChallenge), 'invalid_request'],
    ] as const) {
      assert.deepEqual(parseRedirect(response), { kept: '1', error, state: 'st' })
    }
    assert.equal((await decide('maybe')).status, 400)
  })

  it('issues a code that yields tokens once, and a refresh token that rotates', async () => {
    const { code = '', ...rest } = parseRedirect(await decide('allow'))
    assert.deepEqual(rest, { kept: '1', state: 'st' })
    const first = await redeem(code)
    assert.equal(first.status, 200)
    assert.equal(first.body.expires_in, 3600)
    assert.equal(first.body.scope, VALID_REQUEST.scope)
    const headers = { Authorization: `Bearer ${first.body.access_token}` }
    assert.equal((await fetch(`${provider.url}/api/account`, { headers })).status, 200)
    assert.deepEqual(await redeem(code), { status: 400, body: { error: 'invalid_grant' } })
    const refresh = {
      grant_type: 'refresh_token',
      refresh_token: String(first.body.refresh_token),
    }
    assert.equal((await token(refresh)).status, 200)
    assert.equal((await token(refresh)).status, 400)
  })

  it('rejects a code with another verifier, with another redirect URI, or after 60 seconds', async () => {
    for (const invalidParams of [
      { code_verifier: 'another' },
      { code_verifier: '' },
      { redirect_uri: 'http://127.0.0.1:1/other' },
    ]) {
      const { code = '' } = parseRedirect(await decide('allow'))
      assert.equal((await redeem(code, invalidParams)).body.error, 'invalid_grant')
      assert.equal((await redeem(code)).status, 400, 'a code can be tried only once')
    }
    const { code: young = '' } = parseRedirect(await decide('allow'))
    const { code: usedCode = '' } = parseRedirect(await decide('allow'))
    now += 59_000
    assert.equal((await redeem(young)).status, 200)
    now += 1_000
    assert.equal((await redeem(usedCode)).status, 400)
  })

  it('requires no verifier without a challenge', async () => {
    const {
      code_challenge: _challenge,
      code_challenge_method: _method,
      ...withoutChallenge
    } = VALID_REQUEST
    const url = `${provider.url}/oauth/authorize?${new URLSearchParams(withoutChallenge)}`
    const { code = '' } = parseRedirect(await submitDecision(url, 'allow'))
    assert.equal((await redeem(code, { code_verifier: '' })).status, 200)
  })

  type Changes = Readonly<Record<string, string>>

  const authorizeUrl = (changes: Changes, tenant = '') =>
    `${provider.url}${tenant}/oauth/authorize?${new URLSearchParams({ ...VALID_REQUEST, ...changes })}`
  const authorize = (changes: Changes = {}, tenant?: string) =>
    fetch(authorizeUrl(changes, tenant), { redirect: 'manual' })
  const decide = (decision: string, changes: Changes = {}) =>
    submitDecision(authorizeUrl(changes), decision)
  const redeem = (code: string, changes: Changes = {}) =>
    token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
      ...changes,
    })

  function submitDecision(url: string, decision: string): Promise<Response> {
    return fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ decision }),
      redirect: 'manual',
    })
  }

  function parseRedirect(response: Response): Record<string, string> {
    assert.equal(response.status, 303)
    const location = response.headers.get('location') ?? ''
    assert.ok(location.startsWith('http://127.0.0.1:1/back?'), location)
    return Object.fromEntries(new URL(location).searchParams)
  }

  async function token(form: Changes) {
    const body = new URLSearchParams({ ...BOOKS_CLIENT, ...form })
    const response = await fetch(`${provider.url}/oauth/token`, { method: 'POST', body })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
})
