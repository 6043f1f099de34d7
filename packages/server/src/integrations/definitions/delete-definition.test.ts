import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  expectError,
  expectKeys,
  expectOk,
  ISO_TIMESTAMP,
  listAuditActions,
  RESPONSE_KEYS,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

describeOnBothDatabases('DELETE /v1/integration_definition/{integrationDefinitionId}', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  before(async () => {
    t = await testContext({ url: await newUrl() })
  })
  after(() => t.close())

  const remove = (id: string | undefined, token = t.token) =>
    t.call('DELETE', `/v1/integration_definition/${id}`, { token })

  it('200: returns the deleted definition; a repeated request returns the same', async () => {
    const definition = await t.createDefinition()
    const id = definition.integrationDefinitionId
    const tombstone = expectOk(await remove(id))
    expectKeys(tombstone, RESPONSE_KEYS.definition)
    assert.match(tombstone.deleted, ISO_TIMESTAMP)
    assert.equal(tombstone.updatedAt, tombstone.deleted)
    const { deleted, updatedAt } = tombstone
    assert.deepEqual(tombstone, { ...definition, deleted, updatedAt })
    assert.deepEqual(expectOk(await remove(id)), tombstone)
    assert.deepEqual(await listAuditActions(t, id), ['definition.created', 'definition.deleted'])
  })

  it('409: rejected while a live account uses it', async () => {
    const { integrationDefinitionId: id } = await t.createDefinition()
    const account = await t.createAccount(String(id))
    expectError(await remove(id), 'definition_in_use')
    assert.equal(expectOk(await t.call('GET', `/v1/integration_definition/${id}`)).deleted, null)
    expectOk(await t.call('DELETE', `/v1/integration_account/${account.integrationAccountId}`))
    assert.notEqual(expectOk(await remove(id)).deleted, null)
  })

  it('a deleted definition cannot be checked, connected or linked', async () => {
    const { integrationDefinitionId } = await t.createDefinition()
    expectOk(await remove(integrationDefinitionId))
    const check = { integrationDefinitionId, authType: 'Api Key', config: { api_key: 'a' } }
    const account = { ...check, integrationAccountName: 'a' }
    const link = { linkName: 'a', integrationDefinitionId }
    for (const [path, body] of [
      ['/v1/integration_account/check', check],
      ['/v1/integration_account', account],
      ['/v1/link', link],
    ] as const)
      expectError(await t.call('POST', path, { body }), 'unknown_reference')
  })

  it('a concurrent account creation and deletion: exactly one succeeds', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { integrationDefinitionId: id } = await t.createDefinition()
      const body = {
        integrationDefinitionId: id,
        integrationAccountName: 'racing',
        authType: 'Api Key',
        config: { api_key: 'key_that_works' },
      }
      const adding = t.call('POST', '/v1/integration_account', { body })
      await new Promise((resolve) => setTimeout(resolve, round))
      const [added, removed] = await Promise.all([adding, remove(id)])
      assert.ok(
        (added.status === 201 && removed.status === 409) ||
          (added.status === 400 && removed.status === 200),
        `${added.status} ${removed.status}`,
      )
    }
  })

  it('404: the same error for a foreign ID and an unknown one', async () => {
    const { integrationDefinitionId: id } = await t.createDefinition()
    const { token } = await t.otherUser()
    const foreign = expectError(await remove(id, token), 'integration_definition_not_found').message
    for (const unknown of ['def_00000000000000000000000000', 'nonsense', 'x'.repeat(300)]) {
      const { message } = expectError(await remove(unknown), 'integration_definition_not_found')
      assert.equal(message, foreign)
    }
    assert.equal(expectOk(await t.call('GET', `/v1/integration_definition/${id}`)).deleted, null)
  })

  it('400: rejects query parameters', async () => {
    const { integrationDefinitionId: id } = await t.createDefinition()
    expectError(await remove(`${id}?force=true`), 'invalid_parameter')
  })

  itRequiresScope(() => t, 'DELETE', '/v1/integration_definition/def_0', {
    scope: 'definitions:write',
  })
}
