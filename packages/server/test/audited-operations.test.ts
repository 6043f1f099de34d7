import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { StubProviderContext } from '../src/connect/oauth-flow/test/stub-provider-context.ts'
import { selectAuditEntries } from '../src/platform/storage/audit-inbox.ts'
import { listApiOperations } from './api-operations.ts'
import { createSampleRequest } from './sample-request.ts'
import type { TestResponse } from './test-app.ts'
import { expectOk, testContext } from './test-context.ts'

const operations = await listApiOperations()

/** Operations that are not GET and record nothing with their request id, and why. */
const NOT_RECORDED: Readonly<Record<string, string>> = {
  checkAccount: 'stores nothing',
  checkDefinition: 'stores nothing',
  startOAuth: 'stores an attempt that expires; the connection that it leads to is recorded',
  sendProxyRequest: 'is recorded per account, token and hour, as proxy.used',
  callIntegrationAccountTool: 'is recorded per account, token and hour, as proxy.used',
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

  const send = async (operationId: string) => {
    const { method, path, body } = await createSampleRequest(t, operationId)
    return t.call(method, path, { body })
  }

  const assertRecorded = async (response: TestResponse, action: string) => {
    assert.ok([200, 201].includes(response.status), response.text)
    const rows = await selectAuditEntries(t.database.read)
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

  it('records every operation that changes something, reads credentials or exports, except those with a reason', () => {
    const expected = operations.filter(
      ({ operationId, method, scope }) =>
        method !== 'GET' || scope === 'credentials:read' || operationId.startsWith('export'),
    )
    const recorded = operations.filter(({ audit }) => audit !== undefined)
    const ids = [...recorded.map(({ operationId }) => operationId), ...Object.keys(NOT_RECORDED)]
    assert.deepEqual(ids.sort(), expected.map(({ operationId }) => operationId).sort())
    assert.ok(recorded.length > 30)
  })

  for (const { operationId, audit } of operations)
    if (audit !== undefined)
      it(`records ${audit} of ${operationId} with who, what, when, from where and the request`, async () => {
        await assertRecorded(await send(operationId), audit)
      })

  it('has no entry of an operation that records nothing: the check fails', async () => {
    const response = await send('checkAccount')
    await assert.rejects(assertRecorded(response, 'account.created'), /is missing/)
  })
})
