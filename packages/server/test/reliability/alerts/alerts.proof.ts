import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startStubServer } from '../../stub-server.ts'
import { prepareChecks, startProvider } from './check-load.ts'
import { startConnectProxy } from './connect-proxy.ts'
import { prometheusAvailable } from './prometheus.ts'
import { expectAlerts, repeat, startWatchedService } from './watched-service.ts'

// Needs Debian's prometheus: `npm run proof -- alerts`.
const OPTIONS = {
  concurrency: 3,
  skip: prometheusAvailable() ? false : 'Prometheus is not installed: apt-get install prometheus',
}

describe('On a real service, with its rules shortened, Prometheus fires', OPTIONS, () => {
  it('LinchpinDown after the process was killed, and nothing before', async (t) => {
    const watched = await startWatchedService(t)
    await sleep(10_000)
    assert.deepEqual(await watched.prometheus.listFired(), [])
    await watched.service.kill()
    await expectAlerts(watched, ['LinchpinDown'])
  })

  it('LinchpinEventLoopBlocked while the process gets no time for 0.6 s again and again', async (t) => {
    const watched = await startWatchedService(t, { scrapeSeconds: 4 })
    const { pid } = watched.service
    const stalls = repeat(async () => {
      process.kill(pid, 'SIGSTOP')
      await sleep(600)
      process.kill(pid, 'SIGCONT')
    }, 500)
    t.after(() => stalls.stop())
    await expectAlerts(watched, ['LinchpinEventLoopBlocked'])
  })

  it('LinchpinRegistryRefused for a registry that is not signed', async (t) => {
    const registry = await startStubServer()
    t.after(() => registry.close())
    const { promise: isWatched, resolve: respond } = Promise.withResolvers<void>()
    registry.serve('/registry.json', async (_request, response) => {
      await isWatched
      response.end('{"version":1,"definitions":[]}')
    })
    const watched = await startWatchedService(t, {
      settings: {
        LINCHPIN_REGISTRY_URL: `${registry.url}/registry.json`,
        LINCHPIN_REGISTRY_KEY: Buffer.alloc(32, 9).toString('base64url'),
      },
    })
    await sleep(2_000)
    respond()
    await expectAlerts(watched, ['LinchpinRegistryRefused'])
    assert.match(watched.service.recentOutput(), /the registry document was rejected/)
  })

  it('LinchpinEgressUnavailable after the egress proxy has ended, and nothing before', async (t) => {
    const [proxy, provider] = await Promise.all([startConnectProxy(), startProvider(t, 0)])
    const watched = await startWatchedService(t, { settings: { LINCHPIN_EGRESS_PROXY: proxy.url } })
    const startChecks = await prepareChecks(t, watched.service, provider)
    startChecks(1)
    await sleep(10_000)
    assert.deepEqual(await watched.prometheus.listFired(), [])
    proxy.stop()
    await expectAlerts(watched, ['LinchpinEgressUnavailable'])
    assert.match(watched.service.recentOutput(), /an outgoing request failed/)
  })

  it('LinchpinTenantOverloaded, which wakes no one, while one tenant checks more than its share', async (t) => {
    const provider = await startProvider(t, 3_000)
    const watched = await startWatchedService(t)
    const startChecks = await prepareChecks(t, watched.service, provider)
    startChecks(60)
    await expectAlerts(watched, ['LinchpinTenantOverloaded'])
  })

  it('LinchpinOverloaded and LinchpinErrors while all tenants check more than the node can', async (t) => {
    const provider = await startProvider(t, 3_000)
    const watched = await startWatchedService(t)
    const { service } = watched
    const starts = ['a', 'b', 'c', 'd'].map(async (name) => {
      const { body } = await service.call('POST', '/v1/user', { email: `${name}@example.com` })
      return prepareChecks(t, service, provider, body.token)
    })
    // More than the queue of the runner has places for.
    for (const startChecks of await Promise.all(starts)) startChecks(100)
    await expectAlerts(watched, ['LinchpinErrors', 'LinchpinOverloaded'])
  })
})
