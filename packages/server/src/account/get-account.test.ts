import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../test/access.ts'
import {
  auditOf,
  fine,
  hasKeys,
  KEYS,
  refused,
  startWorld,
  type World,
} from '../../test/fixtures.ts'

const UNKNOWN = [`acc_${'0'.repeat(26)}`, 'acc_0', 'nonsense', 'x'.repeat(300)]
let t: World
let integrationDefinitionId: string
before(async () => {
  t = await startWorld()
  integrationDefinitionId = String((await t.define()).integrationDefinitionId)
})
after(() => t.close())

const account = (id: string | undefined, rest = '', token = t.token) =>
  t.call('GET', `/v1/integration_account/${id}${rest}`, { token })

describe('GET /v1/integration_account/{integrationAccountId}', () => {
  it('200: answers what create did', async () => {
    const made = await t.connect(integrationDefinitionId, { accountIdentifier: 'group' })
    const answer = fine(await account(made.integrationAccountId))
    hasKeys(answer, KEYS.account)
    assert.deepEqual(answer, made)
  })

  it('200: answers the tombstone of a deleted one', async () => {
    const made = await t.connect(integrationDefinitionId)
    const path = `/v1/integration_account/${made.integrationAccountId}`
    const { revocation: _revocation, ...tombstone } = fine(await t.call('DELETE', path))
    assert.deepEqual(fine(await account(made.integrationAccountId)), tombstone)
  })

  it('404: does not tell a foreign id from one that does not exist', async () => {
    const made = await t.connect(integrationDefinitionId)
    const id = made.integrationAccountId
    const { token } = await t.stranger()
    const { workspaceId } = (await t.call('POST', '/v1/workspace', {})).body
    const bound = await t.mint({ workspaceId })
    const foreign = refused(await account(id, '', token), 'integration_account_not_found')
    refused(await account(id, '', bound), 'integration_account_not_found')
    for (const unknown of UNKNOWN) {
      const { message } = refused(await account(unknown), 'integration_account_not_found')
      assert.equal(message, foreign.message)
    }
  })

  it('400: takes no query', async () => {
    refused(await account(UNKNOWN[0], '?workspaceId=x'), 'invalid_parameter')
  })

  itGuards(() => t, 'GET', '/v1/integration_account/acc_0', { scope: 'read' })
})

describe('GET /v1/integration_account/{integrationAccountId}/credentials', () => {
  const config = { api_key: 'key_that_works', more: { deep: ['ü', 1, null] } }

  it('200: answers the configuration as it was given, and leaves a line in the audit trail', async () => {
    const { integrationAccountId } = await t.connect(integrationDefinitionId, { config })
    const token = await t.mint({ scopes: ['credentials:read'] })
    const answer = fine(await account(integrationAccountId, '/credentials', token))
    assert.deepEqual(answer, {
      integrationAccountId,
      authType: 'Api Key',
      config,
      headers: null,
    })
    assert.deepEqual(await auditOf(t, String(integrationAccountId)), [
      'account.created',
      'account.credentials_read',
    ])
  })

  it('404: a deleted account has none left, also for those who may read them', async () => {
    const { integrationAccountId } = await t.connect(integrationDefinitionId, { config })
    fine(await t.call('DELETE', `/v1/integration_account/${integrationAccountId}`))
    refused(await account(integrationAccountId, '/credentials'), 'integration_account_not_found')
  })

  it('404: foreign and unknown ids alike, and no line in the audit trail', async () => {
    const { integrationAccountId } = await t.connect(integrationDefinitionId, { config })
    const { workspaceId } = (await t.call('POST', '/v1/workspace', {})).body
    const bound = await t.mint({ workspaceId, scopes: ['credentials:read'] })
    const { token } = await t.stranger()
    const foreign = await account(integrationAccountId, '/credentials', bound)
    const { message } = refused(foreign, 'integration_account_not_found')
    assert.notEqual((await account(integrationAccountId, '/credentials', token)).status, 200)
    for (const unknown of UNKNOWN)
      assert.equal(
        refused(await account(unknown, '/credentials'), 'integration_account_not_found').message,
        message,
      )
    assert.deepEqual(await auditOf(t, String(integrationAccountId)), ['account.created'])
  })

  it('403: read and write are not enough', async () => {
    const { integrationAccountId } = await t.connect(integrationDefinitionId, { config })
    const answer = await account(integrationAccountId, '/credentials', await t.mint())
    refused(answer, 'insufficient_scope')
  })

  it('400: takes no query', async () => {
    refused(await account(UNKNOWN[0], '/credentials?raw=1'), 'invalid_parameter')
  })

  itGuards(() => t, 'GET', '/v1/integration_account/acc_0/credentials', {
    scope: 'credentials:read',
  })
})
