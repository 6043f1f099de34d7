import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { fine, refused } from '../../test/fixtures.ts'
import { miniBundle } from '../../test/mini-bundle.ts'
import { describePostgres } from '../../test/postgres.ts'
import { freshConfig } from './renewal/fresh-credentials.ts'
import { takeLease } from './renewal/lease/held-lease.ts'
import {
  type AccountOptions,
  oauthSpec,
  type RenewalWorld,
  startRenewalWorld,
} from './renewal/test/renewal-world.ts'

describe('POST /v1/integration_account/{id}, of an account that an OAuth app renews', () => {
  promises(async () => undefined)
})

describePostgres('an update of an account that an OAuth app renews, on PostgreSQL', (server) => {
  promises(() => server().createDatabase('update_oauth'))
})

function promises(url: () => Promise<string | undefined>): void {
  let world: RenewalWorld
  before(async () => {
    world = await startRenewalWorld({ url: await url() })
  })
  after(() => world.close())
  beforeEach(() => {
    world.provider.calls.length = 0
    world.provider.beforeRotation = undefined
    world.t.origin.requests.length = 0
  })
  const account = (more: AccountOptions = {}) =>
    world.account({ code: clientBundle(world), ...more })
  const update = (id: string, config: object) =>
    world.t.call('POST', `/v1/integration_account/${id}`, { body: { config } })
  const times = async (id: string) => {
    const row = await world.row(id)
    return [row.token_expires_at, row.renew_at, row.renew_failures, row.renewal_sent_at]
  }
  const ended = { token_expires_at: Date.now() - 1_000, renew_at: 1 }

  it("gives CHECK the client of the app, and stores neither the client's id nor its secret", async () => {
    const { id } = await account()
    fine(await update(id, { access_token: 'access-by-hand' }))
    assert.deepEqual(world.t.origin.requests.slice(-1), ['GET /check?client-of-ours:app-secret'])
    const stored = await world.config(id)
    assert.equal(stored.access_token, 'access-by-hand')
    assert.deepEqual([stored.client_id, stored.client_secret], [undefined, undefined])
  })

  it('checks with the client of the app also when the body brings another, as every use does', async () => {
    const { id } = await account()
    fine(await update(id, { access_token: 'access-by-hand', client_id: 'theirs' }))
    assert.deepEqual(world.t.origin.requests.slice(-1), ['GET /check?client-of-ours:app-secret'])
    assert.equal((await world.config(id)).client_id, 'theirs')
  })

  it('forgets what was known of the old tokens when both are new: when they end is unknown', async () => {
    const row = { ...ended, renew_failures: 3, renewal_sent_at: Date.now() - 60_000 }
    const { id } = await account({ row })
    const next = world.provider.newFamily()
    fine(await update(id, { refresh_token: next.refreshToken, access_token: next.accessToken }))
    const [expiresAt, renewAt, ...failures] = await times(id)
    assert.deepEqual([expiresAt, ...failures], [null, 0, null])
    assert.ok(Number(renewAt) > Date.now())
    const { lease_owner, credential_version, oauth_app_id } = await world.row(id)
    assert.deepEqual([lease_owner, credential_version, oauth_app_id === null], [null, 2, false])
    const { grant } = await freshConfig(world.node(), id)
    assert.equal(grant.config.access_token, next.accessToken)
    assert.deepEqual(world.provider.calls, [])
    await freshConfig(world.node(), id, { refusedVersion: 2 })
    assert.equal(world.provider.calls.length, 1, 'a refused one is renewed')
    assert.equal((await world.config(id)).refresh_token, next.refreshToken)
  })

  it('gets an access token before CHECK when a refresh token comes alone', async () => {
    const { id } = await account({ row: ended })
    const next = world.provider.newFamily()
    const given = next.refreshToken
    fine(await update(id, { refresh_token: given }))
    assert.deepEqual(world.provider.calls, [given])
    const { refresh_token, access_token } = await world.config(id)
    assert.deepEqual([refresh_token, access_token], [next.refreshToken, next.accessToken])
    const [expiresAt, renewAt] = await times(id)
    assert.ok(Math.abs(Number(expiresAt) - Date.now() - 3_600_000) < 10_000)
    assert.ok(Number(renewAt) > Date.now() && Number(renewAt) < Number(expiresAt))
    await freshConfig(world.node(), id)
    assert.equal(world.provider.calls.length, 1)
  })

  it('refuses a refresh token that the provider refuses, and keeps the old tokens', async () => {
    const { id } = await account()
    const before = await world.config(id)
    refused(await update(id, { refresh_token: 'stolen' }), 'credentials_rejected')
    world.provider.beforeRotation = (response) => {
      response.writeHead(503).end()
      return true
    }
    refused(await update(id, { refresh_token: 'unlucky' }), 'provider_error')
    assert.deepEqual(await world.config(id), before)
    assert.equal((await world.row(id)).lease_owner, null)
  })

  it('keeps what is known of the tokens when another field is changed', async () => {
    const expires = Date.now() + 900_000
    const { id, family } = await account({ row: { token_expires_at: expires, renew_at: 1 } })
    fine(await update(id, { desk: 8 }))
    const [expiresAt, renewAt] = await times(id)
    assert.equal(expiresAt, expires)
    assert.ok(Number(renewAt) > Date.now() && Number(renewAt) < expires)
    const { refresh_token, access_token, desk } = await world.config(id)
    assert.deepEqual(
      [refresh_token, access_token, desk],
      [family.refreshToken, family.accessToken, 8],
    )
  })

  it('says that an account without a refresh token ends with its access token', async () => {
    const { id } = await account({ config: { refresh_token: undefined } })
    const answer = fine(await update(id, { access_token: 'access-by-hand' }))
    assert.deepEqual([answer.status, answer.statusReason], ['active', 'no_refresh_token'])
    assert.deepEqual(await times(id), [null, null, 0, null])
  })

  for (const [status, status_reason] of [
    ['needs_reauth', 'invalid_grant'],
    ['error', 'invalid_client'],
  ] as const)
    it(`makes an account work again that is ${status}`, async () => {
      const { id } = await account({ row: { ...ended, status, status_reason, renew_failures: 2 } })
      const next = world.provider.newFamily()
      const answer = fine(await update(id, { refresh_token: next.refreshToken }))
      assert.deepEqual([answer.status, answer.statusReason], ['active', null])
      const { grant } = await freshConfig(world.node(), id)
      assert.equal(grant.config.access_token, next.accessToken)
    })

  it('leaves an account to the person while its tokens are those of the dead grant', async () => {
    const dead = { status: 'needs_reauth', status_reason: 'invalid_grant', renew_at: null } as const
    const { id, family } = await account({ row: { ...ended, ...dead } })
    const answer = fine(await update(id, { desk: 8 }))
    assert.deepEqual([answer.status, answer.statusReason], ['needs_reauth', 'invalid_grant'])
    assert.equal((await world.config(id)).desk, 8)
    const same = { refresh_token: family.refreshToken, access_token: family.accessToken }
    assert.equal(fine(await update(id, same)).status, 'needs_reauth')
    const { token_expires_at, renew_at, lease_owner } = await world.row(id)
    assert.deepEqual(
      [token_expires_at, renew_at, lease_owner],
      [ended.token_expires_at, null, null],
    )
  })

  it('leaves everything as it was when CHECK refuses', async () => {
    const { id } = await account({ row: { ...ended, status: 'needs_reauth', status_reason: 'x' } })
    const before = await world.row(id)
    refused(await update(id, { access_token: 'wrong' }), 'credentials_rejected')
    const { lease_owner, lease_until, ...rest } = await world.row(id)
    assert.deepEqual([lease_owner, lease_until], [null, null])
    const { lease_owner: _owner, lease_until: _until, ...expected } = before
    assert.deepEqual(rest, expected)
  })

  it('has the tokens of a sign-in revoked that a key replaces, and not while they may be of use', async () => {
    const code = twoWays(world)
    const swap = (id: string, authType: string) =>
      world.t.call('POST', `/v1/integration_account/${id}`, { body: { authType, config: {} } })
    await world.t.database.transaction((trx) =>
      trx.updateTable('accounts').set({ deleted_at: 1 }).execute(),
    )
    const ofSamePerson = await Promise.all([account({ code }), account({ code })])
    for (const { id } of ofSamePerson) await world.change(id, { identity_id: 'alice' })
    world.provider.revoked.length = 0
    for (const { id } of ofSamePerson) {
      assert.deepEqual(world.provider.revoked, [])
      const answer = fine(await swap(id, 'Api Key'))
      assert.deepEqual([answer.authType, answer.status], ['Api Key', 'active'])
    }
    const last = ofSamePerson[1].family
    const expected = [`refresh_token ${last.refreshToken}`, `access_token ${last.accessToken}`]
    assert.deepEqual(world.provider.revoked, expected)
  })

  it('renews an access token that has ended before CHECK is asked about it', async () => {
    const { id, family } = await account({ row: ended, code: strictBundle(world) })
    fine(await update(id, { desk: 9 }))
    const { desk, access_token } = await world.config(id)
    assert.deepEqual([desk, access_token], [9, family.accessToken])
    assert.equal(world.provider.calls.length, 1)
  })

  it('does not call credentials refused whose provider does not renew them now', async () => {
    const { id } = await account({ row: ended, code: strictBundle(world) })
    world.provider.beforeRotation = (response) => {
      response.writeHead(503).end()
      return true
    }
    const before = await world.config(id)
    const { status, body } = await update(id, { desk: 9 })
    assert.deepEqual([status, body.error], [502, 'provider_error'])
    assert.deepEqual(await world.config(id), before)
  })

  it('waits for a renewal that is under way, and builds on what it got', async () => {
    const { id, family } = await account()
    const held = await takeLease(world.node(), { account_id: id, credential_version: 1 })
    assert.ok(held)
    const answer = update(id, { desk: 9 })
    const first = await Promise.race([
      answer,
      new Promise((done) => setTimeout(done, 200, 'waits')),
    ])
    assert.equal(first, 'waits')
    await held.write({ lease_owner: null, lease_until: null })
    fine(await answer)
    assert.equal((await world.config(id)).refresh_token, family.refreshToken)
    assert.equal((await world.config(id)).desk, 9)
  })
}

/** Two ways to connect; with a key, nobody needs the tokens any more. */
function twoWays(world: RenewalWorld): string {
  const { OAuth2 } = oauthSpec(world.provider, {
    revocation_url: `${world.provider.url}/revoke`,
  }).auth_specification
  const key = { input_specification: { type: 'object', properties: {} } }
  return miniBundle({ auth_specification: { OAuth2, 'Api Key': key } })
}

/** Its CHECK tells the provider which client it was given. */
function clientBundle(world: RenewalWorld): string {
  const { origin } = world.t
  const spec = oauthSpec(world.provider)
  const url = origin.serve('/check', (_request, response) => response.writeHead(200).end())
  return `
const spec = ${JSON.stringify(spec)}
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return spec
  if (command === 'HEADERS') return { Authorization: 'Bearer ' + config.access_token }
  if (command !== 'CHECK') throw new Error('Command not found')
  await fetch(${JSON.stringify(url)} + '?' + config.client_id + ':' + config.client_secret)
  return { status: String(config.access_token).startsWith('access-'), error: '' }
}
`
}

/** Its CHECK asks the API, which takes the newest access token only. */
function strictBundle(world: RenewalWorld): string {
  return `
const spec = ${JSON.stringify(oauthSpec(world.provider))}
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return spec
  if (command !== 'CHECK') throw new Error('Command not found')
  const headers = { Authorization: 'Bearer ' + config.access_token }
  const { ok } = await fetch('${world.provider.url}/me', { headers })
  return { status: ok, error: ok ? '' : 'Not accepted.' }
}
`
}
