import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectCreated, expectError, expectOk } from '../../../test/test-context.ts'
import {
  type ProxyTestContext,
  startProxyTestContext,
} from '../../accounts/proxy/test/proxy-test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'

const ALL_SCOPES = [
  ...['admin', 'read', 'write', 'credentials:read', 'audit:read', 'proxy', 'tokens', 'webhooks'],
]

describeOnBothDatabases('Tokens that are bound to accounts', (newUrl) => {
  let t: ProxyTestContext
  let otherAccountId: string
  let token: string
  before(async () => {
    t = await startProxyTestContext({ url: await newUrl() })
    const { integrationDefinitionId } = expectOk(
      await t.call('GET', `/v1/integration_account/${t.accountId}`),
    )
    const config = { api_key: 'key', base_url: t.providerUrl }
    const body = { integrationDefinitionId, authType: 'Api Key', config }
    const create = { body: { ...body, integrationAccountName: 'other' } }
    const other = expectCreated(await t.call('POST', '/v1/integration_account', create))
    otherAccountId = other.integrationAccountId
    token = await t.createToken({ scopes: ALL_SCOPES, integrationAccountIds: [t.accountId] })
  })
  after(() => t.close())

  const createToken = (body: object) =>
    t.call('POST', '/v1/user/token', { body: { name: 'bound', ...body } })

  it('get their accounts and use their proxy, again and again', async () => {
    for (let round = 0; round < 3; round++) {
      const account = await t.call('GET', `/v1/integration_account/${t.accountId}`, { token })
      assert.equal(expectOk(account).integrationAccountId, t.accountId)
      assert.equal((await t.send('x', { token })).status, 200)
      const described = { token, body: { path: '/x' } }
      const path = `/v1/integration_account/${t.accountId}/proxy`
      assert.equal((await t.call('POST', path, described)).status, 200)
    }
  })

  it('get 404 for every other account, as for one that does not exist', async () => {
    t.setProviderHandler(() => assert.fail('the provider was called'))
    for (const accountId of [otherAccountId, 'acc_01kahn2s6kf5arr5d1x6z5cq3b', 'nonsense'])
      for (let round = 0; round < 2; round++) {
        const path = `/v1/integration_account/${accountId}`
        const headers = { authorization: `Bearer ${token}` }
        assert.equal((await fetch(`${t.baseUrl}/api${path}`, { headers })).status, 404)
        const responses = [
          await t.call('GET', path, { token }),
          await t.call('POST', `${path}/proxy`, { token, body: { path: '/x' } }),
          await t.call('GET', `${path}/proxy/x`, { token }),
          await t.call('DELETE', `${path}/proxy/x`, { token }),
          await t.call('POST', `${path}/tool/x/call`, { token, body: {} }),
        ]
        for (const response of responses) expectError(response, 'integration_account_not_found')
      }
    t.setProviderHandler((_request, response) => response.end())
  })

  it('get 403 from every other operation, whatever their scopes', async () => {
    const { paths } = (await t.call('GET', '!/api/openapi.json')).body
    let count = 0
    for (const [path, methods] of Object.entries<Record<string, Operation>>(paths))
      for (const [method, { operationId, security }] of Object.entries(methods)) {
        if (security?.length === 0 || ALLOWED.test(operationId)) continue
        const ownPath = path
          .slice('/api'.length)
          .replace('{integrationAccountId}', t.accountId)
          .replaceAll(/\{\w+\}/g, 'x')
        const response = await t.call(method.toUpperCase(), ownPath, { token })
        expectError(response, 'insufficient_scope')
        count += 1
      }
    assert.ok(count >= 50, `${count} operations`)
  })

  it('need the scope of the operation, too', async () => {
    const integrationAccountIds = [t.accountId]
    const reader = await t.createToken({ scopes: ['read'], integrationAccountIds })
    assert.equal((await t.send('x', { token: reader })).status, 403)
    const user = await t.createToken({ scopes: ['proxy'], integrationAccountIds })
    const response = await t.call('GET', `/v1/integration_account/${t.accountId}`, { token: user })
    expectError(response, 'insufficient_scope')
  })

  it('name their accounts, and are bound to their workspace', async () => {
    const integrationAccountIds = [t.accountId, otherAccountId]
    const created = expectCreated(await createToken({ integrationAccountIds }))
    assert.deepEqual(created.integrationAccountIds, integrationAccountIds)
    assert.equal(created.workspaceId, t.workspaceId)
    const tokens = expectOk(await t.call('GET', '/v1/user/token'))
    const listed = tokens.find((each: typeof created) => each.tokenId === created.tokenId)
    assert.deepEqual(listed.integrationAccountIds, integrationAccountIds)
  })

  it('are audited with their accounts', async () => {
    const integrationAccountIds = [t.accountId, otherAccountId]
    const { tokenId } = expectCreated(await createToken({ integrationAccountIds }))
    const row = await selectAuditEntries(t.database.read)
      .select(['action', 'detail'])
      .where('subject', '=', tokenId)
      .executeTakeFirstOrThrow()
    assert.equal(row.action, 'token.created')
    const detail = { scopes: ['read', 'write'], integrationAccountIds }
    assert.deepEqual(JSON.parse(String(row.detail)), detail)
  })

  it('are refused with 400 for accounts of others or of another workspace, and for empty or long lists', async () => {
    const second = expectCreated(await t.call('POST', '/v1/workspace', { body: {} })).workspaceId
    const otherUser = await t.otherUser()
    for (const [workspaceId, integrationAccountIds] of [
      [second, [t.accountId]],
      [t.workspaceId, [t.accountId, 'acc_01kahn2s6kf5arr5d1x6z5cq3b']],
    ] as const) {
      const response = await createToken({ workspaceId, integrationAccountIds })
      const body = expectError(response, 'unknown_reference')
      const index = integrationAccountIds.length - 1
      assert.ok(`integrationAccountIds.${index}` in body.errors, JSON.stringify(body))
    }
    const body = { name: 'a', integrationAccountIds: [t.accountId], scopes: ['read'] }
    const response = await t.call('POST', '/v1/user/token', { token: otherUser.token, body })
    expectError(response, 'unknown_reference')
    const many = Array.from({ length: 101 }, (_, index) => `acc_${index}`)
    for (const integrationAccountIds of [[], many, [t.accountId, t.accountId]])
      expectError(await createToken({ integrationAccountIds }), 'validation_failed')
  })

  it('are refused for a deleted account, and get 404 from the proxy once theirs is deleted', async () => {
    const integrationAccountIds = [otherAccountId]
    const bound = await t.createToken({ scopes: ['read', 'proxy'], integrationAccountIds })
    assert.equal((await t.send('x', { token: bound, accountId: otherAccountId })).status, 200)
    expectOk(await t.call('DELETE', `/v1/integration_account/${otherAccountId}`))
    assert.equal((await t.send('x', { token: bound, accountId: otherAccountId })).status, 404)
    expectError(await createToken({ integrationAccountIds }), 'unknown_reference')
  })
})

interface Operation {
  readonly operationId: string
  readonly security?: readonly object[]
}

/** The operations for such tokens. */
const ALLOWED = /^(getAccount|callIntegrationAccountTool|sendProxyRequest|proxy[A-Z]\w*)$/
