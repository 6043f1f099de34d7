import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import {
  databaseBytes,
  expectError,
  expectKeys,
  expectOk,
  hashAllTables,
  listAuditActions,
  RESPONSE_KEYS,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { AccountId } from './account.ts'

describe('POST /v1/integration_account/{integrationAccountId}', () => {
  let t: TestContext
  let integrationDefinitionId: string
  before(async () => {
    t = await testContext()
    integrationDefinitionId = (await t.createDefinition()).integrationDefinitionId
  })
  after(() => t.close())

  const createAccount = async (
    config: object = { api_key: 'old-key', base_url: t.stubServer.url },
  ) => {
    const account = await t.createAccount(integrationDefinitionId, {
      config,
      accountIdentifier: 'me',
    })
    t.stubServer.requests.length = 0
    return { made: account, id: account.integrationAccountId }
  }
  const update = (id: string, body: unknown, token = t.token) =>
    t.call('POST', `/v1/integration_account/${id}`, { body, token })
  const getCredentials = async (id: AccountId) =>
    expectOk(await t.call('GET', `/v1/integration_account/${id}/credentials`))

  it('POST /v1/integration_account/{id}: 200 a new name alone runs no CHECK and changes nothing else', async () => {
    const { made: account, id } = await createAccount()
    const body = expectOk(await update(id, { integrationAccountName: 'New name' }))
    expectKeys(body, RESPONSE_KEYS.account)
    const { updatedAt, ...rest } = body
    const { updatedAt: before, ...original } = account
    assert.deepEqual(rest, { ...original, integrationAccountName: 'New name' })
    assert.ok(updatedAt >= String(before))
    assert.deepEqual(t.stubServer.requests, [])
    assert.deepEqual(expectOk(await t.call('GET', `/v1/integration_account/${id}`)), body)
    assert.deepEqual(await listAuditActions(t, id), ['account.created', 'account.updated'])
  })

  it('POST /v1/integration_account/{id}: 200 for a new name while the credentials change concurrently', async () => {
    const { id } = await createAccount()
    let isDone = false
    const refreshing = (async () => {
      for (let version = 2; !isDone; version += 1)
        await t.database.transaction((trx) =>
          trx
            .updateTable('accounts')
            .set({ credential_version: version })
            .where('account_id', '=', id)
            .execute(),
        )
    })()
    for (let times = 0; times < 40; times += 1)
      expectOk(await update(id, { integrationAccountName: `Name ${times}` }))
    isDone = true
    await refreshing
  })

  it('POST /v1/integration_account/{id}: 200 new secrets are verified, then replace the old ones', async () => {
    const { id } = await createAccount()
    expectOk(await update(id, { config: { api_key: 'new-key' } }))
    assert.deepEqual(t.stubServer.requests, ['GET /check'])
    const config = { api_key: 'new-key', base_url: t.stubServer.url }
    assert.deepEqual((await getCredentials(id)).config, config)
  })

  it('POST /v1/integration_account/{id}: 200 omitted secrets are reused if the auth type stays the same', async () => {
    const { id } = await createAccount({ api_key: 'old-key', token: 'unknown-one' })
    const body = expectOk(
      await update(id, { authType: 'Api Key', config: { base_url: t.stubServer.url } }),
    )
    assert.deepEqual(body.integrationConfiguration, { base_url: t.stubServer.url })
    assert.deepEqual((await getCredentials(id)).config, {
      api_key: 'old-key',
      token: 'unknown-one',
      base_url: t.stubServer.url,
    })
  })

  it('POST /v1/integration_account/{id}: 200 a new auth type drops the old secrets', async () => {
    const { id } = await createAccount({ api_key: 'old-key', token: 'unknown-one' })
    const body = expectOk(await update(id, { authType: 'OAuth2', config: { refresh_token: 'r' } }))
    assert.equal(body.authType, 'OAuth2')
    assert.deepEqual(body.integrationConfiguration, {})
    const { authType, config } = await getCredentials(id)
    assert.deepEqual([authType, config], ['OAuth2', { refresh_token: 'r' }])
  })

  it('POST /v1/integration_account/{id}: 200 null means omitted, and an empty body changes nothing', async () => {
    const { made: account, id } = await createAccount()
    const body = { integrationAccountName: null, authType: null, config: null }
    for (const input of [body, {}]) {
      const { updatedAt: _, ...rest } = expectOk(await update(id, input))
      const { updatedAt: __, ...original } = account
      assert.deepEqual(rest, original)
    }
    assert.deepEqual(t.stubServer.requests, [])
  })

  it('POST /v1/integration_account/{id}: 200 the new configuration is encrypted; the database contains no plaintext', async () => {
    const { id } = await createAccount()
    const canary = `canary-${crypto.randomUUID()}`
    expectOk(await update(id, { config: { api_key: canary } }))
    assert.equal((await databaseBytes(t)).includes(canary), false)
  })

  describe('Rejected updates, which keep the old credentials and name', () => {
    const assertUnchanged = async (id: AccountId, send: () => Promise<unknown>) => {
      const before = await hashAllTables(t)
      await send()
      assert.equal(await hashAllTables(t), before)
      assert.equal((await getCredentials(id)).config.api_key, 'old-key')
    }

    it('POST /v1/integration_account/{id}: 400 credentials_rejected keeps the old credentials and name', async () => {
      const { id } = await createAccount()
      await assertUnchanged(id, async () => {
        const body = { integrationAccountName: 'New', config: { api_key: 'wrong' } }
        const { errors } = expectError(await update(id, body), 'credentials_rejected')
        assert.equal(errors.config[0].message, 'the provider answered 401')
      })
    })

    it('POST /v1/integration_account/{id}: 400 auth_type_not_allowed, also if only the auth type is sent', async () => {
      const { id } = await createAccount()
      await assertUnchanged(id, async () => {
        expectError(await update(id, { authType: 'Token' }), 'auth_type_not_allowed')
      })
    })

    it('POST /v1/integration_account/{id}: 400 validation_failed for the configuration and for the body', async () => {
      const { id } = await createAccount()
      await assertUnchanged(id, async () => {
        const { errors } = expectError(
          await update(id, { config: { api_key: 7 } }),
          'validation_failed',
        )
        assert.deepEqual(Object.keys(errors), ['config.api_key'])
        for (const body of [
          { integrationAccountName: '' },
          { config: 'x' },
          { workspaceId: t.workspaceId },
          { accountIdentifier: 'other' },
          { integrationDefinitionId },
          { deleted: null },
        ]) {
          const error = expectError(await update(id, body), 'validation_failed')
          assert.deepEqual(Object.keys(error.errors), Object.keys(body))
        }
        expectError(await t.call('POST', `/v1/integration_account/${id}`), 'malformed_json')
      })
    })

    it('POST /v1/integration_account/{id}: 502 if the provider is down or the bundle fails', async () => {
      const { id } = await createAccount()
      await assertUnchanged(id, async () => {
        const unreachable = { base_url: 'http://127.0.0.1:1' }
        expectError(await update(id, { config: unreachable }), 'provider_error')
        expectError(await update(id, { config: { mode: 'throw' } }), 'integration_failed')
      })
    })
  })

  it('POST /v1/integration_account/{id}: 409 concurrent_update for one of two simultaneous updates; the other is stored completely', async () => {
    const { id } = await createAccount()
    let pending: (() => void)[] = []
    t.stubServer.serve('/slow/check', (_request, response) => {
      pending.push(() => response.end('{}'))
      // Both requests have read the account before either is answered.
      if (pending.length === 2) for (const respond of pending.splice(0)) respond()
    })
    const base_url = `${t.stubServer.url}/slow`
    const responses = await Promise.all(
      ['one', 'two'].map((api_key) =>
        update(id, { integrationAccountName: api_key, config: { api_key, base_url } }),
      ),
    )
    pending = []
    const winner = responses.findIndex(({ status }) => status === 200)
    expectError(responses[1 - winner] ?? assert.fail(), 'concurrent_update')
    const name = ['one', 'two'][winner]
    assert.equal((await getCredentials(id)).config.api_key, name)
    assert.equal(expectOk(responses[winner] ?? assert.fail()).integrationAccountName, name)
  })

  it('POST /v1/integration_account/{id}: 409 concurrent_update if the account is deleted during verification; it stays deleted', async () => {
    const { id } = await createAccount()
    t.stubServer.serve('/gone/check', async (_request, response) => {
      await t.call('DELETE', `/v1/integration_account/${id}`)
      response.end('{}')
    })
    const config = { base_url: `${t.stubServer.url}/gone` }
    expectError(await update(id, { config }), 'concurrent_update')
    const tombstone = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
    assert.deepEqual(
      [tombstone.deleted === null, tombstone.integrationConfiguration],
      [false, null],
    )
  })

  it('POST /v1/integration_account/{id}: 404 for deleted accounts, and for foreign and unknown ids alike', async () => {
    const { id } = await createAccount()
    const { token } = await t.otherUser()
    const body = { integrationAccountName: 'Mine now' }
    const foreign = expectError(
      await update(id, body, token),
      'integration_account_not_found',
    ).message
    expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
    for (const unknown of [id, `acc_${'0'.repeat(26)}`, 'nonsense', 'x'.repeat(300)])
      assert.equal(
        expectError(await update(unknown, body), 'integration_account_not_found').message,
        foreign,
      )
  })

  itRequiresScope(() => t, 'POST', '/v1/integration_account/acc_0', {
    scope: 'accounts:write',
    body: {},
  })
})
