import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { describePostgres } from '../../../../test/postgres.ts'
import { oauthSpec, type RenewalWorld, startRenewalWorld } from '../test/renewal-world.ts'
import { rotatingBundle } from '../test/rotating-bundle.ts'
import { accountHeaders } from './account-headers.ts'

describe('a token endpoint that says no for a moment to a bundle that renews by itself', () => {
  promises(async () => undefined)
})

describePostgres('a token endpoint that says no for a moment, on PostgreSQL', (server) => {
  promises(() => server().createDatabase('moment_of_no'))
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
  })

  /** Its CHECK renews too, as those of the older kit do, and tells nobody of the new refresh token. */
  const code = () =>
    rotatingBundle(oauthSpec(world.provider)).replace(
      "return { status: false, error: 'Command not found' }",
      `if (command !== 'CHECK') return { status: false, error: 'Command not found' }
  const { Authorization } = await headers(params.config)
  return Authorization === undefined ? { status: false, error: 'refused' } : { status: true, error: '' }`,
    )
  const connect = () =>
    world.account({
      code: code(),
      hasApp: false,
      row: { token_expires_at: null, renew_at: null },
    })

  for (const status of [400, 401])
    it(`loses no refresh token after one ${status}`, async () => {
      const { id, family } = await connect()
      world.provider.beforeRotation = (response) => {
        world.provider.beforeRotation = undefined
        response.writeHead(status).end('{"error":"invalid_grant"}')
        return true
      }
      const { headers } = await accountHeaders(world.node(), id)
      assert.equal(headers?.Authorization, `Bearer ${family.accessToken}`)
      assert.equal(world.provider.kills(), 0)
      assert.equal((await world.config(id)).refresh_token, family.refreshToken)
      const { status: of, lease_owner } = await world.row(id)
      assert.deepEqual([of, lease_owner], ['active', null])
    })

  it('asks CHECK nothing when the second answer is no word about the credentials', async () => {
    const { id, family } = await connect()
    let count = 0
    world.provider.beforeRotation = (response) => {
      count += 1
      if (count > 2) return false
      response.writeHead(count === 1 ? 400 : 503).end()
      return true
    }
    const node = world.node()
    await assert.rejects(accountHeaders(node, id), { code: 'provider_error' })
    assert.equal(world.provider.calls.length, 2)
    const { headers } = await accountHeaders(node, id)
    assert.equal(headers?.Authorization, `Bearer ${family.accessToken}`)
  })

  it('needs the person when it stays with no', async () => {
    const { id, family } = await connect()
    family.isDead = true
    await assert.rejects(accountHeaders(world.node(), id), { code: 'needs_reauth' })
    assert.equal((await world.row(id)).status_reason, 'credentials_rejected')
  })
}
