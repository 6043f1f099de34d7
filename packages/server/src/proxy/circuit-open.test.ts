import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { expectOk } from '../../test/test-context.ts'
import { type ProxyTestContext, startProxyTestContext } from './test/proxy-test-context.ts'

/** A host that had five seconds counts. */
const LIMITS = { totalMs: 5_500, idleMs: 5_000, maxBytes: 25_000_000 }

describe('a provider that does not answer three requests of a workspace in a row', () => {
  let proxy: ProxyTestContext
  let other: { token: string; accountId: string }
  const providerRequests: string[] = []
  before(async () => {
    proxy = await startProxyTestContext({ proxyLimits: LIMITS })
    other = await connectOther(proxy)
    proxy.setProviderHandler((request, response) => {
      providerRequests.push(`${request.method} ${request.url}`)
      if (request.url !== '/v2/slow') response.end('{}')
    })
    // On a starved machine not every timeout counts.
    for (
      let attempts = 0;
      attempts < 4 && (await proxy.send('fine')).status === 200;
      attempts += 1
    ) {
      const slow = await Promise.all([1, 2, 3, 4].map(() => proxy.send('slow')))
      for (const { status } of slow) assert.equal(status, 504)
    }
  })
  after(() => proxy.close())

  it('503 circuit_open with a truthful Retry-After, and nothing is sent', async () => {
    providerRequests.length = 0
    const { status, headers, body } = await proxy.send('fine')
    const { error } = JSON.parse(body.toString())
    assert.deepEqual([status, error, headers['linchpin-proxy']], [503, 'circuit_open', 'linchpin'])
    const seconds = Number(headers['retry-after'])
    assert.ok(seconds >= 1 && seconds <= 10, `Retry-After: ${seconds}`)
    assert.deepEqual(providerRequests, [])
  })

  it('a bundle of the workspace meets a timeout without waiting for one', async () => {
    providerRequests.length = 0
    const { integrationDefinitionId } = await proxy.createDefinition()
    const config = { api_key: 'key_that_works', base_url: proxy.providerUrl }
    const body = { integrationDefinitionId, authType: 'Api Key', config }
    const response = expectOk(await proxy.call('POST', '/v1/integration_account/check', { body }))
    const { status, code, retryable } = response
    assert.deepEqual([status, code, retryable], [false, 'provider_unreachable', true])
    assert.deepEqual(providerRequests, [])
  })

  it('another workspace reaches the same host, and the account stays active', async () => {
    const response = await proxy.send('fine', other)
    assert.equal(response.status, 200)
    const account = expectOk(await proxy.call('GET', `/v1/integration_account/${proxy.accountId}`))
    assert.deepEqual([account.status, account.statusReason], ['active', null])
  })

  it('the metrics count circuits and refusals, and name neither host nor workspace', async () => {
    const { text } = await proxy.call('GET', '!/metrics')
    const metricValue = (name: string) =>
      Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    assert.equal(metricValue('linchpin_egress_circuits_open'), 1)
    assert.equal(metricValue('linchpin_egress_circuit_openings_total'), 1)
    assert.ok(metricValue('linchpin_egress_circuit_refusals_total') >= 2)
    assert.doesNotMatch(text, new RegExp(`${new URL(proxy.providerUrl).host}|${proxy.workspaceId}`))
  })
})

/** An account of another workspace at the same provider. */
async function connectOther(
  proxy: ProxyTestContext,
): Promise<{ token: string; accountId: string }> {
  const { token } = await proxy.otherUser()
  const spec = {
    api_base_url: `${proxy.providerUrl}/v2`,
    auth_specification: {
      'Api Key': {
        input_specification: {
          type: 'object',
          properties: { api_key: { type: 'string', format: 'password' } },
        },
      },
    },
  }
  const code = `exports.default = async (command, { config } = {}) => {
    if (command === 'SPEC') return ${JSON.stringify(spec)}
    if (command === 'CHECK') return { status: true, error: '' }
    if (command === 'HEADERS') return { 'x-api-key': config.api_key }
    return { status: false, error: 'Command not found' }
  }`
  const { integrationDefinitionId = '' } = await proxy.createDefinition({ code, token })
  const { integrationAccountId = '' } = await proxy.createAccount(
    integrationDefinitionId,
    {},
    token,
  )
  return { token, accountId: integrationAccountId }
}
