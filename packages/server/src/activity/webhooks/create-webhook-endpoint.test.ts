import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  listAuditActions,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

const URL_ALLOWED = 'http://127.0.0.1:9/hooks'

describe('POST /v1/webhook_endpoint', () => {
  let t: TestContext
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  const post = (overrides: object = {}, token = t.token) =>
    t.call('POST', '/v1/webhook_endpoint', { body: { url: URL_ALLOWED, ...overrides }, token })

  it('POST /v1/webhook_endpoint: 201 with the secret, which no other response contains', async () => {
    const created = expectCreated(await post())
    const { secret, webhookEndpointId, publicKeys, createdAt, updatedAt, ...rest } = created
    assert.match(webhookEndpointId, /^whe_[0-9a-z]{26}$/)
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.match(publicKeys[0], /^whpk_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual(rest, {
      workspaceId: t.workspaceId,
      url: URL_ALLOWED,
      description: '',
      types: [],
      integrationDefinitionIds: [],
      payload: 'full',
      version: 1,
      ordering: 'account',
      signature: 'v1',
      maxInFlight: 8,
      headerNames: [],
      state: 'active',
      stateReason: null,
      failingSince: null,
      lastSuccessAt: null,
      pending: 0,
    })
    const { secret: _, ...visible } = created
    const path = `/v1/webhook_endpoint/${webhookEndpointId}`
    assert.deepEqual(expectOk(await t.call('GET', path)), visible)
    const list = expectOk(await t.call('GET', '/v1/webhook_endpoint'))
    assert.deepEqual(list.at(-1), visible)
    assert.deepEqual(await listAuditActions(t, webhookEndpointId), ['webhook_endpoint.created'])
  })

  it('POST /v1/webhook_endpoint: stores secrets and headers encrypted', async () => {
    const headers = { Authorization: 'Bearer of-the-receiver' }
    const { secret, headerNames } = expectCreated(await post({ headers }))
    assert.deepEqual(headerNames, ['Authorization'])
    const rows = await t.database.read.selectFrom('webhook_endpoints').selectAll().execute()
    const bytes = rows
      .flatMap((row) => Object.values(row))
      .map((value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
      )
    assert.ok(!bytes.some((text) => text.includes('of-the-receiver') || text.includes(secret)))
  })

  it('POST /v1/webhook_endpoint: 400 for settings that are invalid, naming the field', async () => {
    const names = async (overrides: object) =>
      Object.keys(expectError(await post(overrides), 'validation_failed').errors)
    assert.deepEqual(await names({ url: undefined }), ['url'])
    assert.deepEqual(await names({ types: ['account.*', 'acount.created', '*'] }), [
      'types.1',
      'types.2',
    ])
    assert.deepEqual(await names({ version: 2 }), ['version'])
    assert.deepEqual(await names({ maxInFlight: 65 }), ['maxInFlight'])
    assert.deepEqual(await names({ signature: 'v2' }), ['signature'])
    for (const name of ['Host', 'webhook-id', 'Linchpin-Attempt', 'Connection', 'content-type'])
      assert.deepEqual(await names({ headers: { [name]: 'x' } }), ['headers'], name)
    assert.deepEqual(await names({ headers: { 'X-A': '1', 'x-a': '2' } }), ['headers'])
    assert.deepEqual(await names({ headers: { 'X-A': 'a\r\nB: c' } }), ['headers.X-A'])
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`x-${index}`, '1']))
    assert.deepEqual(await names({ headers: many }), ['headers'])
    expectError(await post({ integrationDefinitionIds: ['def_x'] }), 'unknown_reference')
  })

  it('POST /v1/webhook_endpoint: 400 webhook_url_forbidden for URLs that must not receive events', async () => {
    for (const url of [
      'ftp://example.com/x',
      'https:example.com',
      '/hooks',
      'https://user:password@127.0.0.1:9/',
      'http://127.0.0.1:9/#fragment',
      'http://example.com/',
      'https://10.0.0.1/',
      'https://169.254.169.254/latest/meta-data',
    ])
      assert.deepEqual(
        Object.keys(expectError(await post({ url }), 'webhook_url_forbidden').errors),
        ['url'],
      )
  })

  it('POST /v1/webhook_endpoint: 400 webhook_url_forbidden says how to receive events on a computer', async () => {
    // The egress gateway of tests allows loopback addresses.
    const url = 'http://192.168.0.10:3001/hooks'
    const { errors } = expectError(await post({ url }), 'webhook_url_forbidden')
    assert.match(errors.url[0].message, /linchpin events listen --forward-to/)
    assert.match(errors.url[0].message, /LINCHPIN_EGRESS_ALLOW=webhook=/)
  })

  it('POST /v1/webhook_endpoint: 403 for a workspace of another user', async () => {
    const { workspaceId } = await t.otherUser()
    expectError(await post({ workspaceId }), 'workspace_not_accessible')
  })

  it('POST /v1/webhook_endpoint: at most 100 in a workspace, also by concurrent requests', async () => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
    for (let count = 0; count < 95; count += 1) expectCreated(await post({ workspaceId }))
    const responses = await Promise.all(Array.from({ length: 10 }, () => post({ workspaceId })))
    assert.equal(responses.filter(({ status }) => status === 201).length, 5)
    for (const response of responses.filter(({ status }) => status !== 201))
      expectError(response, 'webhook_endpoint_limit')
  })

  itRequiresScope(() => t, 'POST', '/v1/webhook_endpoint', {
    scope: 'webhooks',
    body: { url: URL_ALLOWED },
  })
})
