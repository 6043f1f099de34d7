import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../test/access.ts'
import {
  auditOf,
  fine,
  hasKeys,
  ISO,
  KEYS,
  refused,
  startWorld,
  type World,
} from '../../test/fixtures.ts'
import { describePostgres } from '../../test/postgres.ts'

describe('DELETE /v1/integration_definition/{integrationDefinitionId}', () => {
  promises(() => undefined)
})

describePostgres('DELETE /v1/integration_definition/{…} on PostgreSQL', (server) => {
  promises(() => server().createDatabase('delete_definition'))
})

function promises(url: () => Promise<string> | undefined): void {
  let t: World
  before(async () => {
    const database = await url()
    t = await startWorld(database === undefined ? {} : { url: database })
  })
  after(() => t.close())

  const remove = (id: string | undefined, token = t.token) =>
    t.call('DELETE', `/v1/integration_definition/${id}`, { token })

  it('200: answers the tombstone; repeating it answers the same', async () => {
    const definition = await t.define()
    const id = String(definition.integrationDefinitionId)
    const tombstone = fine(await remove(id))
    hasKeys(tombstone, KEYS.definition)
    assert.match(tombstone.deleted, ISO)
    assert.equal(tombstone.updatedAt, tombstone.deleted)
    const { deleted, updatedAt } = tombstone
    assert.deepEqual(tombstone, { ...definition, deleted, updatedAt })
    assert.deepEqual(fine(await remove(id)), tombstone)
    assert.deepEqual(await auditOf(t, id), ['definition.created', 'definition.deleted'])
  })

  it('409: not while a live account uses it', async () => {
    const { integrationDefinitionId: id } = await t.define()
    const account = await t.connect(String(id))
    refused(await remove(id), 'definition_in_use')
    assert.equal(fine(await t.call('GET', `/v1/integration_definition/${id}`)).deleted, null)
    fine(await t.call('DELETE', `/v1/integration_account/${account.integrationAccountId}`))
    assert.notEqual(fine(await remove(id)).deleted, null)
  })

  it('leaves nothing that can be used: no check, no account, no link', async () => {
    const { integrationDefinitionId } = await t.define()
    fine(await remove(integrationDefinitionId))
    const check = { integrationDefinitionId, authType: 'Api Key', config: { api_key: 'a' } }
    const account = { ...check, integrationAccountName: 'a' }
    const link = { linkName: 'a', integrationDefinitionId }
    for (const [path, body] of [
      ['/v1/integration_account/check', check],
      ['/v1/integration_account', account],
      ['/v1/link', link],
    ] as const)
      refused(await t.call('POST', path, { body }), 'unknown_reference')
  })

  it('either the account or the deletion wins when both come at once', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { integrationDefinitionId: id } = await t.define()
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

  it('404: foreign and unknown ids alike', async () => {
    const { integrationDefinitionId: id } = await t.define()
    const { token } = await t.stranger()
    const foreign = refused(await remove(id, token), 'integration_definition_not_found').message
    for (const unknown of ['def_00000000000000000000000000', 'nonsense', 'x'.repeat(300)]) {
      const { message } = refused(await remove(unknown), 'integration_definition_not_found')
      assert.equal(message, foreign)
    }
    assert.equal(fine(await t.call('GET', `/v1/integration_definition/${id}`)).deleted, null)
  })

  it('400: takes no query', async () => {
    const { integrationDefinitionId: id } = await t.define()
    refused(await remove(`${id}?force=true`), 'invalid_parameter')
  })

  itGuards(() => t, 'DELETE', '/v1/integration_definition/def_0', { scope: 'definitions:write' })
}
