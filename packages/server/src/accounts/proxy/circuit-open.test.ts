import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { expectOk } from '../../../test/test-context.ts'
import { type ProxyTestContext, startProxyTestContext } from './test/proxy-test-context.ts'

/** Timeouts count if they took five seconds. */
const LIMITS = { totalMs: 5_500, idleMs: 5_000, maxBytes: 25_000_000 }

describe('GET /proxy/* after three timeouts of the provider in one workspace', () => {
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
    // On a busy machine some timeouts do not count.
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

  it('503 circuit_open with a Retry-After that applies, without a request to the provider', async () => {
    providerRequests.length = 0
    const { status, headers, body } = await proxy.send('fine')
    const { error } = JSON.parse(body.toString())
    assert.deepEqual([status, error, headers['linchpin-proxy']], [503, 'circuit_open', 'linchpin'])
    const seconds = Number(headers['retry-after'])
    assert.ok(seconds >= 1 && seconds <= 10, `Retry-After: ${seconds}`)
    assert.deepEqual(providerRequests, [])
  })

  it('a bundle of the workspace gets a timeout immediately', async () => {
    providerRequests.length = 0
    const { integrationDefinitionId } = await proxy.createDefinition()
    const config = { api_key: 'key_that_works', base_url: proxy.providerUrl }
    const body = { integrationDefinitionId, authType: 'Api Key', config }
    const response = expectOk(await proxy.call('POST', '/v1/integration_account/check', { body }))
    const { status, code, retryable } = response
    assert.deepEqual([status, code, retryable], [false, 'provider_unreachable', true])
    assert.deepEqual(providerRequests, [])
  })

  it('another workspace still reaches the host, and the account stays active', async () => {
    const response = await proxy.send('fine', other)
    assert.equal(response.status, 200)
    const account = expectOk(await proxy.call('GET', `/v1/integration_account/${proxy.accountId}`))
    assert.deepEqual([account.status, account.statusReason], ['active', null])
  })

  it('the metrics count circuits and rejected requests without naming host or workspace', async () => {
    const { text } = await proxy.call('GET', '!/metrics')
    const metricValue = (name: string) =>
      Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    assert.equal(metricValue('linchpin_egress_circuits_open'), 1)
    assert.equal(metricValue('linchpin_egress_circuit_openings_total'), 1)
    assert.ok(metricValue('linchpin_egress_circuit_refusals_total') >= 2)
    assert.doesNotMatch(text, new RegExp(`${new URL(proxy.providerUrl).host}|${proxy.workspaceId}`))
  })
})

/** Creates an account of another workspace at the same provider. */
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
  const { integrationDefinitionId } = await proxy.createDefinition({ code, token })
  const { integrationAccountId = '' } = await proxy.createAccount(
    integrationDefinitionId,
    {},
    token,
  )
  return { token, accountId: integrationAccountId }
}
