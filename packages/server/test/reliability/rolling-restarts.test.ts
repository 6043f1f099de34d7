import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describePostgres } from '../postgres.ts'
import { startLoadBalancer } from './load-balancer.ts'
import {
  createServiceSetup,
  type ServiceProcess,
  type ServiceSetup,
  startService,
} from './service-process.ts'

const restarts = Number(process.env.ROLLING_RESTARTS ?? 2)
const clients = Number(process.env.ROLLING_CLIENTS ?? 4)
const hasControl = process.env.ROLLING_CONTROL === '1'

describePostgres('Rolling restarts of two nodes behind a load balancer', (server) => {
  const run = async (t: TestContext, drainDelay: string) => {
    const databaseUrl = await server().createDatabase('rolling')
    const settings = { LINCHPIN_DRAIN_DELAY: drainDelay }
    const first = await createServiceSetup({ databaseUrl, settings })
    const setups = [
      first,
      await createServiceSetup({ databaseUrl, settings, token: first.token }),
    ] as const
    return restartUnderLoad(t, setups)
  }

  it(`${restarts} restarts, ${clients} clients: no request fails when the delay is longer than the balancer needs`, async (t) => {
    const { sent, failures, slowestMs } = await run(t, '2')
    t.diagnostic(`${sent} requests, ${failures.length} failed, the slowest took ${slowestMs} ms`)
    assert.deepEqual(failures, [])
    assert.ok(sent > restarts * 50, `${sent} requests`)
  })

  if (hasControl)
    it('some fail without a delay, so that the test would see them', async (t) => {
      const { sent, failures } = await run(t, '0')
      t.diagnostic(`${sent} requests, ${failures.length} failed: ${[...new Set(failures)]}`)
      assert.notEqual(failures.length, 0)
    })
})

/** Restarts the nodes in turn while clients read and write through the load balancer. */
async function restartUnderLoad(t: TestContext, setups: readonly ServiceSetup[]) {
  const nodes: { readonly setup: ServiceSetup; service: ServiceProcess }[] = []
  for (const setup of setups) nodes.push({ setup, service: await startService(setup) })
  const balancer = await startLoadBalancer(nodes.map(({ service }) => service.url))
  t.after(async () => {
    await balancer.close()
    await Promise.all(nodes.map(({ service }) => service.kill()))
    await Promise.all(setups.map((setup) => setup.remove()))
  })
  for (const { service } of nodes) await balancer.untilReady(service.url)
  const load = startLoad(balancer.url, setups[0]?.token ?? '')
  for (let count = 0; count < restarts; count += 1) {
    const node = nodes[count % nodes.length]
    assert.ok(node)
    assert.equal(await node.service.stop(), 0)
    node.service = await startService(node.setup)
    await balancer.untilReady(node.service.url)
    await sleep(300)
  }
  return load.stop()
}

/** Clients that send one request after the other: three reads, then a write. */
function startLoad(url: string, token: string) {
  const failures: string[] = []
  let sent = 0
  let slowestMs = 0
  let isStopping = false
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const runClient = async () => {
    for (let turn = 0; !isStopping; turn += 1) {
      const isWrite = turn % 4 === 3
      const body = JSON.stringify({ linkName: `link ${turn}` })
      const startedAt = performance.now()
      const path = isWrite ? '/api/v1/link' : '/api/v1/user'
      const init = isWrite ? { method: 'POST', headers, body } : { headers }
      const outcome = await fetch(url + path, init).then(
        async (response) => `${response.status} ${response.ok ? '' : await response.text()}`,
        (error) => String(error.cause ?? error),
      )
      sent += 1
      slowestMs = Math.max(slowestMs, Math.round(performance.now() - startedAt))
      if (!/^20[01] $/.test(outcome)) failures.push(`${path}: ${outcome.slice(0, 200)}`)
      await sleep(5)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, runClient))
  return {
    async stop() {
      isStopping = true
      await running
      return { sent, failures, slowestMs }
    },
  }
}
