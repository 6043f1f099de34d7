import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fine } from '../../test/fixtures.ts'
import { type ProxyWorld, startProxyWorld } from './test/proxy-world.ts'

/** A host that had five seconds counts. */
const LIMITS = { totalMs: 5_500, idleMs: 5_000, maxBytes: 25_000_000 }

describe('a provider that does not answer three requests of a workspace in a row', () => {
  let w: ProxyWorld
  let other: { token: string; accountId: string }
  const seen: string[] = []
  before(async () => {
    w = await startProxyWorld({ proxyLimits: LIMITS })
    other = await connectOther(w)
    w.play((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      if (request.url !== '/v2/slow') response.end('{}')
    })
    // On a starved machine not every timeout counts.
    for (let tries = 0; tries < 4 && (await w.ask('fine')).status === 200; tries += 1) {
      const slow = await Promise.all([1, 2, 3, 4].map(() => w.ask('slow')))
      for (const { status } of slow) assert.equal(status, 504)
    }
  })
  after(() => w.close())

  it('503 circuit_open with a truthful Retry-After, and nothing is sent', async () => {
    seen.length = 0
    const { status, headers, body } = await w.ask('fine')
    const { error } = JSON.parse(body.toString())
    assert.deepEqual([status, error, headers['linchpin-proxy']], [503, 'circuit_open', 'linchpin'])
    const seconds = Number(headers['retry-after'])
    assert.ok(seconds >= 1 && seconds <= 10, `Retry-After: ${seconds}`)
    assert.deepEqual(seen, [])
  })

  it('a bundle of the workspace meets a timeout without waiting for one', async () => {
    seen.length = 0
    const { integrationDefinitionId } = await w.define()
    const config = { api_key: 'key_that_works', base_url: w.provider }
    const body = { integrationDefinitionId, authType: 'Api Key', config }
    const answer = fine(await w.call('POST', '/v1/integration_account/check', { body }))
    const { status, code, retryable } = answer
    assert.deepEqual([status, code, retryable], [false, 'provider_unreachable', true])
    assert.deepEqual(seen, [])
  })

  it('another workspace reaches the same host, and the account stays active', async () => {
    const answer = await w.ask('fine', other)
    assert.equal(answer.status, 200)
    const account = fine(await w.call('GET', `/v1/integration_account/${w.accountId}`))
    assert.deepEqual([account.status, account.statusReason], ['active', null])
  })

  it('the metrics count circuits and refusals, and name neither host nor workspace', async () => {
    const { text } = await w.call('GET', '!/metrics')
    const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    assert.equal(value('linchpin_egress_circuits_open'), 1)
    assert.equal(value('linchpin_egress_circuit_openings_total'), 1)
    assert.ok(value('linchpin_egress_circuit_refusals_total') >= 2)
    assert.doesNotMatch(text, new RegExp(`${new URL(w.provider).host}|${w.workspaceId}`))
  })
})

/** An account of another workspace at the same provider. */
async function connectOther(w: ProxyWorld): Promise<{ token: string; accountId: string }> {
  const { token } = await w.stranger()
  const spec = {
    api_base_url: `${w.provider}/v2`,
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
  const { integrationDefinitionId = '' } = await w.define({ code, token })
  const { integrationAccountId = '' } = await w.connect(integrationDefinitionId, {}, token)
  return { token, accountId: integrationAccountId }
}
