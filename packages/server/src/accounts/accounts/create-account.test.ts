import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import {
  databaseBytes,
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  hashAllTables,
  ISO_TIMESTAMP,
  listAuditActions,
  RESPONSE_KEYS,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

describe('POST /v1/integration_account', () => {
  let t: TestContext
  let integrationDefinitionId: string
  before(async () => {
    t = await testContext()
    integrationDefinitionId = (await t.createDefinition()).integrationDefinitionId
  })
  after(() => t.close())

  const post = (createBody: unknown, token = t.token) =>
    t.call('POST', '/v1/integration_account', { body: createBody, token })
  const createBody = (config: object = {}, overrides: object = {}) => ({
    integrationDefinitionId,
    integrationAccountName: 'Support desk',
    authType: 'Api Key',
    config: { api_key: 'secret-canary', ...config },
    ...overrides,
  })

  it('POST /v1/integration_account: 201 with exactly the fields of the interface', async () => {
    const config = { base_url: t.stubServer.url, unknown: 'secret-too' }
    const account = expectCreated(await post(createBody(config)))
    expectKeys(account, RESPONSE_KEYS.account)
    const { integrationAccountId, createdAt, updatedAt, ...rest } = account
    assert.match(integrationAccountId, /^acc_[0-9a-z]{26}$/)
    assert.match(createdAt, ISO_TIMESTAMP)
    assert.equal(updatedAt, createdAt)
    assert.deepEqual(rest, {
      integrationDefinitionId,
      integrationConfiguration: { base_url: t.stubServer.url },
      authType: 'Api Key',
      workspaceId: t.workspaceId,
      integrationAccountName: 'Support desk',
      deleted: null,
      linkId: null,
      accountIdentifier: null,
      tags: {},
      facts: {},
      status: 'active',
      statusReason: null,
      statusSince: createdAt,
      identity: null,
    })
    assert.deepEqual(await listAuditActions(t, integrationAccountId), ['account.created'])
    assert.deepEqual(
      expectOk(await t.call('GET', `/v1/integration_account/${integrationAccountId}`)),
      account,
    )
  })

  it('POST /v1/integration_account: runs CHECK first, with the credentials as sent', async () => {
    t.stubServer.requests.length = 0
    expectCreated(await post(createBody({ base_url: t.stubServer.url })))
    assert.deepEqual(t.stubServer.requests, ['GET /check'])
  })

  it('POST /v1/integration_account: stores accountIdentifier; null means none', async () => {
    const named = expectCreated(await post(createBody({}, { accountIdentifier: 'user 42 / é' })))
    assert.equal(named.accountIdentifier, 'user 42 / é')
    const none = expectCreated(
      await post(createBody({}, { accountIdentifier: null, workspaceId: null })),
    )
    assert.equal(none.accountIdentifier, null)
  })

  it('POST /v1/integration_account: creates several accounts of one definition, even with the same name', async () => {
    const responses = await Promise.all([1, 2, 3, 4].map(() => post(createBody())))
    const ids = responses.map((response) => expectCreated(response).integrationAccountId)
    assert.equal(new Set(ids).size, 4)
  })

  it('POST /v1/integration_account: rejects a workspace other than that of the definition', async () => {
    const second = expectCreated(await t.call('POST', '/v1/workspace', {})).workspaceId
    expectError(await post(createBody({}, { workspaceId: second })), 'unknown_reference')
    const bound = await t.createToken({ workspaceId: second })
    expectError(await post(createBody(), bound), 'unknown_reference')
    const definition = await t.createDefinition({ token: bound })
    const overrides = { integrationDefinitionId: definition.integrationDefinitionId }
    assert.equal(expectCreated(await post(createBody({}, overrides), bound)).workspaceId, second)
    expectError(await post(createBody({}, overrides)), 'unknown_reference')
  })

  it('POST /v1/integration_account: encrypts the configuration; the database contains no plaintext secret', async () => {
    const canary = `canary-${crypto.randomUUID()}`
    const config = { api_key: canary, token: `${canary}-2`, deep: { er: [`${canary}-3`] } }
    const { integrationAccountId } = expectCreated(await post(createBody(config)))
    const bytes = await databaseBytes(t)
    assert.ok(bytes.includes(integrationAccountId), 'the bytes contain the account')
    assert.equal(bytes.includes(canary), false)
    assert.equal(bytes.includes(Buffer.from(canary).toString('base64').slice(0, 20)), false)
  })

  it('POST /v1/integration_account: drops the reserved authType inside the configuration', async () => {
    const account = expectCreated(
      await post(createBody({ authType: 'OAuth2', base_url: t.stubServer.url })),
    )
    assert.deepEqual(
      [account.authType, account.integrationConfiguration],
      ['Api Key', { base_url: t.stubServer.url }],
    )
    const path = `/v1/integration_account/${account.integrationAccountId}/credentials`
    const { config } = expectOk(await t.call('GET', path))
    assert.deepEqual(config, { api_key: 'secret-canary', base_url: t.stubServer.url })
  })

  describe('Rejected requests, which store nothing', () => {
    const assertStoresNothing = async (send: () => Promise<unknown>) => {
      const before = await hashAllTables(t)
      await send()
      assert.equal(await hashAllTables(t), before)
    }

    it('POST /v1/integration_account: 400 credentials_rejected with a fixed message and the message of the bundle in errors.config', async () => {
      await assertStoresNothing(async () => {
        const bundleResult = { status: false, error: 'key secret-canary is dead', field: 'api_key' }
        t.stubServer.serve('/told', (_request, response) =>
          response.end(JSON.stringify(bundleResult)),
        )
        const config = { mode: 'told', base_url: t.stubServer.url }
        const failure = expectError(await post(createBody(config)), 'credentials_rejected')
        assert.equal(failure.message, 'The provider did not accept these credentials.')
        assert.deepEqual(failure.errors, {
          config: [{ code: 'rejected', message: 'key [removed] is dead' }],
        })
      })
    })

    it('POST /v1/integration_account: 502 provider_error if the provider responds with 429 or 5xx', async () => {
      for (const status of [429, 500, 502, 503])
        await assertStoresNothing(async () => {
          const url = t.stubServer.serve('/busy/check', (_request, response) =>
            response.writeHead(status).end(),
          )
          expectError(
            await post(createBody({ base_url: url.replace('/check', '') })),
            'provider_error',
          )
        })
    })

    it('POST /v1/integration_account: 502 provider_error for a closed port', async () => {
      await assertStoresNothing(async () => {
        expectError(await post(createBody({ base_url: 'http://127.0.0.1:1' })), 'provider_error')
      })
    })

    for (const [mode, code] of [
      ['throw', 'integration_failed'],
      ['never', 'integration_timeout'],
      ['answer', 'integration_bad_output'],
    ] as const)
      it(`POST /v1/integration_account: 502 ${code} if the bundle fails (${mode})`, async () => {
        await assertStoresNothing(async () => {
          const response = await post(createBody({ mode }))
          expectError(response, code)
          assert.ok(!response.text.includes('secret-canary'))
        })
      })

    it('POST /v1/integration_account: 400 lists each invalid field of the body', async () => {
      await assertStoresNothing(async () => {
        const missing = expectError(await post({}), 'validation_failed')
        const requiredFields = [
          'authType',
          'config',
          'integrationAccountName',
          'integrationDefinitionId',
        ]
        assert.deepEqual(Object.keys(missing.errors).sort(), requiredFields)
        for (const overrides of [
          { integrationAccountName: '' },
          { integrationAccountName: ' \t' },
          { integrationAccountName: 'x'.repeat(201) },
          { accountIdentifier: '' },
          { accountIdentifier: 'x'.repeat(256) },
          { authType: '' },
          { config: null },
          { config: [] },
          { linkId: 'lnk_0' },
          { deleted: null },
        ]) {
          const { errors } = expectError(await post(createBody({}, overrides)), 'validation_failed')
          assert.deepEqual(Object.keys(errors), Object.keys(overrides))
        }
      })
    })

    it('POST /v1/integration_account: 400 for an invalid configuration and an unknown auth type', async () => {
      await assertStoresNothing(async () => {
        const { errors } = expectError(
          await post({ ...createBody(), config: { base_url: 7 } }),
          'validation_failed',
        )
        assert.deepEqual(Object.keys(errors).sort(), ['config.api_key', 'config.base_url'])
        expectError(await post(createBody({}, { authType: 'Token' })), 'auth_type_not_allowed')
      })
    })

    it('POST /v1/integration_account: 400 unknown_reference for foreign, unknown and malformed definitions; 403 for foreign workspaces', async () => {
      const otherUser = await t.otherUser()
      const foreign = await t.createDefinition({ token: otherUser.token })
      await assertStoresNothing(async () => {
        for (const id of [foreign.integrationDefinitionId, `def_${'0'.repeat(26)}`, 'x'])
          expectError(
            await post(createBody({}, { integrationDefinitionId: id })),
            'unknown_reference',
          )
        for (const id of [otherUser.workspaceId, `wsp_${'0'.repeat(26)}`, 'x', ''])
          expectError(await post(createBody({}, { workspaceId: id })), 'workspace_not_accessible')
      })
    })
  })

  itRequiresScope(() => t, 'POST', '/v1/integration_account', { scope: 'accounts:write', body: {} })
})
