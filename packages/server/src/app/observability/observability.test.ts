import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'

describe('Health and the API reference', () => {
  /** A line is written after its response. */
  const WAIT_OPTIONS = { timeout: 10_000 }

  let t: TestApp
  before(async () => {
    t = await testApp()
    await t.app.listen({ port: 0, host: '127.0.0.1' })
  })
  after(() => t.close())

  const open = (method: string, path: string, headers: Record<string, string> = {}) =>
    t.call(method, `!${path}`, { token: null, headers })

  describe('Health checks', () => {
    for (const path of ['/health/live', '/health/ready'])
      it(`${path} requires no token and is not cached`, async () => {
        const response = await open('GET', path)
        assert.deepEqual([response.status, response.body], [200, { status: 'ok' }])
        assert.equal(response.headers['cache-control'], 'no-store')
      })

    it('report not ready but live while the service is draining, which is no error in the log', async (context) => {
      const drainState = { isDraining: false }
      const other = await testApp({ drainState })
      try {
        drainState.isDraining = true
        const ready = await other.call('GET', '!/health/ready')
        assert.deepEqual([ready.status, ready.body], [503, { status: 'draining' }])
        assert.deepEqual(await findReadinessLine(context, other), ['info', 'draining'])
        assert.equal((await other.call('GET', '!/health/live')).status, 200)
      } finally {
        await other.close()
      }
    })

    it('report not ready when storage is unavailable, with the reason in the log', async (context) => {
      const other = await testApp()
      await other.database.close()
      const ready = await other.call('GET', '!/health/ready')
      assert.deepEqual([ready.status, ready.body], [503, { status: 'storage unavailable' }])
      assert.deepEqual(await findReadinessLine(context, other), ['error', 'storage unavailable'])
      assert.equal((await other.call('GET', '!/health/live')).status, 200)
      await other.app.close()
    })
  })

  describe('Log lines', () => {
    it('are one JSON object per request, with listed fields only', async (context) => {
      const response = await t.call('GET', '/v1/user')
      const line = await context.waitFor(() => {
        const lines = t.logs.map((text) => JSON.parse(text))
        const found = lines.find(({ reqId }) => reqId === response.headers['x-request-id'])
        assert.ok(found, 'the log has a line for it')
        return found
      }, WAIT_OPTIONS)
      assert.deepEqual(Object.keys(line), [
        'level',
        'time',
        'reqId',
        'method',
        'route',
        'status',
        'ms',
        'tokenId',
      ])
      assert.deepEqual([line.level, line.route, line.status], ['debug', '/api/v1/user', 200])
    })

    it('tell the cause of a 503 in one line, without a stack trace', async () => {
      const other = await testApp()
      await other.database.close()
      assert.equal((await other.call('GET', '/v1/user')).status, 503)
      const { error, cause, err } = JSON.parse(other.logs.at(-1) ?? '{}')
      assert.deepEqual([error, err], ['storage_unavailable', undefined])
      assert.match(cause, /^StorageError: .+$/)
      await other.app.close()
    })

    it('never contain a token, a body, a query or a link id', async (context) => {
      const canary = 'Canary7Q2x'
      const link = `lnk_${canary.toLowerCase().padEnd(32, 'a')}`
      const createdToken = await t.createToken({ name: canary })
      const wrong = { token: `lp_${canary}` }
      const responses = await Promise.all([
        t.call('GET', `/v1/link/${link}?accountIdentifier=${canary}`),
        t.call('GET', `/v1/user?${canary}=${canary}`),
        t.call('GET', `/v1/${canary}`),
        t.call('GET', '/v1/user', wrong),
        t.call('GET', '/v1/user', { headers: { cookie: canary, 'x-forwarded-for': canary } }),
        t.call('POST', '/v1/workspace', { payload: `{"slug": ${canary}}` }),
        t.call('POST', '/v1/workspace', { body: { slug: canary, [canary]: canary } }),
        t.call('POST', '/v1/user', { body: { email: `${canary}@example.com`, firstname: canary } }),
        t.call('POST', '/v1/user', { body: { email: `${canary}\r\n{"level":"fatal"}` } }),
        t.call('POST', `/v1/integration_account/link/${link}`, { body: { config: { canary } } }),
        t.call('POST', '/v1/integration_account/check', {
          body: { integrationDefinitionId: canary, authType: canary, config: { key: canary } },
        }),
      ])
      await context.waitFor(() => {
        for (const { headers } of responses)
          assert.ok(t.logs.some((text) => text.includes(String(headers['x-request-id']))))
      }, WAIT_OPTIONS)
      const all = t.logs.join('')
      assert.doesNotMatch(all, /canary/i)
      assert.ok(!all.includes(createdToken.slice(3)) && !all.includes(t.token.slice(3)))
      assert.doesNotMatch(all, /lp_[0-9A-Za-z]{10}|lnk_[0-9a-z]{5}/)
    })

    it('are complete JSON documents, each terminated by a line feed', () => {
      for (const text of t.logs) {
        assert.ok(text.endsWith('\n') && text.trimEnd().split('\n').length === 1)
        assert.ok(['debug', 'info', 'warn', 'error'].includes(JSON.parse(text).level))
      }
    })
  })

  /** The level and the reason of the line of the last readiness check. */
  const findReadinessLine = (context: TestContext, { logs }: TestApp) =>
    context.waitFor(() => {
      const line = logs.findLast((text) => text.includes('/health/ready')) ?? assert.fail('no line')
      const { level, reason } = JSON.parse(line)
      return [level, reason]
    }, WAIT_OPTIONS)
})
