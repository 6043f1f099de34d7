import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { countRows, fine, refused, startWorld, type World } from '../../../test/fixtures.ts'

// The wall limit of a call is 15 s, so the two waits go on side by side.
describe('a provider that does not answer', { concurrency: true }, () => {
  let t: World
  let body: Record<string, unknown>
  before(async () => {
    t = await startWorld()
    const { integrationDefinitionId } = await t.define()
    t.origin.serve('/silent/check', () => {})
    const config = { api_key: 'key_that_works', base_url: `${t.origin.url}/silent` }
    body = { integrationDefinitionId, authType: 'Api Key', config }
  })
  after(() => t.close())

  it('504 provider_timeout on create, and nothing is stored', async () => {
    const named = { ...body, integrationAccountName: 'a' }
    const answer = await t.call('POST', '/v1/integration_account', { body: named })
    refused(answer, 'provider_timeout')
    assert.equal(await countRows(t, 'accounts'), 0)
  })

  it('200 provider_unreachable on check', async () => {
    const answer = await t.call('POST', '/v1/integration_account/check', { body })
    const { status, code, retryable } = fine(answer)
    assert.deepEqual([status, code, retryable], [false, 'provider_unreachable', true])
  })
})
