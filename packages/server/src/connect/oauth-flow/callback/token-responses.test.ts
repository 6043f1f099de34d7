import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { readAccountRow } from '../../../../test/account-rows.ts'
import { expectOk, testContext } from '../../../../test/test-context.ts'
import type { IntegrationAccount } from '../../../accounts/accounts/account.ts'
import {
  getReturnParams,
  ISSUER,
  respondWithJson,
  type StubProviderContext,
} from '../test/stub-provider-context.ts'

type TokenResponder = (response: ServerResponse) => unknown

describe('the response of a token endpoint', () => {
  let t: StubProviderContext
  before(async () => {
    t = await testContext({ provider: true })
  })
  after(() => t.close())

  const respondText =
    (status: number, body: string, type = 'application/json'): TokenResponder =>
    (response) =>
      response.writeHead(status, { 'content-type': type }).end(body)

  const malformedResponses: Record<string, [TokenResponder, string]> = {
    'an error with 400': [
      respondWithJson(400, { error: 'invalid_grant' }),
      'token_exchange_failed',
    ],
    'an error with 200': [
      respondWithJson(200, { error: 'invalid_grant' }),
      'token_exchange_failed',
    ],
    'ok: false with 200': [
      respondWithJson(200, { ok: false, error: 'bad' }),
      'token_exchange_failed',
    ],
    'a wrong client': [respondWithJson(401, { error: 'invalid_client' }), 'token_exchange_failed'],
    'no token': [respondWithJson(200, { token_type: 'bearer' }), 'token_exchange_failed'],
    'a token that is not a string': [
      respondWithJson(200, { access_token: { a: 1 } }),
      'token_exchange_failed',
    ],
    'an empty token': [respondWithJson(200, { access_token: '' }), 'token_exchange_failed'],
    'a token with a line break': [
      respondWithJson(200, { access_token: 'a\r\nx-evil: 1' }),
      'token_exchange_failed',
    ],
    'a token of 20,000 characters': [
      respondWithJson(200, { access_token: 'a'.repeat(20_000) }),
      'token_exchange_failed',
    ],
    'a refresh token that is an array': [
      respondWithJson(200, { access_token: 'a', refresh_token: ['b'] }),
      'token_exchange_failed',
    ],
    'a token of type DPoP': [
      respondWithJson(200, { access_token: 'a', token_type: 'DPoP' }),
      'token_exchange_failed',
    ],
    'an empty body': [respondText(200, ''), 'token_exchange_failed'],
    'broken JSON': [respondText(200, '{"access_token":'), 'token_exchange_failed'],
    'an array': [respondText(200, '["access_token"]'), 'token_exchange_failed'],
    'an HTML page': [
      respondText(200, '<html>access_token</html>', 'text/html'),
      'token_exchange_failed',
    ],
    'a redirect': [
      (response) => response.writeHead(307, { location: `${t.stubServer.url}/me` }).end(),
      'token_exchange_failed',
    ],
    'a body of 2 MB': [
      respondText(200, `{"access_token":"a","x":"${'y'.repeat(2e6)}"}`),
      'token_exchange_failed',
    ],
    'a server error': [respondWithJson(500, {}), 'provider_error'],
    'an HTML page with 502': [respondText(502, '<html>', 'text/html'), 'provider_error'],
    'too many requests': [respondWithJson(429, {}), 'provider_error'],
    'a broken connection': [(response) => response.destroy(), 'provider_error'],
    'an access token that CHECK rejects': [
      respondWithJson(200, { access_token: 'refused' }),
      'credentials_rejected',
    ],
  }
  for (const [name, [respond, code]] of Object.entries(malformedResponses))
    it(`creates no account with ${name}: ${code}`, async () => {
      const accounts = await t.countAccounts()
      t.tokenRequests.length = 0
      t.respondToToken = respond
      assert.equal(getReturnParams(await t.completeFlow()).error, code)
      assert.equal(t.tokenRequests.length, 1, 'a code is sent once')
      assert.equal(await t.countAccounts(), accounts)
    })

  const accepted: Record<string, [unknown, Record<string, unknown>]> = {
    'an expiry as a number': [{ expires_in: 3600 }, { expires: true }],
    'an expiry as a string': [{ expires_in: '3600' }, { expires: true }],
    'no expiry': [{}, { expires: false }],
    'an invalid expiry': [{ expires_in: 'soon' }, { expires: false }],
    'a negative expiry': [{ expires_in: -1 }, { expires: false }],
    'an expiry of the refresh token alone': [
      { refresh_token_expires_in: 7_776_000 },
      { expires: false },
    ],
    'a JWT': [{ access_token: createJwt(Date.now() + 900_000) }, { expires: true }],
    'an instant as text': [
      { expires_on: String(Math.floor(Date.now() / 1_000) + 900) },
      { expires: true },
    ],
  }
  for (const [name, [more, { expires }]] of Object.entries(accepted))
    it(`creates an account with ${name}`, async () => {
      t.respondToToken = respondWithJson(200, {
        access_token: 'at',
        refresh_token: 'rt',
        ...(more as object),
      })
      const row = await getRow(t, getReturnParams(await t.completeFlow()))
      assert.equal(row.token_expires_at !== null, expires)
      assert.equal(row.token_ttl_ms !== null, expires)
      assert.ok(Number(row.refresh_at) > Date.now(), 'an unknown expiry schedules a refresh soon')
    })

  /** The decrypted configuration of a successful connection. */
  const connectAndGetConfig = async (respond: TokenResponder) => {
    t.respondToToken = respond
    const returnParams = getReturnParams(await t.completeFlow())
    assert.equal(returnParams.success, 'true')
    const token = await t.createToken({ scopes: ['credentials:read'] })
    const path = `/v1/integration_account/${returnParams.integrationAccountId}/credentials`
    return expectOk(await t.call('GET', path, { token })).config
  }

  it('may be form-encoded', async () => {
    const body = 'access_token=at%2B1&refresh_token=rt&expires_in=3600&scope=a+b'
    const form = 'application/x-www-form-urlencoded'
    for (const type of [form, `${form}; charset=utf-8`, 'text/plain']) {
      const config = await connectAndGetConfig(respondText(200, body, type))
      assert.deepEqual(
        [config.access_token, config.refresh_token, config.scope],
        ['at+1', 'rt', 'a b'],
      )
    }
  })

  it('says what was granted; without scope, it is what was requested', async () => {
    const readScopes = async (more: object) => {
      t.respondToToken = respondWithJson(200, { access_token: 'at', refresh_token: 'rt', ...more })
      const row = await getRow(t, getReturnParams(await t.completeFlow()))
      assert.equal(row.last_ok_at, row.checked_at)
      assert.equal(row.last_ok_at !== null, true)
      return [row.granted_scopes, row.scope_source]
    }
    assert.deepEqual(await readScopes({ scope: 'a b a' }), ['["a","b"]', 'reported'])
    assert.deepEqual(await readScopes({ scope: 'a,b' }), ['["a","b"]', 'reported'])
    assert.deepEqual(await readScopes({ scope: '' }), ['[]', 'reported'])
    assert.deepEqual(await readScopes({}), ['[]', 'assumed'])
  })

  it('may contain a name that is not UTF-8', async () => {
    for (const type of ['application/json', 'application/json;charset=ISO-8859-1']) {
      const config = await connectAndGetConfig((response) =>
        response
          .writeHead(200, { 'content-type': type })
          .end(
            Buffer.from('{"access_token":"at","refresh_token":"rt","name":"Ren\xe9"}', 'latin1'),
          ),
      )
      assert.deepEqual([config.access_token, config.refresh_token], ['at', 'rt'])
      assert.equal(config.name, 'René')
    }
  })

  it('has a JWT that expires: it is never handed out afterwards, and 424 without a refresh token', async () => {
    const token = await t.createToken({ scopes: ['credentials:read', 'proxy'] })
    for (const more of [{}, { expires_in: 86_400 }]) {
      const expiresAt = Math.ceil(Date.now() / 1_000) * 1_000 + 1_000
      t.respondToToken = respondWithJson(200, { access_token: createJwt(expiresAt), ...more })
      const { integrationAccountId } = getReturnParams(await t.completeFlow())
      const path = `/v1/integration_account/${integrationAccountId}`
      await new Promise((resolve) => setTimeout(resolve, expiresAt - Date.now() + 10))
      const response = await t.call('GET', `${path}/credentials`, { token })
      assert.deepEqual([response.status, response.body.error], [424, 'needs_reauth'])
      assert.equal(expectOk(await t.call('GET', path)).statusReason, 'token_expired')
    }
  })

  it('may nest the tokens of the user, as chat tools do', async () => {
    const authed_user = {
      id: 'U1',
      access_token: 'xoxp',
      refresh_token: 'xoxe',
      expires_in: 43_200,
    }
    const nested = await connectAndGetConfig(respondWithJson(200, { ok: true, authed_user }))
    assert.deepEqual([nested.access_token, nested.refresh_token], ['xoxp', 'xoxe'])
    const both = await connectAndGetConfig(
      respondWithJson(200, { ok: true, access_token: 'xoxb', authed_user }),
    )
    assert.equal(both.access_token, 'xoxb')
    assert.deepEqual(
      [both['authed_user.access_token'], both['authed_user.refresh_token'], both['authed_user.id']],
      ['xoxp', 'xoxe', 'U1'],
    )
    assert.ok(Date.parse(both['authed_user.expires_at']) > Date.now())
  })

  it('without a refresh token creates an account with no_refresh_token and the token as api_key too', async () => {
    t.respondToToken = respondWithJson(200, { access_token: 'at_only', expires_in: 3600 })
    const { integrationAccountId } = getReturnParams(await t.completeFlow())
    const path = `/v1/integration_account/${integrationAccountId}`
    const account = expectOk(await t.call('GET', path))
    assert.deepEqual([account.status, account.statusReason], ['active', 'no_refresh_token'])
    const row = await getRow(t, { integrationAccountId })
    assert.equal(
      row.refresh_at,
      row.token_expires_at,
      'without a refresh token, the expiry is the refresh time',
    )
    const config = await connectAndGetConfig(
      respondWithJson(200, { access_token: 'at_only', expires_in: 3600 }),
    )
    assert.deepEqual([config.access_token, config.api_key], ['at_only', 'at_only'])
    assert.equal('refresh_token' in config, false)
    const complete = await connectAndGetConfig(
      respondWithJson(200, { access_token: 'at', refresh_token: 'rt' }),
    )
    assert.equal('api_key' in complete, false)
  })

  it('is requested with code, verifier, redirect URI and client, and no headers of the browser', async () => {
    t.respondToToken = respondWithJson(200, { access_token: 'at', refresh_token: 'rt' })
    t.tokenRequests.length = 0
    const state = await t.begin(await t.start())
    await t.callback({ state, code: 'the-code', iss: ISSUER, token_url: 'https://evil.example/' })
    const sent = Object.fromEntries(t.tokenRequests[0] ?? [])
    assert.match(sent.code_verifier ?? '', /^[\w-]{43}$/)
    const { code_verifier: _, ...rest } = sent
    assert.deepEqual(rest, {
      grant_type: 'authorization_code',
      code: 'the-code',
      redirect_uri: 'http://localhost:3000/api/v1/oauth/callback',
      client_id: 'linchpin',
      client_secret: 'canary-client-secret-0123456789',
    })
  })
})

function createJwt(expiresAt: number): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${encode({ alg: 'none' })}.${encode({ exp: Math.floor(expiresAt / 1_000) })}.c2ln`
}

async function getRow(
  t: StubProviderContext,
  { integrationAccountId }: Pick<IntegrationAccount, 'integrationAccountId'>,
) {
  return readAccountRow(t.database, integrationAccountId)
}
