import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  countRows,
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

describeOnBothDatabases('Attempts to connect', (newUrl) => {
  let t: TestContext
  before(async () => {
    t = await testContext({ url: await newUrl() })
  })
  after(() => t.close())

  /** A failed account and a refused sign-in of a customer. */
  const fail = async (definition: AnyBody, accountIdentifier: string, more: AnyBody = {}) => {
    const { integrationDefinitionId } = definition
    const names = { integrationAccountName: 'a', accountIdentifier, ...more }
    const account = { ...names, integrationDefinitionId, authType: 'Nope', config: {} }
    const created = await t.call('POST', '/v1/integration_account', { body: account })
    expectError(created, 'auth_type_not_allowed')
    const start = { ...names, integrationDefinitionId, confirm: false }
    expectError(await t.call('POST', '/v1/oauth', { body: start }), 'oauth_app_missing')
  }
  const list = async (query: string) => expectOk(await t.call('GET', `/v1/attempt?${query}`))

  it('are erased with their customer, failed and refused ones, and those of others are not', async () => {
    const definition = await t.createDefinition()
    await fail(definition, 'customer-erased')
    await fail(definition, 'customer-kept')
    const body = { accountIdentifier: 'customer-erased' }
    const receipt = expectOk(await t.call('POST', '/v1/erasure', { body }))
    assert.equal(receipt.status, 'finished')
    assert.equal(receipt.erased.attempts, 2)
    assert.deepEqual(await list('accountIdentifier=customer-erased'), [])
    const kept = await list('accountIdentifier=customer-kept')
    const codes = kept.map(({ code }: AnyBody) => code)
    assert.deepEqual(codes.sort(), ['auth_type_not_allowed', 'oauth_app_missing'])
  })

  it('are deleted with their workspace', async () => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', { body: {} }))
    const definition = await t.createDefinition({ workspaceId })
    const before = await countRows(t, 'connect_attempts')
    await fail(definition, 'customer-1', { workspaceId })
    assert.equal((await list(`workspaceId=${workspaceId}`)).length, 2)
    assert.equal(await countRows(t, 'connect_attempts'), before + 2)
    const path = `/v1/workspace/${workspaceId}`
    assert.ok((await t.call('DELETE', path)).status < 300)
    assert.equal(await countRows(t, 'connect_attempts'), before)
  })
})
