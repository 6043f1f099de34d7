import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fine } from '../../../test/fixtures.ts'
import { miniBundle } from '../../../test/mini-bundle.ts'
import { registerApp } from '../../../test/oauth-app-fixtures.ts'
import { describePostgres } from '../../../test/postgres.ts'
import { freshConfig } from './fresh-credentials.ts'
import { accountHeaders } from './headers/account-headers.ts'
import {
  type AccountOptions,
  oauthSpec,
  type RenewalWorld,
  startRenewalWorld,
} from './test/renewal-world.ts'
import { rotatingBundle } from './test/rotating-bundle.ts'

describe('an account that is deleted', () => {
  promises(async () => undefined)
})

describePostgres('an account that is deleted, on PostgreSQL', (server) => {
  promises(() => server().createDatabase('late_revocation'))
})

function promises(url: () => Promise<string | undefined>): void {
  let world: RenewalWorld
  before(async () => {
    world = await startRenewalWorld({ url: await url() })
  })
  after(() => world.close())
  beforeEach(() => {
    Object.assign(world.provider, { beforeRotation: undefined, afterRotation: undefined })
    world.provider.revoked.length = 0
  })

  const spec = () => oauthSpec(world.provider, { revocation_url: `${world.provider.url}/revoke` })
  const account = (more: AccountOptions = {}) =>
    world.account({ code: miniBundle(spec()), ...more })
  const remove = (id: string) => world.t.call('DELETE', `/v1/integration_account/${id}`)
  const both = ({ refreshToken, accessToken }: { refreshToken: string; accessToken: string }) => [
    `refresh_token ${refreshToken}`,
    `access_token ${accessToken}`,
  ]
  /** Lets the provider take this long between rotating and answering; resolves when it has rotated. */
  const slowAnswer = (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    world.provider.afterRotation = async () => {
      world.provider.afterRotation = undefined
      resolve()
      await sleep(ms)
      return false
    }
    return promise
  }

  it('waits for a renewal that is under way, and has the tokens revoked that it brings', async () => {
    const { id, family } = await account()
    const rotated = slowAnswer(400)
    const renewal = freshConfig(world.node(), id).catch(() => undefined)
    await rotated
    assert.equal(fine(await remove(id)).revocation, 'revoked')
    await renewal
    assert.deepEqual(world.provider.revoked, both(family))
  })

  it('has tokens revoked that come after it is gone', async () => {
    const { id, family } = await account()
    const rotated = slowAnswer(4_000)
    const renewal = freshConfig(world.node(), id)
    const refusal = assert.rejects(renewal, { code: 'integration_account_not_found' })
    await rotated
    let isOver = false
    void refusal.finally(() => {
      isOver = true
    })
    assert.equal(fine(await remove(id)).revocation, 'revoked')
    assert.equal(isOver, false, 'it does not wait for ever')
    await refusal
    assert.deepEqual(world.provider.revoked.slice(2), both(family))
  })

  it('has tokens revoked that its bundle gets after it is gone', async () => {
    const unmanaged = { hasApp: false, row: { token_expires_at: null, renew_at: null } }
    const config = { client_id: 'imported', client_secret: 'with the tokens' }
    const { id, family } = await account({ ...unmanaged, config, code: rotatingBundle(spec()) })
    const rotated = slowAnswer(4_000)
    const refusal = assert.rejects(accountHeaders(world.node(), id))
    await rotated
    assert.equal(fine(await remove(id)).revocation, 'revoked')
    await refusal
    assert.deepEqual(world.provider.revoked.slice(2), both(family))
  })

  it('leaves the tokens of a renewal alone that came too late because of an update', async () => {
    const { id } = await account()
    const rotated = slowAnswer(300)
    const renewal = freshConfig(world.node(), id)
    await rotated
    await world.change(id, { credential_version: 7, token_expires_at: Date.now() + 900_000 })
    await renewal
    assert.deepEqual(world.provider.revoked, [])
  })

  it("has imported tokens revoked by the client beside them, else by the workspace's app", async () => {
    const unmanaged = { hasApp: false, row: { token_expires_at: null, renew_at: null } }
    const own = await account({ ...unmanaged, config: { client_id: 'imported' } })
    assert.equal(fine(await remove(own.id)).revocation, 'revoked')
    const bare = await account(unmanaged)
    const { definition_id: integrationDefinitionId } = await world.row(bare.id)
    await registerApp(world.t, { integrationDefinitionId, clientId: 'of the workspace' })
    assert.equal(fine(await remove(bare.id)).revocation, 'revoked')
    assert.deepEqual(world.provider.revoked, [...both(own.family), ...both(bare.family)])
    assert.deepEqual(world.provider.revokers.slice(-4), [
      ...['imported', 'imported'],
      ...['of the workspace', 'of the workspace'],
    ])
  })

  it('has nothing to revoke without any client', async () => {
    const { id } = await account({ hasApp: false, row: { token_expires_at: null, renew_at: null } })
    assert.equal(fine(await remove(id)).revocation, null)
    assert.deepEqual(world.provider.revoked, [])
  })
}
