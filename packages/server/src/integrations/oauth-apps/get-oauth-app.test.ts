import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { registerOAuthApp, UNKNOWN_OAUTH_APP_ID } from '../../../test/register-oauth-app.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

describe('GET /v1/integration_oauth/{integrationOAuthAppId}', () => {
  let t: TestContext
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  const get = (id: unknown, token = t.token) =>
    t.call('GET', `/v1/integration_oauth/${id}`, { token })

  it('200: returns the same fields as create', async () => {
    const registered = await registerOAuthApp(t, { clientSecret: 'hush' })
    assert.deepEqual(expectOk(await get(registered.integrationOAuthAppId)), registered)
  })

  it('404: the same error for a foreign, inaccessible or malformed ID and an unknown one', async () => {
    const { token } = await t.otherUser()
    const foreign = await registerOAuthApp(t, { token })
    const second = expectCreated(await t.call('POST', '/v1/workspace', {})).workspaceId
    const bound = await t.createToken({ workspaceId: second })
    const ownApp = await registerOAuthApp(t)
    const distinctErrors = new Set<string>()
    for (const [id, callerToken] of [
      [foreign.integrationOAuthAppId, t.token],
      [ownApp.integrationOAuthAppId, bound],
      [UNKNOWN_OAUTH_APP_ID, t.token],
      ['nonsense', t.token],
      [ownApp.integrationDefinitionId, t.token],
    ]) {
      const { message, errors } = expectError(await get(id, callerToken), 'oauth_app_not_found')
      distinctErrors.add(JSON.stringify([message, errors]))
    }
    assert.equal(distinctErrors.size, 1)
  })

  itRequiresScope(() => t, 'GET', `/v1/integration_oauth/${UNKNOWN_OAUTH_APP_ID}`, {
    scope: 'read',
  })

  it('400: rejects query parameters', async () => {
    expectError(await get(`${UNKNOWN_OAUTH_APP_ID}?x=1`), 'invalid_parameter')
  })
})
