import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../test/access.ts'
import { auditOf, digest, fine, refused, startWorld, type World } from '../../test/fixtures.ts'
import { registerApp, UNKNOWN_APP } from '../../test/oauth-app-fixtures.ts'
import { createLog } from '../http/log.ts'
import { parseKeys } from '../vault/key-ring.ts'
import { createVault } from '../vault/vault.ts'
import { createOAuthAppStore } from './oauth-app-store.ts'
import { openClient } from './oauth-client.ts'

describe('POST /v1/integration_oauth/{integrationOAuthAppId}', () => {
  let t: World
  before(async () => {
    t = await startWorld()
  })
  after(() => t.close())

  const update = (id: unknown, body: unknown, token = t.token) =>
    t.call('POST', `/v1/integration_oauth/${id}`, { body, token })
  const client = async (id: unknown) => {
    const keys = parseKeys(`test:${Buffer.alloc(32, 7).toString('base64')}`)
    const vault = createVault({ database: t.database, keys, now: Date.now })
    const store = createOAuthAppStore(t.database)
    const row = await store.findInWorkspace(t.database.read, t.workspaceId, String(id))
    assert.ok(row)
    const deps = { vault, database: t.database, log: createLog('silent'), now: Date.now }
    const { clientId, clientSecret } = await openClient(deps, row)
    return { clientId, clientSecret }
  }

  it('200: replaces what is given and keeps the rest, the secret too', async () => {
    const made = await registerApp(t, { clientSecret: 'first', scopes: ['a'] })
    const id = made.integrationOAuthAppId
    const answer = fine(
      await update(id, { clientId: 'other', scopes: ['b', 'c'], clientSecret: null }),
    )
    assert.ok(answer.updatedAt >= String(made.updatedAt))
    const { updatedAt } = answer
    assert.deepEqual(answer, { ...made, clientId: 'other', scopes: ['b', 'c'], updatedAt })
    assert.deepEqual(fine(await t.call('GET', `/v1/integration_oauth/${id}`)), answer)
    assert.deepEqual(await client(id), { clientId: 'other', clientSecret: 'first' })
    assert.deepEqual(await auditOf(t, String(id)), ['oauth_app.created', 'oauth_app.updated'])
  })

  it('200: replaces a secret, and gives one to a public client', async () => {
    const { integrationOAuthAppId: id } = await registerApp(t, { clientId: 'public' })
    assert.deepEqual(await client(id), { clientId: 'public', clientSecret: undefined })
    for (const clientSecret of ['second', 'third']) {
      fine(await update(id, { clientSecret }))
      assert.deepEqual(await client(id), { clientId: 'public', clientSecret })
    }
  })

  it('200: empties scopes, and renames', async () => {
    const { integrationOAuthAppId: id } = await registerApp(t, { scopes: ['a'] })
    const answer = fine(await update(id, { scopes: [], integrationOAuthAppName: 'New name' }))
    assert.deepEqual([answer.scopes, answer.integrationOAuthAppName], [[], 'New name'])
  })

  it('400: changes nothing when a field is wrong or unknown', async () => {
    const made = await registerApp(t)
    const id = made.integrationOAuthAppId
    const before = fine(await t.call('GET', `/v1/integration_oauth/${id}`))
    for (const body of [
      { clientId: '' },
      { clientSecret: 'a\n' },
      { scopes: ['a b'] },
      { integrationOAuthAppName: ' ' },
      { integrationDefinitionId: made.integrationDefinitionId },
      { workspaceId: made.workspaceId },
    ])
      refused(await update(id, body), 'validation_failed')
    assert.deepEqual(fine(await t.call('GET', `/v1/integration_oauth/${id}`)), before)
  })

  it('404: neither changes nor tells a foreign app', async () => {
    const { token } = await t.stranger()
    const foreign = await registerApp(t, { token, clientSecret: 'theirs' })
    const path = `/v1/integration_oauth/${foreign.integrationOAuthAppId}`
    const before = await digest(t)
    for (const id of [foreign.integrationOAuthAppId, UNKNOWN_APP, 'nonsense'])
      refused(await update(id, { clientId: 'mine' }), 'oauth_app_not_found')
    assert.equal(await digest(t), before)
    assert.deepEqual(fine(await t.call('GET', path, { token })), foreign)
  })

  itGuards(() => t, 'POST', `/v1/integration_oauth/${UNKNOWN_APP}`, {
    scope: 'apps:write',
    body: {},
  })
})
