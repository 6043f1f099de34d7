import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import {
  expectError,
  expectKeys,
  expectOk,
  listAuditActions,
  RESPONSE_KEYS,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

describe('An account', () => {
  const UNKNOWN = [`acc_${'0'.repeat(26)}`, 'acc_0', 'nonsense', 'x'.repeat(300)]
  let t: TestContext
  let integrationDefinitionId: string
  before(async () => {
    t = await testContext()
    integrationDefinitionId = (await t.createDefinition()).integrationDefinitionId
  })
  after(() => t.close())

  const getAccount = (id: string | undefined, suffix = '', token = t.token) =>
    t.call('GET', `/v1/integration_account/${id}${suffix}`, { token })

  for (const listens of [false, true])
    describe(`GET /v1/integration_account/{integrationAccountId}${listens ? ', answered directly' : ''}`, () => {
      let t: TestContext
      let integrationDefinitionId: string
      before(async () => {
        t = await testContext({ listens })
        integrationDefinitionId = (await t.createDefinition()).integrationDefinitionId
      })
      after(() => t.close())

      const getAccount = (id: string | undefined, suffix = '', token = t.token) =>
        t.call('GET', `/v1/integration_account/${id}${suffix}`, { token })

      it('GET /v1/integration_account/{id}: 200 with the account as create returned it', async () => {
        const createdAccount = await t.createAccount(integrationDefinitionId, {
          accountIdentifier: 'group',
        })
        const body = expectOk(await getAccount(createdAccount.integrationAccountId))
        expectKeys(body, RESPONSE_KEYS.account)
        assert.deepEqual(body, createdAccount)
      })

      it('GET /v1/integration_account/{id}: 200 with the tombstone of a deleted account', async () => {
        const createdAccount = await t.createAccount(integrationDefinitionId)
        const path = `/v1/integration_account/${createdAccount.integrationAccountId}`
        const { revocation: _revocation, ...tombstone } = expectOk(await t.call('DELETE', path))
        assert.deepEqual(expectOk(await getAccount(createdAccount.integrationAccountId)), tombstone)
      })

      it('GET /v1/integration_account/{id}: 404 for foreign and unknown ids alike', async () => {
        const createdAccount = await t.createAccount(integrationDefinitionId)
        const id = createdAccount.integrationAccountId
        const { token } = await t.otherUser()
        const { workspaceId } = (await t.call('POST', '/v1/workspace', {})).body
        const bound = await t.createToken({ workspaceId })
        const foreign = expectError(
          await getAccount(id, '', token),
          'integration_account_not_found',
        )
        expectError(await getAccount(id, '', bound), 'integration_account_not_found')
        for (const unknown of UNKNOWN) {
          const { message } = expectError(
            await getAccount(unknown),
            'integration_account_not_found',
          )
          assert.equal(message, foreign.message)
        }
      })

      it('GET /v1/integration_account/{id}: 400 for an unknown query parameter', async () => {
        expectError(await getAccount(UNKNOWN[0], '?workspaceId=x'), 'invalid_parameter')
      })

      itRequiresScope(() => t, 'GET', '/v1/integration_account/acc_0', { scope: 'read' })
    })

  describe('GET /v1/integration_account/{integrationAccountId}/credentials', () => {
    const config = { api_key: 'key_that_works', more: { deep: ['ü', 1, null] } }

    it('GET /v1/integration_account/{id}/credentials: 200 with the configuration as sent, and one audit event', async () => {
      const { integrationAccountId } = await t.createAccount(integrationDefinitionId, { config })
      const token = await t.createToken({ scopes: ['credentials:read'] })
      const body = expectOk(await getAccount(integrationAccountId, '/credentials', token))
      assert.deepEqual(body, {
        integrationAccountId,
        authType: 'Api Key',
        config,
        headers: null,
        query: {},
        expiresAt: null,
      })
      assert.deepEqual(await listAuditActions(t, integrationAccountId), [
        'account.created',
        'account.credentials_read',
      ])
    })

    it('GET /v1/integration_account/{id}/credentials: 404 for a deleted account, even with credentials:read', async () => {
      const { integrationAccountId } = await t.createAccount(integrationDefinitionId, { config })
      expectOk(await t.call('DELETE', `/v1/integration_account/${integrationAccountId}`))
      expectError(
        await getAccount(integrationAccountId, '/credentials'),
        'integration_account_not_found',
      )
    })

    it('GET /v1/integration_account/{id}/credentials: 404 for foreign and unknown ids alike, without an audit event', async () => {
      const { integrationAccountId } = await t.createAccount(integrationDefinitionId, { config })
      const { workspaceId } = (await t.call('POST', '/v1/workspace', {})).body
      const bound = await t.createToken({ workspaceId, scopes: ['credentials:read'] })
      const { token } = await t.otherUser()
      const foreign = await getAccount(integrationAccountId, '/credentials', bound)
      const { message } = expectError(foreign, 'integration_account_not_found')
      assert.notEqual((await getAccount(integrationAccountId, '/credentials', token)).status, 200)
      for (const unknown of UNKNOWN)
        assert.equal(
          expectError(await getAccount(unknown, '/credentials'), 'integration_account_not_found')
            .message,
          message,
        )
      assert.deepEqual(await listAuditActions(t, integrationAccountId), ['account.created'])
    })

    it('GET /v1/integration_account/{id}/credentials: 403 for the scopes read and write', async () => {
      const { integrationAccountId } = await t.createAccount(integrationDefinitionId, { config })
      const response = await getAccount(integrationAccountId, '/credentials', await t.createToken())
      expectError(response, 'insufficient_scope')
    })

    it('GET /v1/integration_account/{id}/credentials: 400 for an unknown query parameter', async () => {
      expectError(await getAccount(UNKNOWN[0], '/credentials?raw=1'), 'invalid_parameter')
    })

    itRequiresScope(() => t, 'GET', '/v1/integration_account/acc_0/credentials', {
      scope: 'credentials:read',
    })
  })
})
