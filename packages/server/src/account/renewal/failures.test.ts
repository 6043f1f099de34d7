import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { auditOf } from '../../../test/fixtures.ts'
import { describePostgres } from '../../../test/postgres.ts'
import type { ApiError } from '../../errors.ts'
import { freshConfig } from './fresh-credentials.ts'
import { type RenewalWorld, startRenewalWorld } from './test/renewal-world.ts'

describe('a renewal that fails', () => {
  promises(async () => undefined)
})

describePostgres('a renewal that fails on PostgreSQL', (server) => {
  promises(() => server().createDatabase('renewal_failures'))
})

function promises(url: () => Promise<string | undefined>): void {
  let world: RenewalWorld
  before(async () => {
    world = await startRenewalWorld({ url: await url() })
  })
  after(() => world.close())
  beforeEach(() => {
    const plain = { graceMs: 0, beforeRotation: undefined, afterRotation: undefined }
    Object.assign(world.provider, { expiresIn: 3_600, ...plain })
    world.provider.calls.length = 0
  })

  const failure = (id: string, node = world.node()): Promise<ApiError> =>
    freshConfig(node, id).then(
      () => assert.fail('it was served'),
      (error: ApiError) => error,
    )
  const says = (status: number, body: object, headers: Record<string, string> = {}) => {
    world.provider.beforeRotation = (response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify(body))
      return true
    }
  }
  const dead = { token_expires_at: Date.now() - 1_000, renew_at: 1 }

  it('needs the person at once when the grant is dead, and says so in the audit trail', async () => {
    const { id, family } = await world.account()
    family.isDead = true
    assert.equal((await failure(id)).code, 'needs_reauth')
    const { status, status_reason, renew_at } = await world.row(id)
    assert.deepEqual([status, status_reason, renew_at], ['needs_reauth', 'invalid_grant', null])
    assert.deepEqual(await auditOf(world.t, id), ['account.needs_reauth'])
    assert.equal((await failure(id)).code, 'needs_reauth')
    assert.equal(world.provider.calls.length, 1)
  })

  for (const [status, body] of [
    [503, {}],
    [500, { error: 'invalid_grant' }],
    [429, {}],
    [200, { surprise: true }],
  ] as const)
    it(`serves the old token after ${status} ${JSON.stringify(body)}, and backs off`, async () => {
      const { id, family } = await world.account()
      says(status, body)
      const { grant } = await freshConfig(world.node(), id)
      assert.equal(grant.config.access_token, family.accessToken)
      const asked = world.provider.calls.length
      await freshConfig(world.node(), id)
      assert.equal(world.provider.calls.length, asked, 'nobody asks while backing off')
      const row = await world.row(id)
      assert.deepEqual([row.status, row.renew_failures, row.lease_owner], ['active', 1, null])
      const wait = Number(row.renew_at) - Date.now()
      assert.ok(wait > 20_000 && wait < 40_000, `${wait}`)
    })

  it('answers 502 once the token has ended, and works again after the back-off', async () => {
    const { id, family } = await world.account({ row: dead })
    says(503, {}, { 'retry-after': '120' })
    const error = await failure(id)
    assert.deepEqual([error.code, error.statusCode], ['provider_error', 502])
    assert.ok(Number(error.headers['retry-after']) > 100)
    assert.equal((await world.row(id)).status, 'active')
    world.provider.beforeRotation = undefined
    assert.equal((await failure(id)).code, 'provider_error')
    await world.change(id, { renew_at: 1 })
    const { grant } = await freshConfig(world.node(), id)
    assert.equal(grant.config.access_token, family.accessToken)
    assert.equal((await world.row(id)).renew_failures, 0)
  })

  it('answers 504 when the provider does not answer in time', async () => {
    const { id } = await world.account({ row: dead })
    world.provider.beforeRotation = () => new Promise(() => {})
    const times = { leaseMs: 2_000, providerMs: 300, waitMs: 1_000 }
    const error = await failure(id, world.node({ renewalTimes: times }))
    assert.deepEqual([error.code, error.statusCode], ['provider_timeout', 504])
    assert.equal(world.provider.calls.length, 1, 'it is not asked again at once')
    assert.equal((await world.row(id)).status, 'active')
  })

  it('waits for the operator when the client is refused, and tries again once the app has changed', async () => {
    const { id, family } = await world.account({ row: dead })
    says(401, { error: 'invalid_client' })
    assert.equal((await failure(id)).code, 'provider_error')
    const { status, status_reason, oauth_app_id } = await world.row(id)
    assert.deepEqual([status, status_reason], ['error', 'invalid_client'])
    await failure(id)
    assert.equal(world.provider.calls.length, 1)
    world.provider.beforeRotation = undefined
    const path = `/v1/integration_oauth/${oauth_app_id}`
    await new Promise((resolve) => setTimeout(resolve, 20))
    await world.t.call('POST', path, { body: { clientSecret: 'the right one' } })
    const { grant } = await freshConfig(world.node(), id)
    assert.equal(grant.config.access_token, family.accessToken)
    const row = await world.row(id)
    assert.deepEqual([row.status, row.status_reason], ['active', null])
  })

  it('asks again at once with the old token when the reply is cut off, which grace forgives', async () => {
    const { id, family } = await world.account()
    world.provider.graceMs = 5_000
    cutOffOnce()
    const { grant } = await freshConfig(world.node(), id)
    assert.equal(world.provider.calls.length, 2)
    assert.equal(new Set(world.provider.calls).size, 1)
    assert.equal(grant.config.access_token, family.accessToken)
    assert.equal((await world.row(id)).renewal_sent_at, null)
  })

  it('says reply_lost when the provider has no grace', async () => {
    const { id } = await world.account()
    cutOffOnce()
    assert.equal((await failure(id)).code, 'needs_reauth')
    assert.equal((await world.row(id)).status_reason, 'reply_lost')
  })

  it('says reply_lost when the one who asked before has died', async () => {
    const { id, family } = await world.account({ row: { renewal_sent_at: Date.now() - 60_000 } })
    family.isDead = true
    assert.equal((await failure(id)).code, 'needs_reauth')
    assert.equal((await world.row(id)).status_reason, 'reply_lost')
  })

  it('needs the person when a token has ended that never could be renewed', async () => {
    const row = { token_expires_at: Date.now() - 1, renew_at: null }
    const { id } = await world.account({ row, config: { refresh_token: undefined } })
    assert.equal((await failure(id)).code, 'needs_reauth')
    assert.equal((await world.row(id)).status_reason, 'token_expired')
    assert.deepEqual(world.provider.calls, [])
  })

  it('uses no credentials that wait to be confirmed', async () => {
    const { id } = await world.account({ row: { status: 'pending' } })
    assert.equal((await failure(id)).code, 'account_pending')
  })

  function cutOffOnce(): void {
    world.provider.afterRotation = (response) => {
      world.provider.afterRotation = undefined
      response.destroy()
      return true
    }
  }
}
