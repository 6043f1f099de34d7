import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { BOOKS_CLIENT } from './books.ts'
import { createProvider } from './provider.ts'

describe('Acme Books of the example provider', () => {
  const provider = createProvider()
  before(() => provider.listen())
  after(() => provider.close())

  it('exchanges a refresh token for an access token that reads the account', async () => {
    const { status, body } = await token({ ...BOOKS_CLIENT, ...grant('refresh_live_a') })
    assert.equal(status, 200)
    assert.equal(body.token_type, 'Bearer')
    assert.match(body.refresh_token ?? '', /^refresh_live_rotated_/)
    assert.equal(await getAccountStatus(body.access_token), 200)
  })

  it('accepts JSON, HTTP Basic and any tenant in front of the path', async () => {
    const json = JSON.stringify({ ...BOOKS_CLIENT, ...grant('refresh_live_b') })
    const asJson = await post('/oauth/token', json, { 'Content-Type': 'application/json' })
    assert.equal(asJson.status, 200)
    const basic = Buffer.from(Object.values(BOOKS_CLIENT).join(':')).toString('base64')
    const form = new URLSearchParams(grant('refresh_live_b'))
    const asBasic = await post('/north/oauth/token', form, { Authorization: `Basic ${basic}` })
    assert.equal(asBasic.status, 200)
  })

  it('accepts a one-time refresh token once, then its successor', async () => {
    const once = { ...BOOKS_CLIENT, ...grant('refresh_once_c') }
    const first = await token(once)
    assert.equal(first.status, 200)
    assert.deepEqual(await token(once), { status: 400, body: { error: 'invalid_grant' } })
    const next = { ...BOOKS_CLIENT, ...grant(first.body.refresh_token ?? '') }
    assert.equal((await token(next)).status, 200)
  })

  it('rejects invalid clients, grants and tokens with the error codes of RFC 6749', async () => {
    const good = { ...BOOKS_CLIENT, ...grant('refresh_live_d') }
    for (const [form, status, error] of [
      [{ ...good, client_secret: 'wrong' }, 401, 'invalid_client'],
      [{ ...good, grant_type: 'password' }, 400, 'unsupported_grant_type'],
      [{ ...good, refresh_token: 'stolen' }, 400, 'invalid_grant'],
    ] as const) {
      assert.deepEqual(await token(form), { status, body: { error } })
    }
    const broken = await post('/oauth/token', '{', { 'Content-Type': 'application/json' })
    assert.equal(broken.status, 400)
  })

  it('rejects a revoked token', async () => {
    const { body } = await token({ ...BOOKS_CLIENT, ...grant('refresh_live_e') })
    const access = { ...BOOKS_CLIENT, token: body.access_token ?? '' }
    assert.equal((await post('/oauth/revoke', new URLSearchParams(access))).status, 200)
    assert.equal(await getAccountStatus(body.access_token), 401)
    const refresh = { ...BOOKS_CLIENT, token: 'refresh_live_e' }
    assert.equal((await post('/oauth/revoke', new URLSearchParams(refresh))).status, 200)
    assert.equal((await token({ ...BOOKS_CLIENT, ...grant('refresh_live_e') })).status, 400)
  })

  it('returns the account for a books_live key and for no other', async () => {
    assert.equal(await getAccountStatus('books_live_1'), 200)
    assert.equal(await getAccountStatus('access_999'), 401)
    assert.equal(await getAccountStatus(''), 401)
  })

  const grant = (refreshToken: string) => ({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
  })

  async function token(form: Record<string, string>) {
    const response = await post('/oauth/token', new URLSearchParams(form))
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }

  function post(
    path: string,
    body: string | URLSearchParams,
    headers: Record<string, string> = {},
  ) {
    return fetch(provider.url + path, { method: 'POST', body, headers })
  }

  async function getAccountStatus(bearer: string | undefined): Promise<number> {
    const headers = { Authorization: `Bearer ${bearer}` }
    return (await fetch(`${provider.url}/api/account`, { headers })).status
  }
})
