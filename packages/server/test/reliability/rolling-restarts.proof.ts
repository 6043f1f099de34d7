import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describePostgres } from '../postgres.ts'
import { type LoadBalancerOptions, startLoadBalancer } from './load-balancer.ts'
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
  const run = async (t: TestContext, { drainDelay, count, balancer }: Scenario) => {
    const databaseUrl = await server().createDatabase('rolling')
    const settings = { LINCHPIN_DRAIN_DELAY: drainDelay }
    const first = await createServiceSetup({ databaseUrl, settings })
    const second = await createServiceSetup({ databaseUrl, settings, token: first.token })
    return restartUnderLoad(t, [first, second], count, balancer)
  }
  const runWithoutFailures = async (t: TestContext, scenario: Omit<Scenario, 'count'>) => {
    const { sent, failures, slowestMs } = await run(t, { ...scenario, count: restarts })
    t.diagnostic(`${sent} requests, ${failures.length} failed, the slowest took ${slowestMs} ms`)
    assert.deepEqual(failures, [])
    assert.ok(sent > restarts * 50, `${sent} requests`)
  }

  it(`${restarts} restarts, ${clients} clients: no request fails when the delay is longer than the balancer needs`, (t) =>
    runWithoutFailures(t, { drainDelay: '2' }))

  it(`${restarts} restarts: nor when the delay is shorter, and the balancer repeats refused connections`, (t) =>
    runWithoutFailures(t, {
      drainDelay: '1',
      balancer: { checkIntervalMs: 2_500, retriesConnections: true },
    }))

  if (hasControl)
    it('some fail without a delay, so that the test would see them', async (t) => {
      const { sent, failures } = await run(t, { drainDelay: '0', count: CONTROL_RESTARTS })
      t.diagnostic(`${sent} requests, ${failures.length} failed: ${[...new Set(failures)]}`)
      assert.notEqual(failures.length, 0)
    })
})

interface Scenario {
  /** In seconds. */
  readonly drainDelay: string
  /** How many restarts. */
  readonly count: number
  readonly balancer?: LoadBalancerOptions
}

/** Restarts the nodes in turn while clients read and write through the load balancer. */
async function restartUnderLoad(
  t: TestContext,
  setups: readonly ServiceSetup[],
  restartCount: number,
  options?: LoadBalancerOptions,
) {
  const nodes: { readonly setup: ServiceSetup; service: ServiceProcess }[] = []
  for (const setup of setups) nodes.push({ setup, service: await startService(setup) })
  const balancer = await startLoadBalancer(
    nodes.map(({ service }) => service.url),
    options,
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
