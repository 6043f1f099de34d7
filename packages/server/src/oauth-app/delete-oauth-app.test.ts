import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../test/access.ts'
import { auditOf, fine, refused, startWorld, type World } from '../../test/fixtures.ts'
import { registerApp, UNKNOWN_APP } from '../../test/oauth-app-fixtures.ts'
import { describePostgres } from '../../test/postgres.ts'

describe('DELETE /v1/integration_oauth/{integrationOAuthAppId}', () => {
  promises(async () => undefined)
})
describePostgres('DELETE /v1/integration_oauth/{…} on PostgreSQL', (server) => {
  promises(() => server().createDatabase('delete_oauth_app'))
})

function promises(url: () => Promise<string> | undefined | Promise<undefined>): void {
  let t: World
  before(async () => {
    const database = await url()
    t = await startWorld(database === undefined ? {} : { url: database })
  })
  after(() => t.close())

  const path = (id: unknown) => `/v1/integration_oauth/${id}`
  const remove = (id: unknown, token = t.token) => t.call('DELETE', path(id), { token })

  it('200: answers the app as it was, and erases it', async () => {
    const made = await registerApp(t, { clientSecret: 'hush', scopes: ['a'] })
    const id = String(made.integrationOAuthAppId)
    assert.deepEqual(fine(await remove(id)), made)
    refused(await t.call('GET', path(id)), 'oauth_app_not_found')
    refused(await remove(id), 'oauth_app_not_found')
    const list = fine(await t.call('GET', '/v1/integration_oauth'))
    assert.ok(
      list.every((app: { integrationOAuthAppId: string }) => app.integrationOAuthAppId !== id),
    )
    const rows = await t.database.read
      .selectFrom('oauth_apps')
      .selectAll()
      .where('oauth_app_id', '=', id)
      .execute()
    assert.deepEqual(rows, [])
    assert.deepEqual(await auditOf(t, id), ['oauth_app.created', 'oauth_app.deleted'])
  })

  it('frees the definition for another app', async () => {
    const first = await registerApp(t)
    const { integrationDefinitionId } = first
    const again = { integrationDefinitionId, clientId: 'again' }
    refused(await t.call('POST', '/v1/integration_oauth', { body: again }), 'already_exists')
    fine(await remove(first.integrationOAuthAppId))
    assert.equal((await registerApp(t, again)).clientId, 'again')
  })

  it('409: not while a live account was connected with it', async () => {
    const made = await registerApp(t)
    const id = String(made.integrationOAuthAppId)
    const account = await t.connect(String(made.integrationDefinitionId))
    await t.database.transaction(async (trx) => {
      await trx
        .updateTable('accounts')
        .set({ oauth_app_id: id })
        .where('account_id', '=', String(account.integrationAccountId))
        .execute()
    })
    refused(await remove(id), 'oauth_app_in_use')
    assert.deepEqual(fine(await t.call('GET', path(id))), made)
    fine(await t.call('DELETE', `/v1/integration_account/${account.integrationAccountId}`))
    assert.deepEqual(fine(await remove(id)), made)
  })

  it('404: neither erases nor tells a foreign app', async () => {
    const { token } = await t.stranger()
    const foreign = await registerApp(t, { token })
    for (const id of [foreign.integrationOAuthAppId, UNKNOWN_APP, 'nonsense'])
      refused(await remove(id), 'oauth_app_not_found')
    assert.deepEqual(
      fine(await t.call('GET', path(foreign.integrationOAuthAppId), { token })),
      foreign,
    )
  })

  it('is kept for one of two requests that come at once', async () => {
    const { integrationOAuthAppId: id } = await registerApp(t)
    const answers = await Promise.all([remove(id), remove(id)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404])
    assert.deepEqual(await auditOf(t, String(id)), ['oauth_app.created', 'oauth_app.deleted'])
  })

  it('pages the list and keeps one app per definition', async () => {
    const { integrationDefinitionId } = await t.define()
    const body = { integrationDefinitionId, clientId: 'race' }
    const answers = await Promise.all(
      [1, 2].map(() => t.call('POST', '/v1/integration_oauth', { body })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409])
    await registerApp(t)
    const all = fine(await t.call('GET', '/v1/integration_oauth'))
    const first = await t.call('GET', '/v1/integration_oauth?limit=1')
    assert.deepEqual(fine(first), all.slice(0, 1))
    const next = /<http:\/\/[^/]+([^>]+)>/.exec(String(first.headers.link))?.[1]
    assert.deepEqual(fine(await t.call('GET', `!${next}`)), all.slice(1, 2))
  })

  itGuards(() => t, 'DELETE', `/v1/integration_oauth/${UNKNOWN_APP}`, { scope: 'apps:write' })
}
