import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Provider } from '../../../../examples/provider/provider.ts'
import { createTemporaryFolder } from '../../src/platform/storage/test/test-database.ts'
import { signalDuringStart } from '../main-process.ts'
import { createDeskCredentials, defineDesk, startDeskProvider } from './desk-provider.ts'
import {
  createServiceSetup,
  type ServiceProcess,
  type ServiceSetup,
  startService,
} from './service-process.ts'

describe('A signal before the service listens', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`${signal}: ends the start with exit code 0`, async (t) => {
      const silent = createServer()
      t.after(() => silent.close())
      await once(silent.listen(0, '127.0.0.1'), 'listening')
      const { port } = silent.address() as AddressInfo
      const env = {
        DATABASE_URL: `postgres://127.0.0.1:${port}/none`,
        LINCHPIN_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
        LINCHPIN_PG_CONNECT_TIMEOUT: '60',
      }
      const { code } = await signalDuringStart(env, signal, once(silent, 'connection'))
      assert.equal(code, 0)
    })

  it('ends the command that prints the keys, too', async (t) => {
    const folder = await createTemporaryFolder(t)
    const [command, pidFile] = [path.join(folder, 'keys'), path.join(folder, 'pid')]
    await writeFile(command, `#!/bin/sh\necho $$ > ${pidFile}\nexec sleep 60\n`, { mode: 0o700 })
    const env = { LINCHPIN_DATA_DIR: folder, LINCHPIN_KEYS: `command:${command}` }
    const readPid = async () => Number(await readFile(pidFile, 'utf8').catch(() => ''))
    const hasStarted = (async () => {
      while ((await readPid()) === 0) await sleep(10)
    })()
    const { code } = await signalDuringStart(env, 'SIGTERM', hasStarted)
    assert.equal(code, 0)
    while (isRunning(await readPid())) await sleep(10)
  })
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('SIGTERM under load', () => {
  it('finishes every active request and exits with 0', async (t) => {
    const { setup, service, provider, definitionId } = await start(t, 700)
    const body = createDeskCredentials(definitionId, provider, 'desk_slow_1')
    provider.requests.length = 0
    const slow = Array.from({ length: 8 }, (_, n) =>
      n % 2 === 0
        ? service.call('POST', '/v1/integration_account/check', body)
        : service.call('POST', '/v1/integration_account', {
            ...body,
            integrationAccountName: `slow ${n}`,
          }),
    )
    const load = startQuickLoad(service)
    await waitForProviderRequests(provider, 4)
    const exit = service.stop()
    const statuses = (await Promise.all(slow)).map((response) => response.status)
    assert.deepEqual(
      statuses,
      slow.map((_, n) => (n % 2 === 0 ? 200 : 201)),
    )
    assert.equal(await exit, 0)
    const acknowledged = await load.stop()
    assert.ok(acknowledged.length > 0, 'no quick request received a response: there was no load')

    const restarted = await startService(setup)
    t.after(() => restarted.kill())
    const accounts = await restarted.call('GET', '/v1/integration_account')
    assert.equal(accounts.body.length, 4)
    const links: { linkId: string }[] = (await restarted.call('GET', '/v1/link')).body
    const storedIds = new Set(links.map((link) => link.linkId))
    assert.deepEqual(
      acknowledged.filter((id) => !storedIds.has(id)),
      [],
    )
  })

  it('rejects new connections during shutdown', async (t) => {
    const { service, provider, definitionId } = await start(t, 700)
    provider.requests.length = 0
    const body = createDeskCredentials(definitionId, provider, 'desk_slow_1')
    const slow = service.call('POST', '/v1/integration_account/check', body)
    await waitForProviderRequests(provider, 1)
    const exit = service.stop()
    await sleep(100)
    const newConnection = fetch(`${service.url}/health/live`, { headers: { connection: 'close' } })
    await assert.rejects(newConnection, 'a new connection was accepted')
    assert.equal((await slow).status, 200)
    assert.equal(await exit, 0)
  })

  it('exits with 0 after the drain timeout while a provider hangs, and immediately on a second signal', async (t) => {
    const settings = { LINCHPIN_DRAIN_TIMEOUT: '3' }
    const first = await start(t, 30_000, settings)
    const second = await start(t, 30_000, settings)
    for (const { service, provider, definitionId } of [first, second]) {
      const body = createDeskCredentials(definitionId, provider, 'desk_slow_1')
      provider.requests.length = 0
      service.call('POST', '/v1/integration_account/check', body).catch(() => {})
      await waitForProviderRequests(provider, 1)
    }
    const [hangingService, signalledTwice] = [first.service, second.service]
    const startedAt = performance.now()
    const hangingExit = hangingService
      .stop()
      .then((code) => [code, performance.now() - startedAt] as const)
    const exited = once(signalledTwice.child, 'exit')
    signalledTwice.child.kill('SIGTERM')
    await sleep(200)
    assert.equal(signalledTwice.child.exitCode, null, 'the service did not wait for the request')
    signalledTwice.child.kill('SIGTERM')
    await exited
    assert.ok(performance.now() - startedAt < 6_000)
    assert.equal(signalledTwice.child.exitCode, 0)
    const [code, ms] = await hangingExit
    assert.equal(code, 0)
    assert.ok(ms >= 3_000 && ms < 9_000, `${ms} ms`)
  })
})

interface StartedService {
  readonly setup: ServiceSetup
  readonly service: ServiceProcess
  readonly provider: Provider
  readonly definitionId: string
}

async function start(
  t: TestContext,
  slowMs: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<StartedService> {
  const provider = await startDeskProvider({ slowMs })
  t.after(() => provider.close())
  const setup = await createServiceSetup({ settings })
  t.after(() => setup.remove())
  const service = await startService(setup)
  t.after(() => service.kill())
  return { setup, service, provider, definitionId: await defineDesk(service, provider) }
}

async function waitForProviderRequests(provider: Provider, times: number): Promise<void> {
  const deadline = Date.now() + 60_000
  while (provider.requests.length < times) {
    assert.ok(Date.now() < deadline, 'the provider received no request')
    await sleep(10)
  }
}

/** Creates links one after another on four connections; returns the acknowledged ids. */
function startQuickLoad(service: ServiceProcess) {
  let isStopping = false
  const acknowledged: string[] = []
  const clients = Array.from({ length: 4 }, async (_, number) => {
    for (let count = 0; !isStopping; count += 1) {
      const linkName = `quick ${number} ${count}`
      const response = await service.call('POST', '/v1/link', { linkName }).catch(() => undefined)
      if (response === undefined) return
      // An existing connection may get the error that the node is shutting down.
      assert.ok([201, 503].includes(response.status), `${response.status}`)
      if (response.status === 201) acknowledged.push(response.body.linkId)
    }
  })
  return {
    async stop(): Promise<string[]> {
      isStopping = true
      await Promise.all(clients)
      return acknowledged
    },
  }
}
