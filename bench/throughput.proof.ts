import assert from 'node:assert/strict'
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import {
  createServiceSetup,
  type ServiceProcess,
  type ServiceSetup,
  startService,
} from '../packages/server/test/reliability/service-process.ts'
import { type BenchChild, startChild } from './child.ts'
import { measure, type Round, type SentRequest } from './measure.ts'
import { median } from './statistics.ts'

const SECONDS = Number(process.env.THROUGHPUT_SECONDS ?? 1)
const ROUNDS = 5
const CREATE_LINK = JSON.stringify({ linkName: 'Throughput', expiresIn: 86_400 })

/** Reads and durable writes of a service on SQLite, whose database is on the disk of `TMPDIR`. */
describe('Throughput on SQLite', () => {
  let setup: ServiceSetup
  let service: ServiceProcess
  let bare: BenchChild
  before(async () => {
    // As `npm start` does.
    setup = await createServiceSetup({ nodeArgs: ['--max-semi-space-size=8'] })
    service = await startService(setup)
    bare = await startChild('./bare-server.ts', [{ status: 200, body: '{"a":"bare response"}' }])
  })
  after(async () => {
    await service?.stop()
    await bare?.stop()
    await setup?.remove()
  })

  it('reads: at least 5,000 a second with a p99 below 25 ms', async (t) => {
    const { linkId } = (await service.call('POST', '/v1/link', { linkName: 'Read' })).body
    const reads = [{ method: 'GET', path: `/api/v1/link/${linkId}` }] as const
    await assertFigures(t, reads, { connections: 64, perSecond: 5_000, p99Ms: 25 })
  })

  it('durable writes: at least 2,000 a second with a p99 below 50 ms', async (t) => {
    const flushes = measureFlushes(path.join(setup.dataDir, 'flushed'))
    t.diagnostic(`a flush of 16 KiB alone: ${median(flushes).toFixed(1)} ms (median)`)
    const writes = [{ method: 'POST', path: '/api/v1/link', body: CREATE_LINK }] as const
    await assertFigures(t, writes, { connections: 32, perSecond: 2_000, p99Ms: 50 })
  })

  async function assertFigures(
    t: TestContext,
    requests: readonly SentRequest[],
    goal: { readonly connections: number; readonly perSecond: number; readonly p99Ms: number },
  ): Promise<void> {
    const headers = { authorization: `Bearer ${setup.token}` }
    const traffic = { requests, headers, connections: goal.connections, seconds: SECONDS }
    const { url, pid } = service
    const [rounds, bareRounds]: [Round[], Round[]] = [[], []]
    for (let round = -1; round < ROUNDS; round += 1) {
      const measured = await measure({ ...traffic, url, pid })
      const bareRequests = requests.map((request) => ({ ...request, path: '/0' }))
      const measuredBare = await measure({
        ...traffic,
        requests: bareRequests,
        url: bare.url,
        pid: bare.pid,
      })
      // The first one warms up.
      if (round < 0) continue
      rounds.push(measured)
      bareRounds.push(measuredBare)
    }
    const perSecond = median(rounds.map((round) => round.perSecond))
    const p99Ms = median(rounds.map((round) => round.p99Ms))
    const barePerSecond = median(bareRounds.map((round) => round.perSecond))
    t.diagnostic(
      `${requests[0]?.method}: ${Math.round(perSecond)}/s, p99 ${p99Ms.toFixed(1)} ms, ${goal.connections} connections; bare node:http ${Math.round(barePerSecond)}/s, ratio ${(perSecond / barePerSecond).toFixed(2)}`,
    )
    assert.ok(perSecond >= goal.perSecond, `${perSecond} a second`)
    assert.ok(p99Ms < goal.p99Ms, `p99 ${p99Ms} ms`)
  }
})

/** What the disk costs without Linchpin: milliseconds of each of 100 writes with a flush. */
function measureFlushes(file: string): number[] {
  const descriptor = openSync(file, 'w')
  try {
    return Array.from({ length: 100 }, () => {
      const startedAt = performance.now()
      writeSync(descriptor, Buffer.alloc(16_384))
      fdatasyncSync(descriptor)
      return performance.now() - startedAt
    })
  } finally {
    closeSync(descriptor)
  }
}
