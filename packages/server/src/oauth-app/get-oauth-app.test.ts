import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../test/access.ts'
import { created, fine, refused, startWorld, type World } from '../../test/fixtures.ts'
import { registerApp, UNKNOWN_APP } from '../../test/oauth-app-fixtures.ts'

describe('GET /v1/integration_oauth/{integrationOAuthAppId}', () => {
  let t: World
  before(async () => {
    t = await startWorld()
  })
  after(() => t.close())

  const get = (id: unknown, token = t.token) =>
    t.call('GET', `/v1/integration_oauth/${id}`, { token })

  it('200: answers the app as create did', async () => {
    const made = await registerApp(t, { clientSecret: 'hush' })
    assert.deepEqual(fine(await get(made.integrationOAuthAppId)), made)
  })

  it('404: does not tell a foreign, unreached or malformed id from an unknown one', async () => {
    const { token } = await t.stranger()
    const foreign = await registerApp(t, { token })
    const second = created(await t.call('POST', '/v1/workspace', {})).workspaceId
    const bound = await t.mint({ workspaceId: second })
    const mine = await registerApp(t)
    const seen = new Set<string>()
    for (const [id, by] of [
      [foreign.integrationOAuthAppId, t.token],
      [mine.integrationOAuthAppId, bound],
      [UNKNOWN_APP, t.token],
      ['nonsense', t.token],
      [mine.integrationDefinitionId, t.token],
    ]) {
      const { message, errors } = refused(await get(id, by), 'oauth_app_not_found')
      seen.add(JSON.stringify([message, errors]))
    }
    assert.equal(seen.size, 1)
  })

  itGuards(() => t, 'GET', `/v1/integration_oauth/${UNKNOWN_APP}`, { scope: 'read' })

  it('400: takes no query', async () => {
    refused(await get(`${UNKNOWN_APP}?x=1`), 'invalid_parameter')
  })
})
