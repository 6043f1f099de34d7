import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { registerOAuthApp, UNKNOWN_OAUTH_APP_ID } from '../../../test/register-oauth-app.ts'
import {
  expectError,
  expectOk,
  listAuditActions,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { OAuthAppId } from './oauth-app.ts'

describeOnBothDatabases('DELETE /v1/integration_oauth/{integrationOAuthAppId}', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  before(async () => {
    t = await testContext({ url: await newUrl() })
  })
  after(() => t.close())

  const getPath = (id: unknown) => `/v1/integration_oauth/${id}`
  const remove = (id: unknown, token = t.token) => t.call('DELETE', getPath(id), { token })

  it('200: returns the last state of the app and deletes it', async () => {
    const registered = await registerOAuthApp(t, { clientSecret: 'hush', scopes: ['a'] })
    const id = registered.integrationOAuthAppId as OAuthAppId
    assert.deepEqual(expectOk(await remove(id)), registered)
    expectError(await t.call('GET', getPath(id)), 'oauth_app_not_found')
    expectError(await remove(id), 'oauth_app_not_found')
    const list = expectOk(await t.call('GET', '/v1/integration_oauth'))
    assert.ok(
      list.every((app: { integrationOAuthAppId: string }) => app.integrationOAuthAppId !== id),
    )
    const rows = await t.database.read
      .selectFrom('oauth_apps')
      .selectAll()
      .where('oauth_app_id', '=', id as OAuthAppId)
      .execute()
    assert.deepEqual(rows, [])
    assert.deepEqual(await listAuditActions(t, id), ['oauth_app.created', 'oauth_app.deleted'])
  })

  it('200: a new app for the same definition can be created', async () => {
    const first = await registerOAuthApp(t)
    const { integrationDefinitionId } = first
    const replacement = { integrationDefinitionId, clientId: 'again' }
    expectError(
      await t.call('POST', '/v1/integration_oauth', { body: replacement }),
      'already_exists',
    )
    expectOk(await remove(first.integrationOAuthAppId))
    assert.equal((await registerOAuthApp(t, replacement)).clientId, 'again')
  })

  it('409: rejected while a live account is connected with the app', async () => {
    const registered = await registerOAuthApp(t)
    const id = registered.integrationOAuthAppId as OAuthAppId
    const account = await t.createAccount(String(registered.integrationDefinitionId))
    await t.database.transaction(async (trx) => {
      await trx
        .updateTable('accounts')
        .set({ oauth_app_id: id })
        .where('account_id', '=', account.integrationAccountId)
        .execute()
    })
    expectError(await remove(id), 'oauth_app_in_use')
    assert.deepEqual(expectOk(await t.call('GET', getPath(id))), { ...registered, accounts: 1 })
    expectOk(await t.call('DELETE', `/v1/integration_account/${account.integrationAccountId}`))
    assert.deepEqual(expectOk(await remove(id)), registered)
  })

  it('404: neither deletes nor discloses an app of another workspace', async () => {
    const { token } = await t.otherUser()
    const foreign = await registerOAuthApp(t, { token })
    for (const id of [foreign.integrationOAuthAppId, UNKNOWN_OAUTH_APP_ID, 'nonsense'])
      expectError(await remove(id), 'oauth_app_not_found')
    assert.deepEqual(
      expectOk(await t.call('GET', getPath(foreign.integrationOAuthAppId), { token })),
      foreign,
    )
  })

  it('only one of two concurrent requests succeeds', async () => {
    const { integrationOAuthAppId: id } = await registerOAuthApp(t)
    const responses = await Promise.all([remove(id), remove(id)])
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 404])
    assert.deepEqual(await listAuditActions(t, String(id)), [
      'oauth_app.created',
      'oauth_app.deleted',
    ])
  })

  it('paginates the list and allows one app per definition', async () => {
    const { integrationDefinitionId } = await t.createDefinition()
    const body = { integrationDefinitionId, clientId: 'race' }
    const responses = await Promise.all(
      [1, 2].map(() => t.call('POST', '/v1/integration_oauth', { body })),
    )
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409])
    await registerOAuthApp(t)
    const all = expectOk(await t.call('GET', '/v1/integration_oauth'))
    const first = await t.call('GET', '/v1/integration_oauth?limit=1')
    assert.deepEqual(expectOk(first), all.slice(0, 1))
    const next = /<http:\/\/[^/]+([^>]+)>/.exec(String(first.headers.link))?.[1]
    assert.deepEqual(expectOk(await t.call('GET', `!${next}`)), all.slice(1, 2))
  })

  itRequiresScope(() => t, 'DELETE', `/v1/integration_oauth/${UNKNOWN_OAUTH_APP_ID}`, {
    scope: 'apps:write',
  })
}
