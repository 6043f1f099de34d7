import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { describePostgres, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { countRows, expectCreated, expectError, expectOk } from '../../../../test/test-context.ts'
import type { AccountId } from '../account.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from '../token-refresh/test/refresh-test-context.ts'
import { createRotatingBundle } from '../token-refresh/test/rotating-bundle.ts'
import { sweepRotations } from './rotation-store.ts'

const TITLE = 'Refresh tokens rotated by CHECK'
describe(`${TITLE} (SQLite)`, () =>
  defineTests(async () => undefined, ['refuses', 'throws', 'spins']))
// A CHECK that spins computes for as long as the runner allows, whatever the database is.
describePostgres(`${TITLE} (PostgreSQL)`, (server) =>
  defineTests(() => server().createMigratedDatabase(), ['refuses', 'throws']),
)

function defineTests(newUrl: NewDatabaseUrl, moods: readonly string[]): void {
  let context: RefreshTestContext
  let integrationDefinitionId: string
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
    const code = createRotatingBundle(createOAuthSpec(context.provider))
    integrationDefinitionId = String(
      (await context.t.createDefinition({ code })).integrationDefinitionId,
    )
  })
  after(() => context.close())
  beforeEach(() => {
    context.provider.calls.length = 0
    context.provider.beforeRotation = undefined
  })

  const createInput = (refresh_token: string, overrides: object = {}) => ({
    integrationDefinitionId,
    authType: 'OAuth2',
    config: { client_id: 'theirs', client_secret: 'of theirs', refresh_token, ...overrides },
  })
  const send = (refreshToken: string, overrides: object = {}) =>
    context.t.call('POST', '/v1/integration_account/check', {
      body: createInput(refreshToken, overrides),
    })
  const check = async (refreshToken: string) => expectOk(await send(refreshToken))
  const create = (refreshToken: string, overrides: object = {}) =>
    context.t.call('POST', '/v1/integration_account', {
      body: { ...createInput(refreshToken, overrides), integrationAccountName: 'Theirs' },
    })
  const countRotations = () => countRows(context.t, 'rotations')
  const getCredentialsStatus = async (id: AccountId) => {
    const { headers } = expectOk(
      await context.t.call('GET', `/v1/integration_account/${id}/credentials`),
    )
    return (await fetch(`${context.provider.url}/me`, { headers })).status
  }

  it('a rotated refresh token can be checked several times before the account is created', async () => {
    const family = context.provider.newFamily()
    const { refreshToken } = family
    for (let times = 0; times < 3; times += 1)
      assert.deepEqual(await check(refreshToken), { status: true, error: '' })
    assert.equal(await countRotations(), 1)
    const id = expectCreated(await create(refreshToken)).integrationAccountId
    const { refresh_token, access_token } = await context.config(id)
    assert.deepEqual([refresh_token, access_token], [family.refreshToken, family.accessToken])
    assert.equal(context.provider.reuseCount(), 0)
    assert.equal(await countRotations(), 0, 'the token is stored with the account')
    assert.equal(await getCredentialsStatus(id), 200)
  })

  it('a rotated refresh token can be checked before an account is updated with it', async () => {
    const id = expectCreated(
      await create(context.provider.newFamily().refreshToken),
    ).integrationAccountId
    const family = context.provider.newFamily()
    const { refreshToken } = family
    await check(refreshToken)
    const { config } = createInput(refreshToken)
    expectOk(await context.t.call('POST', `/v1/integration_account/${id}`, { body: { config } }))
    assert.equal((await context.config(id)).refresh_token, family.refreshToken)
    assert.deepEqual([context.provider.reuseCount(), await countRotations()], [0, 0])
  })

  it('a rotated refresh token survives a timeout of the provider in the next check', async () => {
    const family = context.provider.newFamily()
    const { refreshToken } = family
    await check(refreshToken)
    context.provider.beforeRotation = (response) => {
      response.writeHead(503).end()
      return true
    }
    assert.notEqual((await create(refreshToken)).status, 201)
    context.provider.beforeRotation = undefined
    expectCreated(await create(refreshToken))
    assert.equal(context.provider.reuseCount(), 0)
  })

  it('with other fields, only the same sender or a token with credentials:read continues with the rotated token', async () => {
    const scopes = ['read', 'accounts:write']
    const [one, other] = [
      await context.t.createToken({ scopes }),
      await context.t.createToken({ scopes }),
    ]
    const family = context.provider.newFamily()
    const { refreshToken } = family
    const sendAs = (token: string, overrides: object = {}, path = '/check') => {
      const name = path === '' ? { integrationAccountName: 'Theirs' } : {}
      const body = { ...createInput(refreshToken, overrides), ...name }
      return context.t.call('POST', `/v1/integration_account${path}`, { body, token })
    }
    const assertRefused = async (token: string, overrides: object, path?: string) => {
      const count = context.provider.calls.length
      const { errors } = expectError(await sendAs(token, overrides, path), 'secret_required')
      assert.deepEqual(Object.keys(errors), ['config.refresh_token'])
      assert.equal(context.provider.calls.length, count, 'no request is sent')
    }
    expectOk(await sendAs(one))
    expectOk(await sendAs(one, { mood: 'calm' }))
    await assertRefused(other, { mood: 'other' })
    await assertRefused(other, { mood: 'calm', base_url: 'https://elsewhere.example' }, '')
    expectOk(await sendAs(other, { mood: 'calm' }))
    await assertRefused(other, { mood: 'other' })
    expectOk(await sendAs(context.t.token, { mood: 'read' }))
    const id = expectCreated(await sendAs(other, { mood: 'calm' }, '')).integrationAccountId
    assert.equal(await getCredentialsStatus(id), 200)
    assert.deepEqual([context.provider.reuseCount(), await countRotations()], [0, 0])
  })

  it('rotated tokens are stored encrypted and deleted after an hour', async () => {
    const family = context.provider.newFamily()
    await check(family.refreshToken)
    const { sealed } = await context.t.database.read
      .selectFrom('rotations')
      .selectAll()
      .executeTakeFirstOrThrow()
    assert.ok(!Buffer.from(sealed).includes(family.refreshToken))
    const { database } = context.t
    await sweepRotations(database, Date.now() + 59 * 60_000)
    assert.equal(await countRotations(), 1)
    await sweepRotations(database, Date.now() + 60 * 60_000)
    assert.equal(await countRotations(), 0)
  })

  it('a refresh token that the provider rejects is not stored', async () => {
    const { status } = await check('unknown-token')
    assert.deepEqual([status, await countRotations()], [false, 0])
  })

  for (const mood of moods)
    it(`a rotated refresh token survives a CHECK that ${mood} after the rotation`, async () => {
      const family = context.provider.newFamily()
      const { refreshToken } = family
      const failed = await create(refreshToken, { mood })
      assert.ok(failed.status >= 400 && failed.status !== 500, failed.text)
      assert.equal(await countRotations(), 1)
      const id = expectCreated(await create(refreshToken)).integrationAccountId
      assert.equal(await getCredentialsStatus(id), 200)
      const before = await context.row(id)
      const update = (config: object) =>
        context.t.call('POST', `/v1/integration_account/${id}`, { body: { config } })
      assert.ok((await update({ mood })).status >= 400)
      assert.equal((await context.config(id)).refresh_token, family.refreshToken)
      assert.equal((await context.config(id)).mood, undefined)
      assert.equal((await context.row(id)).credential_version, before.credential_version)
      assert.equal(await getCredentialsStatus(id), 200)
      expectOk(await update({ mood: 'calm' }))
      assert.equal(await getCredentialsStatus(id), 200)
      assert.deepEqual([context.provider.reuseCount(), await countRotations()], [0, 0])
    })

  it('503 if too many requests wait for the same refresh token', async () => {
    const { refreshToken } = context.provider.newFamily()
    const all = await Promise.all(Array.from({ length: 20 }, () => send(refreshToken)))
    const rejected = all.filter(({ status }) => status !== 200)
    assert.ok(rejected.length >= 1 && rejected.length < 20, String(rejected.length))
    for (const each of rejected) expectError(each, 'refresh_in_progress')
    assert.equal(context.provider.reuseCount(), 0)
  })

  it('a refresh token is used by one request at a time', async () => {
    const family = context.provider.newFamily()
    const { refreshToken } = family
    const all = await Promise.all([1, 2, 3, 4].map(() => send(refreshToken)))
    for (const each of all) assert.deepEqual(expectOk(each), { status: true, error: '' })
    const id = expectCreated(await create(refreshToken)).integrationAccountId
    assert.equal(await getCredentialsStatus(id), 200)
    assert.equal(context.provider.reuseCount(), 0)
    assert.equal(await countRows(context.t, 'token_leases'), 0)
  })
}
