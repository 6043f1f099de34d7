import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { KEYED_REQUESTS, KEYLESS_REQUESTS } from '../src/app/idempotency/test/keyed-requests.ts'
import type { StubProviderContext } from '../src/connect/oauth-flow/test/stub-provider-context.ts'
import { registerOAuthApp } from './register-oauth-app.ts'
import { REQUIRED_SCOPES } from './required-scopes.ts'
import type { TestResponse } from './test-app.ts'
import { expectCreated, expectOk, testContext } from './test-context.ts'

/** Sends a request that succeeds and changes something, or reads credentials. */
type Send = (t: StubProviderContext) => Promise<TestResponse>

/** The action that an operation records, and a request that causes it. */
type Scenario = readonly [action: string, send: Send]

const LINK = { linkName: 'a' }
const createDefinition = async (t: StubProviderContext) =>
  (await t.createDefinition()).integrationDefinitionId
const createAccount = async (t: StubProviderContext) =>
  (await t.createAccount(await createDefinition(t))).integrationAccountId
const createApp = async (t: StubProviderContext) =>
  (await registerOAuthApp(t)).integrationOAuthAppId
const createToken = async (t: StubProviderContext) =>
  expectCreated(await t.call('POST', '/v1/user/token', { body: { name: 'a' } })).tokenId
const createLink = async (t: StubProviderContext) =>
  expectCreated(await t.call('POST', '/v1/link', { body: LINK })).linkId
const createWorkspace = async (t: StubProviderContext) =>
  expectCreated(await t.call('POST', '/v1/workspace', {})).workspaceId
const endpointOf = (t: StubProviderContext) => ({ url: t.stubServer.url, types: ['webhook.test'] })
const createEndpoint = async (t: StubProviderContext) =>
  expectCreated(await t.call('POST', '/v1/webhook_endpoint', { body: endpointOf(t) }))
    .webhookEndpointId
const accountBody = async (t: StubProviderContext) => ({
  integrationDefinitionId: await createDefinition(t),
  integrationAccountName: 'a',
  authType: 'Api Key',
  config: { api_key: 'works', base_url: t.stubServer.url },
})

const sampleOf =
  (operationId: string): Send =>
  async (t) => {
    const createSample = KEYED_REQUESTS[operationId] ?? KEYLESS_REQUESTS[operationId]
    assert.ok(createSample)
    const { path, body } = await createSample(t)
    return t.call('POST', path, { body })
  }

/** One row for each operation that changes something, or returns credentials or all that is stored. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  createUser: [
    'user.created',
    (t) => t.call('POST', '/v1/user', { body: { email: `${crypto.randomUUID()}@example.com` } }),
  ],
  createToken: ['token.created', (t) => t.call('POST', '/v1/user/token', { body: { name: 'a' } })],
  deleteToken: [
    'token.revoked',
    async (t) => t.call('DELETE', `/v1/user/token/${await createToken(t)}`),
  ],
  createWorkspace: ['workspace.created', (t) => t.call('POST', '/v1/workspace', {})],
  updateWorkspace: [
    'workspace.updated',
    async (t) =>
      t.call('POST', `/v1/workspace/${await createWorkspace(t)}`, { body: { name: 'b' } }),
  ],
  deleteWorkspace: [
    'workspace.deleted',
    async (t) => t.call('DELETE', `/v1/workspace/${await createWorkspace(t)}`),
  ],
  createDefinition: ['definition.created', sampleOf('createDefinition')],
  deleteDefinition: [
    'definition.deleted',
    async (t) => t.call('DELETE', `/v1/integration_definition/${await createDefinition(t)}`),
  ],
  upgradeDefinition: ['definition.upgraded', sampleOf('upgradeDefinition')],
  rollbackDefinition: ['definition.rolled_back', sampleOf('rollbackDefinition')],
  setDefinitionIcon: ['definition.icon_changed', sampleOf('setDefinitionIcon')],
  previewDefinition: ['definition.previewed', sampleOf('previewDefinition')],
  createAccount: [
    'account.created',
    async (t) => t.call('POST', '/v1/integration_account', { body: await accountBody(t) }),
  ],
  importAccount: ['account.created', sampleOf('importAccount')],
  createAccountThroughLink: [
    'account.created',
    async (t) =>
      t.call('POST', `/v1/integration_account/link/${await createLink(t)}`, {
        body: await accountBody(t),
      }),
  ],
  updateAccount: [
    'account.updated',
    async (t) =>
      t.call('POST', `/v1/integration_account/${await createAccount(t)}`, {
        body: { integrationAccountName: 'b' },
      }),
  ],
  deleteAccount: [
    'account.deleted',
    async (t) => t.call('DELETE', `/v1/integration_account/${await createAccount(t)}`),
  ],
  getAccountCredentials: [
    'account.credentials_read',
    async (t) => t.call('GET', `/v1/integration_account/${await createAccount(t)}/credentials`),
  ],
  createLink: ['link.created', (t) => t.call('POST', '/v1/link', { body: LINK })],
  updateLink: [
    'link.updated',
    async (t) =>
      t.call('POST', `/v1/link/${await createLink(t)}`, { body: { linkName: 'Renamed' } }),
  ],
  deleteLink: ['link.revoked', async (t) => t.call('DELETE', `/v1/link/${await createLink(t)}`)],
  createConnectSession: [
    'connect_session.created',
    async (t) => t.call('POST', '/v1/connect_session', { body: { linkId: await createLink(t) } }),
  ],
  deleteConnectSession: [
    'connect_session.revoked',
    async (t) => {
      const body = { linkId: await createLink(t) }
      const session = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
      return t.call('DELETE', `/v1/connect_session/${session.connectSessionId}`)
    },
  ],
  createOAuthApp: [
    'oauth_app.created',
    async (t) => {
      const body = { clientId: 'a', integrationDefinitionId: await createDefinition(t) }
      return t.call('POST', '/v1/integration_oauth', { body })
    },
  ],
  updateOAuthApp: [
    'oauth_app.updated',
    async (t) =>
      t.call('POST', `/v1/integration_oauth/${await createApp(t)}`, { body: { clientId: 'b' } }),
  ],
  deleteOAuthApp: [
    'oauth_app.deleted',
    async (t) => t.call('DELETE', `/v1/integration_oauth/${await createApp(t)}`),
  ],
  testOAuthApp: ['oauth_app.tested', sampleOf('testOAuthApp')],
  confirmOAuth: ['account.confirmed', sampleOf('confirmOAuth')],
  confirmConnectSession: ['account.confirmed', sampleOf('confirmConnectSession')],
  createWebhookEndpoint: [
    'webhook_endpoint.created',
    (t) => t.call('POST', '/v1/webhook_endpoint', { body: endpointOf(t) }),
  ],
  updateWebhookEndpoint: [
    'webhook_endpoint.updated',
    async (t) =>
      t.call('POST', `/v1/webhook_endpoint/${await createEndpoint(t)}`, {
        body: { description: 'b' },
      }),
  ],
  deleteWebhookEndpoint: [
    'webhook_endpoint.deleted',
    async (t) => t.call('DELETE', `/v1/webhook_endpoint/${await createEndpoint(t)}`),
  ],
  rotateWebhookSecret: [
    'webhook_endpoint.secret_rotated',
    async (t) =>
      t.call('POST', `/v1/webhook_endpoint/${await createEndpoint(t)}/rotate`, { body: {} }),
  ],
  testWebhookEndpoint: [
    'webhook_endpoint.tested',
    async (t) =>
      t.call('POST', `/v1/webhook_endpoint/${await createEndpoint(t)}/test`, { body: {} }),
  ],
  replayWebhookEvents: [
    'webhook_endpoint.replayed',
    async (t) =>
      t.call('POST', `/v1/webhook_endpoint/${await createEndpoint(t)}/replay`, {
        body: { failed: true },
      }),
  ],
  eraseCustomer: [
    'customer.erased',
    (t) => t.call('POST', '/v1/erasure', { body: { accountIdentifier: 'customer-1' } }),
  ],
  exportCustomer: [
    'customer.exported',
    (t) => t.call('GET', '/v1/export?accountIdentifier=customer-1'),
  ],
  exportAuditEvents: ['audit.exported', (t) => t.call('GET', '/v1/audit/export')],
}

/** Operations that are not GET and record nothing with their request id, and why. */
const NOT_RECORDED: Readonly<Record<string, string>> = {
  checkAccount: 'stores nothing',
  startOAuth: 'stores an attempt that expires; the connection that it leads to is recorded',
  sendProxyRequest: 'is recorded per account, token and hour, as proxy.used',
  proxyPost: 'is recorded per account, token and hour, as proxy.used',
  proxyPut: 'is recorded per account, token and hour, as proxy.used',
  proxyPatch: 'is recorded per account, token and hour, as proxy.used',
  proxyDelete: 'is recorded per account, token and hour, as proxy.used',
}

describe('The audit trail', () => {
  let t: StubProviderContext
  let userId: string
  before(async () => {
    t = await testContext({ provider: {} })
    userId = expectOk(await t.call('GET', '/v1/user')).userId
  })
  after(() => t.close())

  const listOperations = async (): Promise<[method: string, operationId: string][]> => {
    const { paths } = (await t.call('GET', '!/api/openapi.json')).body
    return Object.values<Record<string, { operationId: string }>>(paths).flatMap((methods) =>
      Object.entries(methods).map(([method, { operationId }]): [string, string] => [
        method,
        operationId,
      ]),
    )
  }

  const assertRecorded = async (response: TestResponse, action: string) => {
    assert.ok([200, 201].includes(response.status), response.text)
    const rows = await t.database.read
      .selectFrom('audit_events')
      .selectAll()
      .where('request_id', '=', String(response.headers['x-request-id']))
      .execute()
    const row = rows.find((each) => each.action === action)
    assert.ok(row, `${action} is missing: ${rows.map((each) => each.action)}`)
    const { user_id, token_id, actor_kind, via, ip, outcome, at, subject } = row
    assert.deepEqual(
      [user_id, actor_kind, via, ip, outcome],
      [...[userId, 'token', 'api', '127.0.0.1', 'done']],
    )
    assert.ok(token_id?.startsWith('tok_') && subject && Math.abs(Date.now() - at) < 60_000)
  }

  it('has a scenario for each operation of the document that changes something or reads credentials', async () => {
    const expected = (await listOperations())
      .filter(
        ([method, operationId]) =>
          method !== 'get' ||
          REQUIRED_SCOPES[operationId] === 'credentials:read' ||
          operationId.startsWith('export'),
      )
      .map(([, operationId]) => operationId)
    const known = [...Object.keys(SCENARIOS), ...Object.keys(NOT_RECORDED)]
    assert.deepEqual(known.sort(), expected.sort())
  })

  for (const [operationId, [action, send]] of Object.entries(SCENARIOS))
    it(`records ${action} of ${operationId} with who, what, when, from where and the request`, async () => {
      await assertRecorded(await send(t), action)
    })

  it('has no entry of an operation that records nothing: the check fails', async () => {
    const response = await t.call('POST', '/v1/integration_account/check', {
      body: await accountBody(t).then(({ integrationAccountName: _, ...body }) => body),
    })
    await assert.rejects(assertRecorded(response, 'account.created'), /is missing/)
  })
})
