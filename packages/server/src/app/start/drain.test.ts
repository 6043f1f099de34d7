import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDataFolder, startMain } from '../../../test/main-process.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { generateAccessToken } from '../../access/auth/access-token.ts'

const LINCHPIN_KEYS = `k1:${randomBytes(32).toString('base64')}`

const start = async (t: { after(fn: () => unknown): void }, env: Record<string, string>) => {
  const LINCHPIN_TOKEN = generateAccessToken()
  const folder = await createDataFolder()
  const main = await startMain(t, { LINCHPIN_DATA_DIR: folder, LINCHPIN_TOKEN, ...env })
  const headers = { authorization: `Bearer ${LINCHPIN_TOKEN}`, 'content-type': 'application/json' }
  /** Checks a key of the sandbox: `slow` takes 5 seconds. */
  const check = (apiKey: string) => {
    const config = { api_key: apiKey }
    const body = { integrationDefinitionId: 'acme_sandbox', authType: 'Api Key', config }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return fetch(`${main.url}/api/v1/integration_account/check`, init)
  }
  return { main, check, headers }
}

it('SIGTERM: not ready and closing connections, but answering for the delay; running work ends', async (t) => {
  const { main, check, headers } = await start(t, {
    LINCHPIN_DRAIN_DELAY: '2',
  })
  await (await check('good')).arrayBuffer()
  const slow = check('slow')
  await sleep(300)
  const stopped = main.stop()
  await sleep(500)
  const agent = new Agent({ keepAlive: true })
  const get = (path: string) =>
    new Promise<{ status: number; connection: string; body: string }>((resolve, reject) =>
      request(main.url + path, { agent, headers }, async (response) => {
        let body = ''
        for await (const chunk of response) body += chunk
        const { statusCode: status = 0 } = response
        resolve({ status, connection: String(response.headers.connection), body })
      })
        .on('error', reject)
        .end(),
    )
  const ready = await get('/health/ready')
  assert.deepEqual([ready.status, ready.body], [503, '{"status":"draining"}'])
  for (let count = 0; count < 20; count++) {
    const { status, connection } = await get('/api/v1/user')
    assert.deepEqual([status, connection], [200, 'close'])
  }
  assert.match((await get('/metrics')).body, /^linchpin_draining 1$/m)
  const response = await slow
  assert.deepEqual(await response.json(), { status: true, error: '' })
  const { code, stdout } = await stopped
  assert.equal(code, 0)
  assert.doesNotMatch(stdout, /before all work had ended/)
  await assert.rejects(get('/health/live'))
})

describeOnBothDatabases('SIGTERM: work that takes longer than the timeout', (newUrl) => {
  it('is cut off, and named in the log; the exit code is 0', async (t) => {
    const DATABASE_URL = await newUrl()
    const env: Record<string, string> = {
      LINCHPIN_DRAIN_TIMEOUT: '1',
      LINCHPIN_DATA_DIR: await createDataFolder(),
      ...(DATABASE_URL === undefined ? {} : { DATABASE_URL, LINCHPIN_KEYS }),
    }
    const { main, check } = await start(t, env)
    await (await check('good')).arrayBuffer()
    const slow = check('slow').then(
      () => 'answered',
      () => 'cut off',
    )
    await sleep(300)
    const startedAt = Date.now()
    const { code, stdout } = await main.stop()
    assert.ok(Date.now() - startedAt < 4_000)
    assert.deepEqual([code, await slow], [0, 'cut off'])
    const line = stdout.split('\n').find((text) => text.includes('stopped before all work'))
    const { count, requests } = JSON.parse(line ?? '{}')
    assert.deepEqual([count, requests], [1, ['POST /api/v1/integration_account/check']])
  })
})
