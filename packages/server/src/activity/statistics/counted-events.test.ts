import assert from 'node:assert/strict'
import { describe, it, type TestContext as Test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import {
  createOAuthSpec,
  startRefreshTestContext,
} from '../../accounts/accounts/token-refresh/test/refresh-test-context.ts'
import { startProxyTestContext } from '../../accounts/proxy/test/proxy-test-context.ts'
import { startReceiver } from '../webhooks/test/receiver.ts'
import { METRICS } from './statistics.ts'

/** What was counted since the last call: each metric, its codes, and how often. */
async function readCounts(t: TestContext): Promise<Record<string, number>> {
  await t.statistics.flush()
  const metrics = Object.keys(METRICS).join()
  const read = async (by: string) =>
    expectOk(await t.call('GET', `/v1/statistics?metrics=${metrics}${by}`)).series
  const counts: Record<string, number> = {}
  for (const { metric, key, points } of [...(await read('')), ...(await read('&by=code'))])
    for (const [, count] of points) counts[key === null ? metric : `${metric} ${key}`] = count
  await t.database.transaction((trx) => trx.deleteFrom('statistics').execute())
  return counts
}

describe('Statistics count', () => {
  it('opens of pages, but not what their script fetches', async (test) => {
    const t = await open(test, testContext({ pages: true }))
    const path = await t.link()
    await t.visitor().get(path)
    await t.visitor().get(`${path}?lang=de`)
    await t.app.inject({ url: path, headers: { 'sec-fetch-dest': 'empty' } })
    assert.deepEqual(await readCounts(t), { opens: 2 })
    await t.visitor().get('/link/lnk_unknown')
    assert.deepEqual(await readCounts(t), {})
  })

  it('attempts by their outcome, connected accounts, and failures by their codes, of the tool', async (test) => {
    const t = await open(test, testContext())
    const { integrationDefinitionId } = await t.createDefinition()
    let status = 200
    t.stubServer.serve('/check', (_request, response) => response.writeHead(status).end('{}'))
    const config = { api_key: 'a-key-that-works', base_url: t.stubServer.url }
    const { integrationAccountId } = await t.createAccount(integrationDefinitionId, { config })
    status = 401
    const body = { integrationDefinitionId, authType: 'Api Key', config }
    const failed = { ...body, integrationAccountName: 'A', accountIdentifier: 'a' }
    expectError(
      await t.call('POST', '/v1/integration_account', { body: failed }),
      'credentials_rejected',
    )
    status = 200
    expectOk(
      await t.call('POST', `/v1/integration_account/${integrationAccountId}`, { body: { config } }),
    )
    await t.statistics.flush()
    const one = expectOk(
      await t.call(
        'GET',
        `/v1/statistics?metrics=attempts&integrationDefinitionId=${integrationDefinitionId}`,
      ),
    )
    assert.equal(one.series[0].points[0][1], 3)
    assert.deepEqual(await readCounts(t), {
      attempts: 3,
      'attempts connected': 2,
      'attempts failed': 1,
      connects: 2,
      connect_failures: 1,
      'connect_failures credentials_rejected': 1,
    })
  })

  it('checks of stored credentials, and accounts that must be reconnected, once', async (test) => {
    let offsetMs = 0
    const t = await open(test, testContext({ now: () => Date.now() + offsetMs }))
    const { integrationDefinitionId } = await t.createDefinition()
    let status = 200
    t.stubServer.serve('/check', (_request, response) => response.writeHead(status).end('{}'))
    const config = { api_key: 'a-key-that-works', base_url: t.stubServer.url }
    const { integrationAccountId } = await t.createAccount(integrationDefinitionId, { config })
    await readCounts(t)
    for (status of [200, 401, 401]) {
      expectOk(await t.call('POST', `/v1/integration_account/${integrationAccountId}/check`))
      offsetMs += 10_001
    }
    assert.deepEqual(await readCounts(t), {
      checks: 3,
      check_failures: 2,
      'check_failures credentials_rejected': 2,
      needs_reauth: 1,
      'needs_reauth credentials_rejected': 1,
    })
  })

  it('requests to providers by the class of their status or why there was no response, and their time', async (test) => {
    const t = await open(test, startProxyTestContext())
    await readCounts(t)
    for (const status of [200, 204, 404, 503]) {
      t.setProviderHandler((_request, response) => response.writeHead(status).end())
      await t.send('items')
    }
    t.setProviderHandler((request) => request.socket.destroy())
    await t.send('items')
    t.setProviderHandler((_request, response) => setTimeout(() => response.end(), 80))
    await t.send('items')
    await t.statistics.flush()
    const [{ points }] = expectOk(await t.call('GET', '/v1/statistics?metrics=proxy_ms')).series
    assert.equal(points[0][1], 6)
    assert.ok(points[0][2] >= 80 && points[0][2] < 10_000, `${points[0][2]} ms`)
    assert.deepEqual(await readCounts(t), {
      proxy_calls: 6,
      'proxy_calls 2xx': 3,
      'proxy_calls 4xx': 1,
      'proxy_calls 5xx': 1,
      'proxy_calls unreachable': 1,
      proxy_ms: 6,
      'proxy_ms 2xx': 3,
      'proxy_ms 4xx': 1,
      'proxy_ms 5xx': 1,
      'proxy_ms unreachable': 1,
    })
  })

  it('token refreshes, and those that returned no tokens by their outcome', async (test) => {
    const context = await startRefreshTestContext()
    test.after(() => context.close())
    const { t, provider } = context
    const code = createMiniBundle(createOAuthSpec(provider))
    const path = (id: string) => `/v1/integration_account/${id}/credentials`
    expectOk(await t.call('GET', path((await context.account({ code })).id)))
    const unknown = await context.account({ code, config: { refresh_token: 'unknown' } })
    expectError(await t.call('GET', path(unknown.id)), 'needs_reauth')
    assert.deepEqual(await readCounts(t), {
      refreshes: 2,
      refresh_failures: 1,
      'refresh_failures rejected': 1,
      needs_reauth: 1,
      'needs_reauth invalid_grant': 1,
    })
  })

  it('attempts to deliver events, and failed ones by their code', async (test) => {
    let status = 500
    const receiver = await startReceiver((response) => response.writeHead(status).end())
    test.after(() => receiver.close())
    const t = await open(test, testContext())
    const body = { url: receiver.url, types: ['link.*'] }
    expectCreated(await t.call('POST', '/v1/webhook_endpoint', { body }))
    expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' } }))
    while (receiver.received.length < 1) await sleep(20)
    status = 204
    expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'b' } }))
    while (receiver.received.length < 2) await sleep(20)
    let counts: Record<string, number> = {}
    // The result is counted once the response has arrived.
    while ((counts.deliveries ?? 0) < 2) {
      await sleep(20)
      for (const [name, count] of Object.entries(await readCounts(t)))
        counts = { ...counts, [name]: (counts[name] ?? 0) + count }
    }
    const { deliveries: _, ...failed } = counts
    assert.deepEqual(failed, { delivery_failures: 1, 'delivery_failures status_500': 1 })
  })
})

/** Opens a context for one test. */
async function open<T extends { close(): Promise<void> }>(
  test: Test,
  opening: Promise<T>,
): Promise<T> {
  const context = await opening
  test.after(() => context.close())
  return context
}
