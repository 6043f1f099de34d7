import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import {
  countRows,
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  listAuditActions,
  RESPONSE_KEYS,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

describe('POST /v1/integration_account/link/{linkId}', () => {
  let t: TestContext
  let now = Date.now()
  let integrationDefinitionId: string | undefined
  before(async () => {
    t = await testContext({ now: () => now })
    integrationDefinitionId = (await t.createDefinition()).integrationDefinitionId
  })
  after(() => t.close())

  const createLink = async (overrides: object = {}, token = t.token): Promise<string> =>
    expectCreated(
      await t.call('POST', '/v1/link', { body: { linkName: 'a', ...overrides }, token }),
    ).linkId
  const addAccount = (linkId: string, overrides: object = {}, token = t.token) =>
    t.call('POST', `/v1/integration_account/link/${linkId}`, {
      body: {
        integrationDefinitionId,
        integrationAccountName: 'Through a link',
        authType: 'Api Key',
        config: { api_key: 'works', base_url: t.stubServer.url },
        ...overrides,
      },
      token,
    })
  const assertStoresNothing = async (send: () => Promise<unknown>) => {
    const before = await countRows(t, 'accounts')
    await send()
    assert.equal(await countRows(t, 'accounts'), before)
  }

  it('POST /v1/integration_account/link/{linkId}: 201 with the account and its linkId', async () => {
    const linkId = await createLink()
    t.stubServer.requests.length = 0
    const account = expectCreated(await addAccount(linkId, { accountIdentifier: 'ada' }))
    assert.deepEqual(t.stubServer.requests, ['GET /check'])
    expectKeys(account, RESPONSE_KEYS.account)
    assert.equal(account.linkId, linkId)
    assert.equal(account.workspaceId, t.workspaceId)
    assert.equal(account.accountIdentifier, 'ada')
    assert.deepEqual(account.integrationConfiguration, { base_url: t.stubServer.url })
    const path = `/v1/integration_account/${account.integrationAccountId}`
    assert.deepEqual(expectOk(await t.call('GET', path)), account)
    assert.deepEqual(await listAuditActions(t, account.integrationAccountId), ['account.created'])
  })

  it('POST /v1/integration_account/link/{linkId}: 201 in the workspace of the link, even if another one is older', async () => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
    const linkId = await createLink({ workspaceId })
    const definition = await t.createDefinition({ workspaceId })
    const overrides = { integrationDefinitionId: definition.integrationDefinitionId }
    assert.equal(expectCreated(await addAccount(linkId, overrides)).workspaceId, workspaceId)
    expectError(await addAccount(linkId), 'unknown_reference')
  })

  it('POST /v1/integration_account/link/{linkId}: 400 link_expired from the exact millisecond of expiry', async () => {
    const linkId = await createLink({ expiresIn: 1 })
    const start = now
    now = start + 999
    expectCreated(await addAccount(linkId))
    await assertStoresNothing(async () => {
      t.stubServer.requests.length = 0
      now = start + 1_000
      expectError(await addAccount(linkId), 'link_expired')
      assert.deepEqual(t.stubServer.requests, [], 'no request reaches the provider')
    })
    now = start
  })

  it('POST /v1/integration_account/link/{linkId}: 400 link_revoked, also if the link has expired', async () => {
    const linkId = await createLink({ expiresIn: 1 })
    expectOk(await t.call('DELETE', `/v1/link/${linkId}`))
    const start = now
    now += 5_000
    await assertStoresNothing(async () => {
      expectError(await addAccount(linkId), 'link_revoked')
    })
    now = start
  })

  describe('Changes during verification', () => {
    const addDuring = async (linkId: string, action: () => unknown) => {
      t.stubServer.serve('/slow/check', async (_request, response) => {
        await action()
        response.end('{}')
      })
      return addAccount(linkId, {
        config: { api_key: 'works', base_url: `${t.stubServer.url}/slow` },
      })
    }

    it('POST /v1/integration_account/link/{linkId}: 400 link_expired if the link expires during verification', async () => {
      const linkId = await createLink({ expiresIn: 60 })
      const start = now
      await assertStoresNothing(async () => {
        expectError(await addDuring(linkId, () => (now += 60_000)), 'link_expired')
      })
      now = start
    })

    it('POST /v1/integration_account/link/{linkId}: 400 link_revoked if the link is revoked during verification', async () => {
      const linkId = await createLink()
      await assertStoresNothing(async () => {
        const revoke = () => t.call('DELETE', `/v1/link/${linkId}`)
        expectError(await addDuring(linkId, revoke), 'link_revoked')
      })
    })

    it('POST /v1/integration_account/link/{linkId}: 400 unknown_reference if the definition is deleted during verification', async () => {
      const linkId = await createLink()
      const definition = await t.createDefinition()
      await assertStoresNothing(async () => {
        t.stubServer.serve('/slow/check', async (_request, response) => {
          const path = `/v1/integration_definition/${definition.integrationDefinitionId}`
          expectOk(await t.call('DELETE', path))
          response.end('{}')
        })
        const config = { api_key: 'works', base_url: `${t.stubServer.url}/slow` }
        const overrides = { integrationDefinitionId: definition.integrationDefinitionId, config }
        expectError(await addAccount(linkId, overrides), 'unknown_reference')
      })
    })
  })

  it('POST /v1/integration_account/link/{linkId}: 400 unknown_reference for a definition that the link does not allow or that does not exist', async () => {
    const crm = await t.createDefinition({ integrationType: 'CRM' })
    const otherUser = await t.otherUser()
    const foreign = await t.createDefinition({ token: otherUser.token, integrationType: 'CRM' })
    const deletedDefinition = await t.createDefinition({ integrationType: 'CRM' })
    expectOk(
      await t.call(
        'DELETE',
        `/v1/integration_definition/${deletedDefinition.integrationDefinitionId}`,
      ),
    )
    const ofCategory = await createLink({ category: ['CRM'] })
    const ofDefinition = await createLink({ integrationDefinitionId: crm.integrationDefinitionId })
    const allowed = { integrationDefinitionId: crm.integrationDefinitionId }
    await assertStoresNothing(async () => {
      for (const linkId of [ofCategory, ofDefinition]) {
        expectError(await addAccount(linkId), 'unknown_reference')
        for (const id of [
          foreign.integrationDefinitionId,
          deletedDefinition.integrationDefinitionId,
          `def_${'0'.repeat(26)}`,
          'nonsense',
        ])
          expectError(
            await addAccount(linkId, { integrationDefinitionId: id }),
            'unknown_reference',
          )
      }
    })
    expectCreated(await addAccount(ofCategory, allowed))
    expectCreated(await addAccount(ofDefinition, allowed))
  })

  it('POST /v1/integration_account/link/{linkId}: 400 auth_type_not_allowed on a preferOAuth link for types without both OAuth URLs', async () => {
    const spec = {
      auth_specification: {
        Full: { authorization_url: 'https://p.example/a', token_url: 'https://p.example/t' },
        Half: { token_url: 'https://p.example/t' },
        Other: { authorization_url: 'https://p.example/a' },
        Empty: { authorization_url: '', token_url: 'https://p.example/t' },
        Key: {},
      },
    }
    const definition = await t.createDefinition({ code: createMiniBundle(spec) })
    const id = { integrationDefinitionId: definition.integrationDefinitionId, config: {} }
    const linkId = await createLink({ preferOAuth: true })
    await assertStoresNothing(async () => {
      for (const authType of ['Half', 'Other', 'Empty', 'Key', 'Unknown']) {
        const response = await addAccount(linkId, { ...id, authType })
        const { errors } = expectError(response, 'auth_type_not_allowed')
        assert.equal(errors.authType[0].message, 'Must be one of "Full".')
      }
    })
    assert.equal(
      expectCreated(await addAccount(linkId, { ...id, authType: 'Full' })).authType,
      'Full',
    )
    assert.equal(
      expectCreated(await addAccount(await createLink(), { ...id, authType: 'Key' })).authType,
      'Key',
    )
  })

  it('POST /v1/integration_account/link/{linkId}: 400 credentials_rejected and 502, as without a link', async () => {
    const linkId = await createLink()
    await assertStoresNothing(async () => {
      const rejectedConfig = { api_key: 'wrong', base_url: t.stubServer.url }
      expectError(await addAccount(linkId, { config: rejectedConfig }), 'credentials_rejected')
      const unreachableConfig = { api_key: 'works', base_url: 'http://127.0.0.1:1' }
      expectError(await addAccount(linkId, { config: unreachableConfig }), 'provider_error')
      const broken = { api_key: 'works', mode: 'throw' }
      expectError(await addAccount(linkId, { config: broken }), 'integration_failed')
    })
  })

  it('POST /v1/integration_account/link/{linkId}: 400 lists every missing, invalid or unknown field, including workspaceId', async () => {
    const linkId = await createLink()
    const path = `/v1/integration_account/link/${linkId}`
    const { errors } = expectError(await t.call('POST', path, { body: {} }), 'validation_failed')
    assert.equal(Object.keys(errors).length, 4)
    for (const overrides of [
      { workspaceId: t.workspaceId },
      { linkId },
      { accountIdentifier: 7 },
    ]) {
      const error = expectError(await addAccount(linkId, overrides), 'validation_failed')
      assert.deepEqual(Object.keys(error.errors), Object.keys(overrides))
    }
  })

  it('POST /v1/integration_account/link/{linkId}: 404 for foreign and unknown links alike', async () => {
    const linkId = await createLink()
    const otherUser = await t.otherUser()
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
    const bound = await t.createToken({ workspaceId })
    await assertStoresNothing(async () => {
      const { message } = expectError(
        await addAccount(linkId, {}, otherUser.token),
        'link_not_found',
      )
      expectError(await addAccount(linkId, {}, bound), 'link_not_found')
      for (const unknown of [`lnk_${'0'.repeat(32)}`, 'nonsense', 'x'.repeat(300)])
        assert.equal(expectError(await addAccount(unknown), 'link_not_found').message, message)
    })
  })

  itRequiresScope(() => t, 'POST', '/v1/integration_account/link/lnk_0', {
    scope: 'accounts:write',
    body: {},
  })
})
