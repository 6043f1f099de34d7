import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Provider } from '../../../../examples/provider/provider.ts'
import { defineDesk, deskCredentials, startDesk } from './desk.ts'
import {
  newPlace,
  type ServicePlace,
  type ServiceProcess,
  startService,
} from './service-process.ts'

describe('SIGTERM under load', () => {
  it('finishes every request that is on its way, and ends with 0', async (t) => {
    const { place, service, provider, definitionId } = await start(t, 700)
    const body = deskCredentials(definitionId, provider, 'desk_slow_1')
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
    await providerWasAsked(provider, 4)
    const exit = service.stop()
    const statuses = (await Promise.all(slow)).map((answer) => answer.status)
    assert.deepEqual(
      statuses,
      slow.map((_, n) => (n % 2 === 0 ? 200 : 201)),
    )
    assert.equal(await exit, 0)
    const promised = await load.stop()
    assert.ok(promised.length > 0, 'no quick request was answered: there was no load')

    const again = await startService(place)
    t.after(() => again.kill())
    const accounts = await again.call('GET', '/v1/integration_account')
    assert.equal(accounts.body.length, 4)
    const links: { linkId: string }[] = (await again.call('GET', '/v1/link')).body
    const there = new Set(links.map((link) => link.linkId))
    assert.deepEqual(
      promised.filter((id) => !there.has(id)),
      [],
    )
  })

  it('takes no new connection once it is going down', async (t) => {
    const { service, provider, definitionId } = await start(t, 700)
    provider.requests.length = 0
    const body = deskCredentials(definitionId, provider, 'desk_slow_1')
    const slow = service.call('POST', '/v1/integration_account/check', body)
    await providerWasAsked(provider, 1)
    const exit = service.stop()
    await sleep(100)
    const fresh = fetch(`${service.url}/health/live`, { headers: { connection: 'close' } })
    await assert.rejects(fresh, 'a new connection was taken')
    assert.equal((await slow).status, 200)
    assert.equal(await exit, 0)
  })

  it('ends within 10 s with 0 though a provider hangs, and at once on a second signal', async (t) => {
    const first = await start(t, 30_000)
    const second = await start(t, 30_000)
    for (const { service, provider, definitionId } of [first, second]) {
      const body = deskCredentials(definitionId, provider, 'desk_slow_1')
      provider.requests.length = 0
      service.call('POST', '/v1/integration_account/check', body).catch(() => {})
      await providerWasAsked(provider, 1)
    }
    const [patient, twice] = [first.service, second.service]
    const from = performance.now()
    const patientExit = patient.stop().then((code) => [code, performance.now() - from] as const)
    const exited = once(twice.child, 'exit')
    twice.child.kill('SIGTERM')
    await sleep(200)
    assert.equal(twice.child.exitCode, null, 'it did not wait for the request')
    twice.child.kill('SIGTERM')
    await exited
    assert.ok(performance.now() - from < 6_000)
    assert.equal(twice.child.exitCode, 0)
    const [code, ms] = await patientExit
    assert.equal(code, 0)
    assert.ok(ms < 10_000, `${ms} ms`)
  })
})

interface Started {
  readonly place: ServicePlace
  readonly service: ServiceProcess
  readonly provider: Provider
  readonly definitionId: string
}

async function start(t: TestContext, slowMs: number): Promise<Started> {
  const provider = await startDesk({ slowMs })
  t.after(() => provider.close())
  const place = await newPlace()
  t.after(() => place.remove())
  const service = await startService(place)
  t.after(() => service.kill())
  return { place, service, provider, definitionId: await defineDesk(service, provider) }
}

async function providerWasAsked(provider: Provider, times: number): Promise<void> {
  const deadline = Date.now() + 10_000
  while (provider.requests.length < times) {
    assert.ok(Date.now() < deadline, 'the provider was not asked')
    await sleep(10)
  }
}

/** Creates links one after another on four connections; answers the ids that were promised. */
function startQuickLoad(service: ServiceProcess) {
  let isStopping = false
  const promised: string[] = []
  const clients = Array.from({ length: 4 }, async (_, number) => {
    for (let count = 0; !isStopping; count += 1) {
      const linkName = `quick ${number} ${count}`
      const answer = await service.call('POST', '/v1/link', { linkName }).catch(() => undefined)
      if (answer === undefined) return
      // A connection from before may be told that the node goes down.
      assert.ok([201, 503].includes(answer.status), `${answer.status}`)
      if (answer.status === 201) promised.push(answer.body.linkId)
    }
  })
  return {
    async stop(): Promise<string[]> {
      isStopping = true
      await Promise.all(clients)
      return promised
    },
  }
}
