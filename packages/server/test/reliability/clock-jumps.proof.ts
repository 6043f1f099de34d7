import assert from 'node:assert/strict'
import { globSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServiceSetup, type ServiceProcess, startService } from './service-process.ts'

/** Offsets of the clock, one after the other, in the notation of faketime. */
const JUMPS = (process.env.CLOCK_JUMPS ?? '+1h +0 -1h +0 +1d +0 -1d +0 +100d +0').split(' ')
/** Background work runs, and sees the clock, meanwhile. */
const STAY_MS = Number(process.env.CLOCK_STAY_MS ?? 3_000)

describe('A service whose clock jumps', () => {
  it('serves, numbers events without gaps, and forgets nothing', async (t) => {
    const { setClock, settings } = await createClock(t)
    const setup = await createServiceSetup({ settings })
    t.after(() => setup.remove())
    let service = await startService(setup)
    t.after(() => service.child.kill('SIGKILL'))
    const linkIds: string[] = []
    for (const offset of JUMPS) {
      setClock(offset)
      await sleep(STAY_MS)
      const { timestamp } = await readEvent(service, await createLink(service, linkIds))
      assert.ok(Math.abs(Date.parse(timestamp) - toTime(offset)) < 60_000, `the clock is ${offset}`)
      assert.equal((await service.call('GET', '/v1/user')).status, 200, offset)
      await useConnectSession(service, linkIds.at(-1) ?? '')
    }
    const sequences = (await listEvents(service)).map(({ sequence }) => sequence)
    assert.deepEqual(
      sequences,
      sequences.map((_, index) => index + 1),
    )
    for (const offset of ['-1d', '+0']) {
      assert.equal(await service.stop(), 0)
      setClock(offset)
      service = await startService(setup)
      await createLink(service, linkIds)
    }
    for (const linkId of linkIds)
      assert.equal((await service.call('GET', `/v1/link/${linkId}`)).status, 200)
    assert.doesNotMatch(service.recentOutput(), /"level":"(?:error|fatal)"/)
    t.diagnostic(`${JUMPS.length} jumps, ${linkIds.length} links, ${sequences.length} events`)
  })
})

/** A clock that processes with these settings read, and that tests set. */
async function createClock(t: TestContext) {
  const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')
  assert.ok(library, 'install the package faketime')
  const folder = await mkdtemp(join(tmpdir(), 'linchpin-clock-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'offset')
  const setClock = (offset: string) => writeFileSync(file, `${offset}\n`)
  setClock('+0')
  return {
    setClock,
    settings: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // Timers of a machine whose clock is set go on as before.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      LINCHPIN_EVENT_DAYS: '365',
    },
  }
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 }

function toTime(offset: string): number {
  const [, amount = '0', unit = 'h'] = /^([+-]\d+)([hd])?$/.exec(offset) ?? []
  return Date.now() + Number(amount) * (UNITS[unit] ?? 0)
}

async function createLink(service: ServiceProcess, linkIds: string[]): Promise<string> {
  const { status, body } = await service.call('POST', '/v1/link', { linkName: 'a' })
  assert.equal(status, 201)
  linkIds.push(body.linkId)
  return body.linkId
}

/** A session that was created at this time can be opened at this time. */
async function useConnectSession(service: ServiceProcess, linkId: string): Promise<void> {
  const session = { linkId, accountIdentifier: 'a' }
  const { status, body } = await service.call('POST', '/v1/connect_session', session)
  assert.equal(status, 201)
  const page = await fetch(body.url, { redirect: 'manual' })
  assert.ok(page.status < 400, String(page.status))
}

async function listEvents(service: ServiceProcess) {
  const { body } = await service.call('GET', '/v1/event?limit=1000')
  return body as unknown as { sequence: number; subject: string; timestamp: string }[]
}

async function readEvent(service: ServiceProcess, linkId: string) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const found = (await listEvents(service)).find(({ subject }) => subject === linkId)
    if (found !== undefined) return found
    await sleep(100)
  }
  return assert.fail(`there is no event of ${linkId}`)
}
