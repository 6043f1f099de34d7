import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTcpRouter, type TcpRouter } from '../../tcp-router.ts'
import { findInconsistencies } from '../consistency-queries.ts'
import { defineDesk, startDeskProvider } from '../desk-provider.ts'
import { createLedger, type Ledger } from '../ledger.ts'
import { createServiceSetup, type ServiceProcess, startService } from '../service-process.ts'
import { startLoad } from '../write-load.ts'
import {
  querySql,
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from './replicated-postgres.ts'

const failovers = Number(process.env.FAILOVERS ?? 3)
const HEAL_LIMIT_MS = 5_000
/** What happens to the old primary. A stale one stays alive, keeps its connections, and gets the address back for a moment. */
const FATES = ['killed', 'silent', 'stale'] as const

describe('A failover of PostgreSQL to a synchronous standby', () => {
  it(`loses no acknowledged write in ${failovers}, and both nodes go on within ${HEAL_LIMIT_MS} ms`, async (t) => {
    const { cluster, router, nodes, load } = await start(t)
    const healTimes: number[] = []
    for (let round = 0; round < failovers; round += 1) {
      const fate = FATES[round % FATES.length]
      const running = load(round)
      await sleep(500)
      const oldPort = portOf(cluster)
      if (fate === 'killed') await cluster.primary().kill()
      if (fate === 'silent') router.silence(oldPort)
      if (fate !== 'stale') await Promise.all(nodes.map((node) => waitForReadiness(node, 503)))
      const old = await cluster.promote()
      router.moveTo(portOf(cluster))
      const movedAt = performance.now()
      const writtenAt = await Promise.all(
        nodes.map((node) => waitForWrite(node, load.ledger, round)),
      )
      await Promise.all(nodes.map((node) => waitForReadiness(node, 200)))
      healTimes.push(Math.max(...writtenAt) - movedAt)
      while (router.countConnections(oldPort) > 0) {
        assert.ok(performance.now() - movedAt < 2 * HEAL_LIMIT_MS, 'connections to the old primary')
        await sleep(10)
      }
      if (fate === 'stale') {
        router.moveTo(oldPort)
        await sleep(1_500)
        router.moveTo(portOf(cluster))
        await Promise.all(nodes.map((node) => waitForWrite(node, load.ledger, round)))
      }
      await old.kill()
      await cluster.addStandby()
      assert.deepEqual((await Promise.all(running.map((each) => each.stop()))).flat(), [])
      const [node] = nodes
      assert.deepEqual(await load.ledger.compare(node), NO_ERRORS, `round ${round}: ${fate}`)
    }
    const control = await load.ledger.compare(nodes[0], { expectAll: true })
    t.diagnostic(
      `${failovers} failovers, ${load.ledger.acknowledgedCount} acknowledged, 0 lost, ${load.ledger.unansweredCount} not acknowledged; again after ${format(healTimes)} ms`,
    )
    assert.ok(control.lost.length > 0, 'the control found no losses: the ledger would not see any')
    assert.ok(Math.max(...healTimes) < HEAL_LIMIT_MS, format(healTimes))
    const { url } = cluster.primary()
    assert.deepEqual(await findInconsistencies((sql) => querySql(url, sql)), [])
  })
})

const NO_ERRORS = { lost: [], incomplete: [], unexpected: [] }
const format = (times: readonly number[]) => times.map(Math.round).join(', ')
const portOf = (cluster: ReplicatedPostgres) => Number(new URL(cluster.primary().url).port)

async function start(t: TestContext) {
  const cluster = await startReplicatedPostgres()
  t.after(() => cluster.stop())
  const router: TcpRouter = await startTcpRouter(portOf(cluster))
  t.after(() => router.close())
  const databaseUrl = `postgres://postgres@127.0.0.1:${router.port}/postgres`
  const setup = await createServiceSetup({ databaseUrl })
  const other = await createServiceSetup({ databaseUrl, token: setup.token })
  const nodes = [await startService(setup), await startService(other)] as const
  const provider = await startDeskProvider()
  t.after(async () => {
    await Promise.all(nodes.map((node) => node.kill()))
    await Promise.all([provider.close(), setup.remove(), other.remove()])
  })
  const definitionId = await defineDesk(nodes[0], provider)
  const ledger = createLedger()
  const load = (round: number) =>
    nodes.map((node, index) => {
      const prefix = `r${round}-n${index}`
      return startLoad(node, { ledger, provider, definitionId, prefix, allows503: true })
    })
  return { cluster, router, nodes, load: Object.assign(load, { ledger }) }
}

async function waitForReadiness({ url }: ServiceProcess, status: number): Promise<void> {
  const deadline = performance.now() + HEAL_LIMIT_MS
  for (;;) {
    const response = await fetch(`${url}/health/ready`)
    const body = await response.text()
    if (response.status === status) {
      if (status === 503) assert.equal(body, '{"status":"storage unavailable"}')
      return
    }
    assert.ok(performance.now() < deadline, `/health/ready is not ${status}`)
    await sleep(50)
  }
}

/** Returns when a write succeeded. Sends one every 100 ms, whether or not the others have ended. */
async function waitForWrite(node: ServiceProcess, ledger: Ledger, round: number): Promise<number> {
  const done = Promise.withResolvers<void>()
  let doneAt: number | undefined
  done.promise.then(() => {
    doneAt = performance.now()
  })
  const attempts: Promise<void>[] = []
  while (doneAt === undefined && attempts.length < 300) {
    attempts.push(write(node, ledger, `r${round}-${node.pid}-${performance.now()}`, done.resolve))
    await Promise.race([done.promise, sleep(100)])
  }
  assert.ok(doneAt !== undefined, 'no write succeeds')
  await Promise.all(attempts)
  return doneAt
}

async function write(
  node: ServiceProcess,
  ledger: Ledger,
  name: string,
  onSuccess: () => void,
): Promise<void> {
  ledger.recordIntent({ name, kind: 'link', fields: {} })
  const { status, body, headers } = await node.call('POST', '/v1/link', { linkName: name })
  if (status === 201) {
    ledger.acknowledge(name, body.linkId)
    return onSuccess()
  }
  assert.equal(status, 503, JSON.stringify(body))
  assert.equal(body.error, 'storage_unavailable')
  assert.ok(headers.get('retry-after'))
}
