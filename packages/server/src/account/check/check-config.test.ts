import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { countRows, created, fine, refused } from '../../../test/fixtures.ts'
import { describePostgres } from '../../../test/postgres.ts'
import { oauthSpec, type RenewalWorld, startRenewalWorld } from '../renewal/test/renewal-world.ts'
import { rotatingBundle } from '../renewal/test/rotating-bundle.ts'
import { createRotationStore } from './rotation-store.ts'

describe('a refresh token that CHECK rotates', () => {
  promises(async () => undefined)
})

describePostgres('a refresh token that CHECK rotates, on PostgreSQL', (server) => {
  promises(() => server().createDatabase('check_config'))
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
  const send = (refreshToken: string, more: object = {}) =>
    world.t.call('POST', '/v1/integration_account/check', { body: given(refreshToken, more) })
  const check = async (refreshToken: string) => fine(await send(refreshToken))
  const create = (refreshToken: string, more: object = {}) =>
    world.t.call('POST', '/v1/integration_account', {
      body: { ...given(refreshToken, more), integrationAccountName: 'Theirs' },
    })
  const stored = () => countRows(world.t, 'rotations')
  const works = async (id: string) => {
    const { headers } = fine(await world.t.call('GET', `/v1/integration_account/${id}/credentials`))
    return (await fetch(`${world.provider.url}/me`, { headers })).status
  }

  it('can be checked several times before the account is created', async () => {
    const family = world.provider.newFamily()
    const { refreshToken } = family
    for (let times = 0; times < 3; times += 1)
      assert.deepEqual(await check(refreshToken), { status: true, error: '' })
    assert.equal(await stored(), 1)
    const id = String(created(await create(refreshToken)).integrationAccountId)
    const { refresh_token, access_token } = await world.config(id)
    assert.deepEqual([refresh_token, access_token], [family.refreshToken, family.accessToken])
    assert.equal(world.provider.kills(), 0)
    assert.equal(await stored(), 0, 'the account has it')
    assert.equal(await works(id), 200)
  })

  it('can be checked before an account is updated with it', async () => {
    const id = String(
      created(await create(world.provider.newFamily().refreshToken)).integrationAccountId,
    )
    const family = world.provider.newFamily()
    const { refreshToken } = family
    await check(refreshToken)
    const { config } = given(refreshToken)
    fine(await world.t.call('POST', `/v1/integration_account/${id}`, { body: { config } }))
    assert.equal((await world.config(id)).refresh_token, family.refreshToken)
    assert.deepEqual([world.provider.kills(), await stored()], [0, 0])
  })

  it('survives a provider that does not answer the next check', async () => {
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

  it('continues with other fields only for its sender, or a token with credentials:read', async () => {
    const scopes = ['read', 'accounts:write']
    const [one, other] = [await world.t.mint({ scopes }), await world.t.mint({ scopes })]
    const family = world.provider.newFamily()
    const { refreshToken } = family
    const by = (token: string, more: object = {}, path = '/check') => {
      const name = path === '' ? { integrationAccountName: 'Theirs' } : {}
      const body = { ...given(refreshToken, more), ...name }
      return world.t.call('POST', `/v1/integration_account${path}`, { body, token })
    }
    const isRefused = async (token: string, more: object, path?: string) => {
      const count = world.provider.calls.length
      const { errors } = refused(await by(token, more, path), 'secret_required')
      assert.deepEqual(Object.keys(errors), ['config.refresh_token'])
      assert.equal(world.provider.calls.length, count, 'nothing is sent')
    }
    fine(await by(one))
    fine(await by(one, { mood: 'calm' }))
    await isRefused(other, { mood: 'other' })
    await isRefused(other, { mood: 'calm', base_url: 'https://elsewhere.example' }, '')
    fine(await by(other, { mood: 'calm' }))
    await isRefused(other, { mood: 'other' })
    fine(await by(world.t.token, { mood: 'read' }))
    const id = String(created(await by(other, { mood: 'calm' }, '')).integrationAccountId)
    assert.equal(await works(id), 200)
    assert.deepEqual([world.provider.kills(), await stored()], [0, 0])
  })

  it('is stored sealed, and deleted after an hour', async () => {
    const family = world.provider.newFamily()
    await check(family.refreshToken)
    const { sealed } = await world.t.database.read
      .selectFrom('rotations')
      .selectAll()
      .executeTakeFirstOrThrow()
    assert.ok(!Buffer.from(sealed).includes(family.refreshToken))
    const rotations = createRotationStore(world.t.database)
    await rotations.sweep(Date.now() + 59 * 60_000)
    assert.equal(await stored(), 1)
    await rotations.sweep(Date.now() + 60 * 60_000)
    assert.equal(await stored(), 0)
  })

  it('is not stored when the provider refuses it', async () => {
    const { status } = await check('of-nobody')
    assert.deepEqual([status, await stored()], [false, 0])
  })

  for (const mood of ['refuses', 'throws', 'spins'])
    it(`survives a CHECK that ${mood} after it was rotated`, async () => {
      const family = world.provider.newFamily()
      const { refreshToken } = family
      const failed = await create(refreshToken, { mood })
      assert.ok(failed.status >= 400 && failed.status !== 500, failed.text)
      assert.equal(await stored(), 1)
      const id = String(created(await create(refreshToken)).integrationAccountId)
      assert.equal(await works(id), 200)
      const before = await world.row(id)
      const update = (config: object) =>
        world.t.call('POST', `/v1/integration_account/${id}`, { body: { config } })
      assert.ok((await update({ mood })).status >= 400)
      assert.equal((await world.config(id)).refresh_token, family.refreshToken)
      assert.equal((await world.config(id)).mood, undefined)
      assert.equal((await world.row(id)).credential_version, before.credential_version)
      assert.equal(await works(id), 200)
      fine(await update({ mood: 'calm' }))
      assert.equal(await works(id), 200)
      assert.deepEqual([world.provider.kills(), await stored()], [0, 0])
    })

  it('refuses requests with 503 when too many wait for it', async () => {
    const { refreshToken } = world.provider.newFamily()
    const all = await Promise.all(Array.from({ length: 20 }, () => send(refreshToken)))
    const turnedAway = all.filter(({ status }) => status !== 200)
    assert.ok(turnedAway.length >= 1 && turnedAway.length < 20, String(turnedAway.length))
    for (const each of turnedAway) refused(each, 'renewal_in_progress')
    assert.equal(world.provider.kills(), 0)
  })

  it('is used by one request at a time', async () => {
    const family = world.provider.newFamily()
    const { refreshToken } = family
    const all = await Promise.all([1, 2, 3, 4].map(() => send(refreshToken)))
    for (const each of all) assert.deepEqual(fine(each), { status: true, error: '' })
    const id = String(created(await create(refreshToken)).integrationAccountId)
    assert.equal(await works(id), 200)
    assert.equal(world.provider.kills(), 0)
    assert.equal(await countRows(world.t, 'token_leases'), 0)
  })
}
