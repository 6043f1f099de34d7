import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

describeOnBothDatabases('POST /v1/link/{linkId}', (newUrl) => {
  let t: TestContext
  before(async () => {
    const url = await newUrl()
    t = await testContext(url === undefined ? {} : { url })
  })
  after(() => t.close())

  const createLink = async (fields: object = {}) =>
    expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'Onboarding', ...fields } }))
  const update = (linkId: string, body: object, token = t.token) =>
    t.call('POST', `/v1/link/${linkId}`, { body, token })

  it('changes the fields of the request and no others', async () => {
    const { IntegrationAccount: _, ...link } = await createLink({
      maxAccounts: 5,
      allowedOrigins: ['https://app.example.com'],
      redirectURLs: ['https://app.example.com/done'],
    })
    const renamed = expectOk(await update(link.linkId, { linkName: 'Partners' }))
    assert.ok(renamed.updatedAt >= link.updatedAt)
    assert.deepEqual(renamed, { ...link, linkName: 'Partners', updatedAt: renamed.updatedAt })
    const change = {
      maxAccounts: null,
      maxAccountsPerIdentifier: 2,
      allowedOrigins: [],
      redirectURLs: ['https://app.example.com/other'],
    }
    const changed = expectOk(await update(link.linkId, change))
    assert.deepEqual(changed, { ...renamed, ...change, updatedAt: changed.updatedAt })
    const { maxAccounts, linkName } = expectOk(await t.call('GET', `/v1/link/${link.linkId}`))
    assert.deepEqual([maxAccounts, linkName], [null, 'Partners'])
  })

  it('publishes the fields that were changed', async () => {
    const { linkId } = await createLink()
    expectOk(await update(linkId, { linkName: 'Partners', maxAccounts: 9 }))
    const path = `/v1/event?wait=20&subject=${linkId}&types=link.updated`
    const [event] = expectOk(await t.call('GET', path))
    assert.deepEqual(event.data.changed, ['linkName', 'maxAccounts'])
    assert.deepEqual([event.data.link.linkName, event.data.link.maxAccounts], ['Partners', 9])
  })

  it('rejects what could never match, and fields that must not change', async () => {
    const { linkId } = await createLink()
    const fields = async (body: object) =>
      Object.keys(expectError(await update(linkId, body), 'validation_failed').errors)
    assert.deepEqual(await fields({ linkName: ' ' }), ['linkName'])
    assert.deepEqual(await fields({ maxAccounts: 0 }), ['maxAccounts'])
    assert.deepEqual(await fields({ allowedOrigins: ['app.example.com/x'] }), ['allowedOrigins.0'])
    assert.deepEqual(await fields({ redirectURLs: ['javascript:1'] }), ['redirectURLs.0'])
    for (const field of ['preferOAuth', 'category', 'integrationDefinitionIds', 'expiresIn'])
      assert.deepEqual(await fields({ [field]: null }), [field])
  })

  it('rejects a revoked link, and one of others like an unknown one', async () => {
    const { linkId } = await createLink()
    expectOk(await t.call('DELETE', `/v1/link/${linkId}`))
    expectError(await update(linkId, { linkName: 'Partners' }), 'link_revoked')
    const other = await createLink()
    const { token } = await t.otherUser()
    const { message } = expectError(await update(other.linkId, {}, token), 'link_not_found')
    for (const unknown of ['lnk_none', 'none'])
      assert.equal(expectError(await update(unknown, {}), 'link_not_found').message, message)
  })

  itRequiresScope(() => t, 'POST', '/v1/link/lnk_none', { scope: 'links:write', body: {} })
})

describe('GET /v1/link/{linkId} after an update', () => {
  it('does not offer accounts above a lower limit, and keeps those that exist', async () => {
    const t = await testContext()
    try {
      const { integrationDefinitionId } = await t.createDefinition()
      const body = { linkName: 'Onboarding', integrationDefinitionId }
      const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body }))
      const account = {
        integrationDefinitionId,
        integrationAccountName: 'a',
        authType: 'Api Key',
        config: { api_key: 'key_that_works' },
      }
      const path = `/v1/integration_account/link/${linkId}`
      for (let count = 0; count < 2; count += 1)
        expectCreated(await t.call('POST', path, { body: account }))
      expectOk(await t.call('POST', `/v1/link/${linkId}`, { body: { maxAccounts: 1 } }))
      expectError(await t.call('POST', path, { body: account }), 'link_full')
      const link = expectOk(await t.call('GET', `/v1/link/${linkId}`))
      assert.equal(link.integrationAccounts.length, 2)
    } finally {
      await t.close()
    }
  })
})
