import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describePostgres } from '../postgres.ts'
import { startLoadBalancer } from './load-balancer.ts'
import { startRequestLoad } from './request-load.ts'
import {
  createServiceSetup,
  type ServiceProcess,
  type ServiceSetup,
  startService,
} from './service-process.ts'

const restarts = Number(process.env.ROLLING_RESTARTS ?? 2)
const clients = Number(process.env.ROLLING_CLIENTS ?? 4)
const hasControl = process.env.ROLLING_CONTROL === '1'

/** Some requests fail in each of them. */
const CONTROL_RESTARTS = 4

describePostgres('Rolling restarts of two nodes behind a load balancer', (server) => {
  const run = async (t: TestContext, { drainDelay, count, retriesConnections }: Scenario) => {
    const databaseUrl = await server().createDatabase('rolling')
    const settings = { LINCHPIN_DRAIN_DELAY: drainDelay }
    const first = await createServiceSetup({ databaseUrl, settings })
    const second = await createServiceSetup({ databaseUrl, settings, token: first.token })
    return restartUnderLoad(t, [first, second], { count, retriesConnections })
  }

  for (const retriesConnections of [false, true]) {
    const behavior = retriesConnections ? 'repeats refused connections' : 'repeats nothing'
    it(`${restarts} restarts, ${clients} clients: no request fails behind a balancer that ${behavior}`, async (t) => {
      const scenario = { drainDelay: '2', count: restarts, retriesConnections }
      const { sent, failures, slowestMs } = await run(t, scenario)
      t.diagnostic(`${sent} requests, ${failures.length} failed, the slowest took ${slowestMs} ms`)
      assert.deepEqual(failures, [])
      assert.ok(sent > restarts * 50, `${sent} requests`)
    })
  }

  if (hasControl)
    it('some fail without a delay, so that the test would see them', async (t) => {
      const scenario = { drainDelay: '0', count: CONTROL_RESTARTS, retriesConnections: false }
      const { sent, failures } = await run(t, scenario)
      t.diagnostic(`${sent} requests, ${failures.length} failed: ${[...new Set(failures)]}`)
      assert.notEqual(failures.length, 0)
    })
})

interface Scenario {
  /** In seconds. */
  readonly drainDelay: string
  /** How many restarts. */
  readonly count: number
  /** Whether the balancer repeats refused connections at the other node. */
  readonly retriesConnections: boolean
}

/** Restarts the nodes in turn while clients read and write through the load balancer. */
async function restartUnderLoad(
  t: TestContext,
  setups: readonly ServiceSetup[],
  { count: restartCount, retriesConnections }: Omit<Scenario, 'drainDelay'>,
) {
  const nodes: { readonly setup: ServiceSetup; service: ServiceProcess }[] = []
  for (const setup of setups) nodes.push({ setup, service: await startService(setup) })
  const balancer = await startLoadBalancer(
    nodes.map(({ service }) => service.url),
    { retriesConnections },
  )
  t.after(async () => {
    await balancer.close()
    await Promise.all(nodes.map(({ service }) => service.kill()))
    await Promise.all(setups.map((setup) => setup.remove()))
  })
  for (const { service } of nodes) await balancer.untilReady(service.url)
  const load = startRequestLoad(balancer.url, setups[0]?.token ?? '', clients)
  for (let count = 0; count < restartCount; count += 1) {
    const node = nodes[count % nodes.length]
    assert.ok(node)
    assert.equal(await node.service.stop(), 0)
    node.service = await startService(node.setup)
    await balancer.untilReady(node.service.url)
    await sleep(300)
  }
  const { sent, failures, times } = await load.stop()
  return { sent, failures, slowestMs: Math.max(...times.map(({ ms }) => Math.round(ms))) }
}
