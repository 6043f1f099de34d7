import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { registerOAuthApp, UNKNOWN_OAUTH_APP_ID } from '../../../test/register-oauth-app.ts'
import {
  expectError,
  expectOk,
  hashAllTables,
  listAuditActions,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { createLog } from '../../platform/http/log.ts'
import { parseKeys } from '../../platform/vault/key-ring.ts'
import { createVault } from '../../platform/vault/vault.ts'
import { loadOAuthClient } from './load-oauth-client.ts'
import type { OAuthAppId } from './oauth-app.ts'
import { createOAuthAppStore } from './oauth-app-store.ts'

describe('POST /v1/integration_oauth/{integrationOAuthAppId}', () => {
  let t: TestContext
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  const update = (id: unknown, body: unknown, token = t.token) =>
    t.call('POST', `/v1/integration_oauth/${id}`, { body, token })
  const storedClient = async (id: unknown) => {
    const keys = parseKeys(`test:${Buffer.alloc(32, 7).toString('base64')}`)
    const vault = createVault({ database: t.database, keys, now: Date.now })
    const store = createOAuthAppStore(t.database)
    const row = await store.findInWorkspace(
      t.database.read,
      t.workspaceId,
      String(id) as OAuthAppId,
    )
    assert.ok(row)
    const deps = { vault, database: t.database, log: createLog('silent'), now: Date.now }
    const { clientId, clientSecret } = await loadOAuthClient(deps, row)
    return { clientId, clientSecret }
  }

  it('200: replaces the given fields and keeps the others, including the secret', async () => {
    const registered = await registerOAuthApp(t, { clientSecret: 'first', scopes: ['a'] })
    const id = registered.integrationOAuthAppId
    const updated = expectOk(
      await update(id, { clientId: 'other', scopes: ['b', 'c'], clientSecret: null }),
    )
    assert.ok(updated.updatedAt >= String(registered.updatedAt))
    const { updatedAt } = updated
    assert.deepEqual(updated, { ...registered, clientId: 'other', scopes: ['b', 'c'], updatedAt })
    assert.deepEqual(expectOk(await t.call('GET', `/v1/integration_oauth/${id}`)), updated)
    assert.deepEqual(await storedClient(id), { clientId: 'other', clientSecret: 'first' })
    assert.deepEqual(await listAuditActions(t, String(id)), [
      'oauth_app.created',
      'oauth_app.updated',
    ])
  })

  it('200: replaces a secret, and adds one to a public client', async () => {
    const { integrationOAuthAppId: id } = await registerOAuthApp(t, { clientId: 'public' })
    assert.deepEqual(await storedClient(id), { clientId: 'public', clientSecret: undefined })
    for (const clientSecret of ['second', 'third']) {
      expectOk(await update(id, { clientSecret }))
      assert.deepEqual(await storedClient(id), { clientId: 'public', clientSecret })
    }
  })

  it('200: clears the scopes and renames the app', async () => {
    const { integrationOAuthAppId: id } = await registerOAuthApp(t, { scopes: ['a'] })
    const updated = expectOk(await update(id, { scopes: [], integrationOAuthAppName: 'New name' }))
    assert.deepEqual([updated.scopes, updated.integrationOAuthAppName], [[], 'New name'])
  })

  it('400: changes nothing if a field is invalid or unknown', async () => {
    const registered = await registerOAuthApp(t)
    const id = registered.integrationOAuthAppId
    const before = expectOk(await t.call('GET', `/v1/integration_oauth/${id}`))
    for (const body of [
      { clientId: '' },
      { clientSecret: 'a\n' },
      { scopes: ['a b'] },
      { integrationOAuthAppName: ' ' },
      { integrationDefinitionId: registered.integrationDefinitionId },
      { workspaceId: registered.workspaceId },
    ])
      expectError(await update(id, body), 'validation_failed')
    assert.deepEqual(expectOk(await t.call('GET', `/v1/integration_oauth/${id}`)), before)
  })

  it('404: neither changes nor discloses an app of another workspace', async () => {
    const { token } = await t.otherUser()
    const foreign = await registerOAuthApp(t, { token, clientSecret: 'theirs' })
    const path = `/v1/integration_oauth/${foreign.integrationOAuthAppId}`
    const before = await hashAllTables(t)
    for (const id of [foreign.integrationOAuthAppId, UNKNOWN_OAUTH_APP_ID, 'nonsense'])
      expectError(await update(id, { clientId: 'mine' }), 'oauth_app_not_found')
    assert.equal(await hashAllTables(t), before)
    assert.deepEqual(expectOk(await t.call('GET', path, { token })), foreign)
  })

  itRequiresScope(() => t, 'POST', `/v1/integration_oauth/${UNKNOWN_OAUTH_APP_ID}`, {
    scope: 'apps:write',
    body: {},
  })
})
