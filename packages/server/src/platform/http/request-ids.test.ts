import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { newId } from '../storage/id.ts'
import { createRequestIds, parseTraceParent } from './client-address.ts'

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const TRACE_PARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`

describe('X-Request-Id', () => {
  const { getRequestId } = createRequestIds(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'])

  for (const address of ['10.255.0.1', '::ffff:10.1.2.3', '192.0.2.1', '2001:db8::7'])
    it(`is adopted from the trusted proxy ${address}`, () => {
      assert.equal(getRequestId(createRequest(address, { 'x-request-id': 'lb-123' })), 'lb-123')
    })

  for (const address of ['11.0.0.1', '192.0.2.2', '2001:db9::7', '::1', undefined])
    it(`is made anew for ${address}, which is not trusted`, () => {
      assert.match(getRequestId(createRequest(address, { 'x-request-id': 'lb-123' })), UUID)
    })

  for (const id of ['', 'a b', 'a"b', 'a\u00e9', 'a'.repeat(129), '<script>', 'a,b', 'a\tb'])
    it(`is made anew for ${JSON.stringify(id.slice(0, 12))}, which is not well-formed`, () => {
      assert.match(getRequestId(createRequest('10.0.0.1', { 'x-request-id': id })), UUID)
    })

  it('is made anew for everyone without trusted proxies', () => {
    const request = createRequest('127.0.0.1', { 'x-request-id': 'lb-123' })
    assert.match(createRequestIds([]).getRequestId(request), UUID)
  })
})

describe('traceparent', () => {
  it('is parsed: the trace, the span of the caller, and whether it is sampled', () => {
    const expected = { traceId: TRACE_ID, spanId: '00f067aa0ba902b7', isSampled: true }
    assert.deepEqual(parseTraceParent(TRACE_PARENT), expected)
    assert.deepEqual(parseTraceParent(`cc${TRACE_PARENT.slice(2)}-what-comes-later`), expected)
    assert.equal(parseTraceParent(TRACE_PARENT.replace(/1$/, '2'))?.isSampled, false)
  })

  for (const text of [
    '',
    `ff${TRACE_PARENT.slice(2)}`,
    `${TRACE_PARENT}-x`,
    TRACE_PARENT.toUpperCase(),
    TRACE_PARENT.replace(TRACE_ID, '0'.repeat(32)),
    TRACE_PARENT.replace('00f067aa0ba902b7', '0'.repeat(16)),
    TRACE_PARENT.slice(0, -1),
    `${TRACE_PARENT}\n`,
  ])
    it(`is ignored if it is ${JSON.stringify(text)}`, () => {
      assert.equal(parseTraceParent(text), undefined)
    })
})

describe('The log line of a request', () => {
  let t: TestApp
  before(async () => {
    t = await testApp({ trustProxy: ['127.0.0.1'] })
  })
  after(() => t.close())

  it('names the request and the trace of a trusted proxy, the token and the workspace', async () => {
    const { headers } = await t.call('POST', '/v1/link', {
      headers: { 'x-request-id': 'lb-7', traceparent: TRACE_PARENT },
      body: { linkName: 'a', workspaceId: t.workspaceId },
    })
    assert.equal(headers['x-request-id'], 'lb-7')
    const { reqId, traceId, workspaceId, tokenId } = findLine('POST')
    assert.deepEqual([reqId, traceId, workspaceId], ['lb-7', TRACE_ID, t.workspaceId])
    assert.match(tokenId, /^tok_/)
  })

  it('names the account of the path, if that is an id, and the workspace that the token is bound to', async () => {
    const accountId = newId('acc', Date.now())
    const token = await t.createToken({ workspaceId: t.workspaceId })
    await t.call('DELETE', `/v1/integration_account/${accountId}`, { token })
    const line = findLine('DELETE')
    assert.deepEqual([line.accountId, line.workspaceId], [accountId, t.workspaceId])
    assert.match(line.reqId, UUID)
    assert.ok(!('traceId' in line))
    await t.call('DELETE', '/v1/integration_account/acc_my-password', { token })
    assert.ok(!t.logs.at(-1)?.includes('password'))
  })

  function findLine(method: string) {
    return t.logs.map((line) => JSON.parse(line)).findLast((line) => line.method === method)
  }
})

function createRequest(remoteAddress: string | undefined, headers: Record<string, string>) {
  return { headers, socket: { remoteAddress } } as unknown as IncomingMessage
}
