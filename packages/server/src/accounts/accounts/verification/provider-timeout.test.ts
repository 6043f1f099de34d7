import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  countRows,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../../test/test-context.ts'

// Calls time out after 15 s, so the two tests run concurrently.
describe('Requests to a provider that times out', { concurrency: true }, () => {
  let t: TestContext
  let body: Record<string, unknown>
  before(async () => {
    t = await testContext()
    const { integrationDefinitionId } = await t.createDefinition()
    t.stubServer.serve('/silent/check', () => {})
    const config = { api_key: 'key_that_works', base_url: `${t.stubServer.url}/silent` }
    body = { integrationDefinitionId, authType: 'Api Key', config }
  })
  after(() => t.close())

  it('POST /v1/integration_account: 504 provider_timeout, and nothing is stored', async () => {
    const namedBody = { ...body, integrationAccountName: 'a' }
    const response = await t.call('POST', '/v1/integration_account', { body: namedBody })
    expectError(response, 'provider_timeout')
    assert.equal(await countRows(t, 'accounts'), 0)
  })

  it('POST /v1/integration_account/check: 200 with code provider_unreachable', async () => {
    const response = await t.call('POST', '/v1/integration_account/check', { body })
    const { status, code, retryable } = expectOk(response)
    assert.deepEqual([status, code, retryable], [false, 'provider_unreachable', true])
  })
})
