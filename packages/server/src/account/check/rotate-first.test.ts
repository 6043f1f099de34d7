import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { countRows, created, fine } from '../../../test/fixtures.ts'
import { describePostgres } from '../../../test/postgres.ts'
import { oauthSpec, type RenewalWorld, startRenewalWorld } from '../renewal/test/renewal-world.ts'
import { rotatingBundle } from '../renewal/test/rotating-bundle.ts'
import { createRotationStore } from './rotation-store.ts'

describe('a refresh token that a check has its integration replace', () => {
  promises(async () => undefined)
})

describePostgres('a refresh token that a check has replaced, on PostgreSQL', (server) => {
  promises(() => server().createDatabase('rotate_first'))
})

function promises(url: () => Promise<string | undefined>): void {
  let world: RenewalWorld
  let integrationDefinitionId: string
  before(async () => {
    world = await startRenewalWorld({ url: await url() })
    const code = rotatingBundle(oauthSpec(world.provider))
    integrationDefinitionId = String((await world.t.define({ code })).integrationDefinitionId)
  })
  after(() => world.close())
  beforeEach(() => {
    world.provider.calls.length = 0
    world.provider.beforeRotation = undefined
  })

  const given = (refresh_token: string, more: object = {}) => ({
    ...{ integrationDefinitionId, authType: 'OAuth2' },
    config: { client_id: 'theirs', client_secret: 'of theirs', refresh_token, ...more },
  })
  const check = async (refreshToken: string) => {
    const body = given(refreshToken)
    return fine(await world.t.call('POST', '/v1/integration_account/check', { body }))
  }
  const create = (refreshToken: string) =>
    world.t.call('POST', '/v1/integration_account', {
      body: { ...given(refreshToken), integrationAccountName: 'Theirs' },
    })
  const kept = () => countRows(world.t, 'rotations')

  it('makes an account afterwards, as often as it was checked before', async () => {
    const family = world.provider.newFamily()
    const { refreshToken } = family
    for (let times = 0; times < 3; times += 1)
      assert.deepEqual(await check(refreshToken), { status: true, error: '' })
    assert.equal(await kept(), 1)
    const id = String(created(await create(refreshToken)).integrationAccountId)
    const { refresh_token, access_token } = await world.config(id)
    assert.deepEqual([refresh_token, access_token], [family.refreshToken, family.accessToken])
    assert.equal(world.provider.kills(), 0)
    assert.equal(await kept(), 0, 'from then on the account has it')
  })

  it('mends an account afterwards', async () => {
    const id = String(
      created(await create(world.provider.newFamily().refreshToken)).integrationAccountId,
    )
    const family = world.provider.newFamily()
    const { refreshToken } = family
    await check(refreshToken)
    const { config } = given(refreshToken)
    fine(await world.t.call('POST', `/v1/integration_account/${id}`, { body: { config } }))
    assert.equal((await world.config(id)).refresh_token, family.refreshToken)
    assert.deepEqual([world.provider.kills(), await kept()], [0, 0])
  })

  it('is not lost when the provider does not answer the next time', async () => {
    const family = world.provider.newFamily()
    const { refreshToken } = family
    await check(refreshToken)
    world.provider.beforeRotation = (response) => {
      response.writeHead(503).end()
      return true
    }
    assert.notEqual((await create(refreshToken)).status, 201)
    world.provider.beforeRotation = undefined
    created(await create(refreshToken))
    assert.equal(world.provider.kills(), 0)
  })

  it('is sealed, and erased when nobody comes for it', async () => {
    const family = world.provider.newFamily()
    await check(family.refreshToken)
    const { sealed } = await world.t.database.read
      .selectFrom('rotations')
      .selectAll()
      .executeTakeFirstOrThrow()
    assert.ok(!Buffer.from(sealed).includes(family.refreshToken))
    const rotations = createRotationStore(world.t.database)
    await rotations.sweep(Date.now() + 59 * 60_000)
    assert.equal(await kept(), 1)
    await rotations.sweep(Date.now() + 60 * 60_000)
    assert.equal(await kept(), 0)
  })

  it('leaves wrong credentials wrong, and keeps nothing of them', async () => {
    const { status } = await check('of-nobody')
    assert.deepEqual([status, await kept()], [false, 0])
  })
}
