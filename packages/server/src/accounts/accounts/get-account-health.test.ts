import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectError, expectOk } from '../../../test/test-context.ts'
import { newId } from '../../platform/storage/id.ts'
import type { AccountId } from './account.ts'
import { createAccountUseStore, USE_STEP_MS } from './account-use-store.ts'
import { acquireLease } from './token-refresh/acquire-lease.ts'
import { getValidCredentials } from './token-refresh/get-valid-credentials.ts'
import { markNeedsReauth } from './token-refresh/save-refresh-result.ts'
import {
  type RefreshTestContext,
  startRefreshTestContext,
} from './token-refresh/test/refresh-test-context.ts'

describeOnBothDatabases('GET /v1/integration_account/{id}/health', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())

  const read = async (id: string) =>
    expectOk(await context.t.call('GET', `/v1/integration_account/${id}/health`))
  const isNow = (time: string) => assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000, time)

  it('GET …/health: an account with a key has no permissions and no token, and was checked when it was created', async () => {
    const { integrationDefinitionId } = await context.t.createDefinition()
    const account = await context.t.createAccount(integrationDefinitionId)
    const health = await read(account.integrationAccountId)
    const { statusSince, checkedAt, lastOkAt, ...rest } = health
    assert.deepEqual(rest, {
      integrationAccountId: account.integrationAccountId,
      lastUsedAt: null,
      nextCheckAt: null,
      rejections: 0,
      isHeld: false,
      lastErrorAt: null,
      lastErrorCode: null,
      version: '0.0.1',
      debugWindow: null,
      permissions: null,
      token: null,
      integrationOAuthAppId: null,
    })
    assert.equal(statusSince, account.createdAt)
    assert.deepEqual([checkedAt, lastOkAt], [account.createdAt, account.createdAt])
  })

  it('GET …/health: has what is requested, granted and missing, and what is known of it', async () => {
    const { id } = await context.account({
      row: {
        requested_scopes: JSON.stringify(['read:jira', 'write:jira']),
        granted_scopes: JSON.stringify(['read:jira', 'more']),
        scope_source: 'reported',
      },
    })
    const { permissions } = await read(id)
    assert.deepEqual(permissions, {
      requested: ['read:jira', 'write:jira'],
      granted: ['read:jira', 'more'],
      missing: ['write:jira'],
      needed: [],
      source: 'reported',
    })
  })

  it('GET …/health: what a node of an earlier version stores is unknown, until the background has read it', async () => {
    const { id } = await context.account({
      row: {
        requested_scopes: JSON.stringify(['read:jira', 'write:jira']),
        granted_scopes: JSON.stringify(['read:jira', 'write:jira']),
        scope_source: 'reported',
        scopes_at: 1,
      },
    })
    await context.change(id, { granted_scopes: JSON.stringify(['read:jira']) })
    assert.equal((await read(id)).permissions.source, 'unknown')
  })

  it('GET …/health: a refresh has its time and the scopes that the response reports', async () => {
    const { id } = await context.account()
    assert.equal((await read(id)).token.refreshedAt, null)
    context.provider.extraFields = { scope: 'read,write' }
    await getValidCredentials(context.node(), id)
    context.provider.extraFields = {}
    const { token, permissions, lastOkAt } = await read(id)
    isNow(token.refreshedAt)
    isNow(lastOkAt)
    assert.deepEqual(permissions.granted, ['read', 'write'])
    assert.equal(token.failures, 0)
    assert.ok(Date.parse(token.nextRefreshAt) < Date.parse(token.expiresAt))
  })

  it('GET …/health: the status is what it is since it changed, and not since another change', async () => {
    const { id } = await context.account({ row: { created_at: 1_000, updated_at: 1_000 } })
    assert.equal(Date.parse((await read(id)).statusSince), 1_000)
    const lease = await acquireLease(context.node(), { accountId: id, credentialVersion: 1 })
    assert.ok(lease)
    await markNeedsReauth(lease, 'invalid_grant')
    const { statusSince, lastErrorAt, lastErrorCode } = await read(id)
    isNow(statusSince)
    isNow(lastErrorAt)
    assert.equal(lastErrorCode, 'refresh_failed')
    const body = { integrationAccountName: 'Another' }
    expectOk(await context.t.call('POST', `/v1/integration_account/${id}`, { body }))
    assert.equal((await read(id)).statusSince, statusSince)
  })

  it('GET …/health: a node of an earlier version that changes the status notes it, too', async () => {
    const { id } = await context.account({ row: { created_at: 1_000, updated_at: 1_000 } })
    await context.change(id, { status: 'error', updated_at: 5_000 })
    assert.equal(Date.parse((await read(id)).statusSince), 5_000)
    await context.change(id, { status: 'error', updated_at: 6_000 })
    assert.equal(Date.parse((await read(id)).statusSince), 5_000)
  })

  it('GET an account: has the time of its status and its user, also after a node of an earlier version changed them', async () => {
    const { id } = await context.account({ row: { created_at: 1_000, updated_at: 1_000 } })
    const get = async () => expectOk(await context.t.call('GET', `/v1/integration_account/${id}`))
    const first = await get()
    assert.deepEqual([Date.parse(first.statusSince), first.identity], [1_000, null])
    await context.change(id, {
      status: 'error',
      updated_at: 5_000,
      identity_label: 'Ada@East.example',
    })
    const { statusSince, identity } = await get()
    assert.deepEqual(
      [Date.parse(statusSince), identity],
      [5_000, { id: null, label: 'Ada@East.example' }],
    )
    const body = { integrationAccountName: 'Another' }
    expectOk(await context.t.call('POST', `/v1/integration_account/${id}`, { body }))
    const found = expectOk(await context.t.call('GET', '/v1/integration_account?q=ada@EAST'))
    assert.deepEqual(
      found.map((account: { integrationAccountId: string }) => account.integrationAccountId),
      [id],
    )
    const deleted = expectOk(await context.t.call('DELETE', `/v1/integration_account/${id}`))
    assert.deepEqual([deleted.identity, deleted.statusSince], [null, deleted.deleted])
    assert.deepEqual(await get(), (({ revocation: _, ...rest }) => rest)(deleted))
  })

  it('GET …/health: uses and their success are noted in steps of 15 minutes', async () => {
    const { id } = await context.account()
    const { write, writeSuccess } = createAccountUseStore(context.t.database)
    await write([{ accountId: id, at: 1_000 }])
    await writeSuccess([{ accountId: id, at: 2_000 }])
    await writeSuccess([{ accountId: id, at: 2_000 + USE_STEP_MS - 1 }])
    const { lastUsedAt, lastOkAt } = await read(id)
    assert.deepEqual([Date.parse(lastUsedAt), Date.parse(lastOkAt)], [1_000, 2_000])
    await writeSuccess([{ accountId: id, at: 2_000 + USE_STEP_MS }])
    assert.equal(Date.parse((await read(id)).lastOkAt), 2_000 + USE_STEP_MS)
  })

  it('GET …/health: a tombstone has times, and no token', async () => {
    const { id } = await context.account()
    const { deleted } = expectOk(await context.t.call('DELETE', `/v1/integration_account/${id}`))
    const { statusSince, token, permissions } = await read(id)
    assert.deepEqual([statusSince, token, permissions], [deleted, null, null])
  })

  it('GET …/health: 404 for an unknown account', async () => {
    for (const id of [newId('acc', Date.now()) as AccountId, 'nonsense'])
      expectError(
        await context.t.call('GET', `/v1/integration_account/${id}/health`),
        'integration_account_not_found',
      )
  })

  itRequiresScope(() => context.t, 'GET', '/v1/integration_account/acc_none/health', {
    scope: 'read',
  })
}
