import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { changeAccountRow, readAccountRow } from '../../../../test/account-rows.ts'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import { expectCreated, expectError, expectOk, testContext } from '../../../../test/test-context.ts'
import type { DefinitionId } from '../../../integrations/definitions/definition.ts'
import { CLIENT } from '../test/oauth-test-context.ts'
import {
  expectPage,
  getReturnParams,
  ISSUER,
  respondWithJson,
  type StubProviderContext,
} from '../test/stub-provider-context.ts'

describe('the OAuth callback after a change since the start', () => {
  let t: StubProviderContext
  before(async () => {
    t = await testContext({ provider: true })
  })
  after(() => t.close())
  beforeEach(() => {
    t.tokenRequests.length = 0
    t.respondToToken = respondWithJson(200, { access_token: 'at', refresh_token: 'rt' })
  })

  /** Creates another definition that uses the stub provider, with its own OAuth app. */
  async function defineAnother(): Promise<{
    integrationDefinitionId: DefinitionId
    appId: string
  }> {
    const { url } = t.stubServer
    const auth = { authorization_url: `${url}/authorize`, token_url: `${url}/token` }
    const code = createMiniBundle({ auth_specification: { OAuth2: auth } })
    const { integrationDefinitionId } = await t.createDefinition({ code })
    const body = { integrationDefinitionId, ...CLIENT }
    const app = expectCreated(await t.call('POST', '/v1/integration_oauth', { body }))
    return { integrationDefinitionId, appId: app.integrationOAuthAppId }
  }

  const callback = (state: string) => t.callback({ state, code: 'c', iss: ISSUER })

  it('sends no code once the definition has another bundle', async () => {
    const { integrationDefinitionId } = await defineAnother()
    const { integrationDefinitionId: otherId } = await t.createDefinition()
    const state = await t.begin(await t.start({ integrationDefinitionId }))
    const { bundle_sha256 } = await t.database.read
      .selectFrom('definitions')
      .select('bundle_sha256')
      .where('definition_id', '=', otherId)
      .executeTakeFirstOrThrow()
    await t.database.transaction((trx) =>
      trx
        .updateTable('definitions')
        .set({ bundle_sha256 })
        .where('definition_id', '=', integrationDefinitionId)
        .execute(),
    )
    assert.equal(getReturnParams(await callback(state)).error, 'oauth_attempt_invalid')
    assert.equal(t.tokenRequests.length, 0)
  })

  it('sends no code once the OAuth app is deleted; the definition cannot be deleted while a session is in progress', async () => {
    const { integrationDefinitionId, appId } = await defineAnother()
    const remove = () => t.call('DELETE', `/v1/integration_definition/${integrationDefinitionId}`)
    const state = await t.begin(await t.start({ integrationDefinitionId }))
    expectError(await remove(), 'definition_in_use')
    expectOk(await t.call('DELETE', `/v1/integration_oauth/${appId}`))
    expectError(await remove(), 'definition_in_use')
    assert.equal(getReturnParams(await callback(state)).error, 'oauth_attempt_invalid')
    assert.equal(t.tokenRequests.length, 0)
    expectOk(await remove())
  })

  it('sends no code once the OAuth app has another client ID', async () => {
    const { integrationDefinitionId, appId } = await defineAnother()
    const page = await t.start({ integrationDefinitionId })
    const state = await t.begin(await t.start({ integrationDefinitionId }))
    const body = { clientId: 'another-client' }
    expectOk(await t.call('POST', `/v1/integration_oauth/${appId}`, { body }))
    expectPage(await t.browser.get(page), 400)
    assert.equal(getReturnParams(await callback(state)).error, 'oauth_attempt_invalid')
    assert.equal(t.tokenRequests.length, 0)
  })

  it('uses a rotated client secret immediately', async () => {
    const { integrationDefinitionId, appId } = await defineAnother()
    const state = await t.begin(await t.start({ integrationDefinitionId }))
    const body = { clientSecret: 'the-new-secret' }
    expectOk(await t.call('POST', `/v1/integration_oauth/${appId}`, { body }))
    assert.equal(getReturnParams(await callback(state)).success, 'true')
    assert.equal(t.tokenRequests[0]?.get('client_secret'), 'the-new-secret')
  })

  it('creates no account when the OAuth app is deleted during the token exchange', async () => {
    const { integrationDefinitionId, appId } = await defineAnother()
    const state = await t.begin(await t.start({ integrationDefinitionId }))
    const accounts = await t.countAccounts()
    t.respondToToken = async (response) => {
      expectOk(await t.call('DELETE', `/v1/integration_oauth/${appId}`))
      await respondWithJson(200, { access_token: 'at', refresh_token: 'rt' })(response)
    }
    assert.equal(getReturnParams(await callback(state)).error, 'oauth_attempt_invalid')
    assert.equal(await t.countAccounts(), accounts)
  })

  it('replaces tokens that were refreshed during the token exchange', async () => {
    const id = getReturnParams(await t.completeFlow()).integrationAccountId
    const state = await t.begin(await t.start({ integrationAccountId: id }))
    t.respondToToken = async (response) => {
      const lease = { lease_owner: 'a node', lease_until: Date.now() + 9_000 }
      await changeAccountRow(t.database, id, { credential_version: 7, ...lease })
      await respondWithJson(200, { access_token: 'at2', refresh_token: 'rt2' })(response)
    }
    assert.equal(getReturnParams(await callback(state)).success, 'true')
    const row = await readAccountRow(t.database, id)
    assert.deepEqual([row.credential_version, row.lease_owner], [8, null])
    const { config } = expectOk(await t.call('GET', `/v1/integration_account/${id}/credentials`))
    assert.deepEqual([config.access_token, config.refresh_token], ['at2', 'rt2'])
  })

  it('does not overwrite credentials that were updated during the token exchange', async () => {
    const id = getReturnParams(await t.completeFlow()).integrationAccountId
    const state = await t.begin(await t.start({ integrationAccountId: id }))
    const rename = { integrationAccountName: 'Renamed' }
    t.respondToToken = async (response) => {
      await t.database.transaction((trx) =>
        trx
          .updateTable('accounts')
          .set({ credential_version: 7 })
          .where('account_id', '=', id)
          .execute(),
      )
      expectOk(await t.call('POST', `/v1/integration_account/${id}`, { body: rename }))
      await respondWithJson(200, { access_token: 'at2', refresh_token: 'rt2' })(response)
    }
    assert.equal(getReturnParams(await callback(state)).error, 'concurrent_update')
    const account = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
    assert.equal(account.integrationAccountName, 'Renamed')
  })
})
