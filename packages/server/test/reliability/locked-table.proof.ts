import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describePostgres } from '../postgres.ts'
import { createServiceSetup, type ServiceProcess, startService } from './service-process.ts'

const lockMs = Number(process.env.LOCK_SECONDS ?? 3) * 1_000
const WRITES = 14
const MAX_READ_MS = 1_500
/** Above the lock timeout of the test, and below the connect timeout. */
const MAX_LOCKED_MS = 2_800

describePostgres('A locked table', (server) => {
  it(`of links, for ${lockMs / 1_000} s beside ${WRITES} writes and as many reads of it, leaves the node ready and answers other reads`, async (t) => {
    const databaseUrl = await server().createDatabase('locked')
    const setup = await createServiceSetup({
      databaseUrl,
      settings: { LINCHPIN_PG_LOCK_TIMEOUT: '1' },
    })
    t.after(() => setup.remove())
    const service = await startService(setup)
    t.after(() => service.kill())
    const unlock = await lockTable(databaseUrl, 'links')
    const work = Array.from({ length: WRITES }, (_, index) => [
      send(service, setup.token, 'POST', '/v1/link', { linkName: `link ${index}` }),
      send(service, setup.token, 'GET', '/v1/link'),
    ])
    const beside = observeBeside(service, setup.token)
    await sleep(lockMs)
    const { reads, ready } = await beside.stop()
    const responses = await Promise.all(work.flat())
    await unlock()
    const slowest = Math.round(Math.max(...reads.map(({ ms }) => ms)))
    t.diagnostic(
      `${reads.length} reads, the slowest took ${slowest} ms; ${ready.length} times ready`,
    )
    assert.ok(reads.length >= lockMs / 500, `${reads.length} reads`)
    assert.deepEqual([...new Set(reads.map(({ status }) => status))], [200])
    assert.ok(slowest < MAX_READ_MS, `${slowest} ms`)
    assert.deepEqual([...new Set(ready)], [200])
    const fastest = Math.min(...responses.map(({ ms }) => ms))
    assert.ok(fastest < MAX_LOCKED_MS, `the lock timeout ends a request after ${fastest} ms`)
    for (const { status, retryAfter, error } of responses)
      assert.deepEqual(
        { status, retryAfter, error },
        { status: 503, retryAfter: '1', error: 'storage_unavailable' },
      )
    const { body } = await service.call('GET', '/v1/link')
    assert.deepEqual(body.links ?? body.data ?? body, [], 'nothing is half done')
    assert.equal(
      (await service.call('POST', '/v1/link', { linkName: 'after the lock' })).status,
      201,
    )
  })
})

/** Locks a table as `VACUUM FULL` does. Returns a function that unlocks it. */
async function lockTable(url: string, table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
  return () => client.end()
}

interface Answer {
  readonly status: number
  readonly ms: number
  readonly retryAfter: string | null
  readonly error: unknown
}

async function send(
  { url }: ServiceProcess,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const startedAt = performance.now()
  const response = await fetch(`${url}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const { error } = (await response.json()) as { error?: unknown }
  const ms = performance.now() - startedAt
  return { status: response.status, ms, retryAfter: response.headers.get('retry-after'), error }
}

/** Reads the user and the readiness until it is stopped. */
function observeBeside(service: ServiceProcess, token: string) {
  const reads: Answer[] = []
  const ready: number[] = []
  let isStopping = false
  const observe = async () => {
    while (!isStopping) {
      reads.push(await send(service, token, 'GET', '/v1/user'))
      const response = await fetch(`${service.url}/health/ready`)
      await response.text()
      ready.push(response.status)
      await sleep(50)
    }
  }
  const observing = observe()
  return {
    async stop() {
      isStopping = true
      await observing
      return { reads, ready }
    },
  }
}
