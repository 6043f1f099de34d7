import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ReconnectingService, startReconnectingService } from './reconnecting-service.ts'

/** How many kills of each kind, at random writes; `all` kills before every write, as the proof `reconnect-kills` does. */
const kills = process.env.RECONNECT_KILLS ?? '1'

describe('kill -9 of a service at a write of a reconnect on the page, on SQLite', () => {
  it(`leaves the old credentials and a usable session, or the new ones and one event (kills: ${kills})`, async (t) => {
    const service = await startReconnectingService(t)
    for (const kind of ['form', 'sign-in'] as const) {
      const count = { killed: 0, stored: 0 }
      const kill = async (killBefore: number) => {
        const outcome = await killOnce(service, kind, killBefore)
        if (outcome !== 'answered') count.killed += 1
        if (outcome === 'stored') count.stored += 1
        return outcome !== 'answered'
      }
      if (kills === 'all') {
        for (let at = 1; ; at += 1) {
          if (await kill(at)) continue
          if (count.stored > 0) break
          // Another write of the service took the place of the response: again.
          at -= 2
        }
        assert.ok(count.killed > 12 && count.stored > 0, JSON.stringify(count))
      } else {
        const writes = await countWrites(service, kind)
        while (count.killed < Number(kills)) await kill(1 + Math.floor(Math.random() * writes))
      }
      t.diagnostic(`${kind}: ${count.killed} kills; ${count.stored} after the new ones were stored`)
    }
  })
})

type Kind = Parameters<ReconnectingService['begin']>[0]

async function countWrites(service: ReconnectingService, kind: Kind): Promise<number> {
  const reconnect = await service.begin(kind, 'secret_that_is_counted')
  const sent = await reconnect.send({ 'x-kill-before': '1000' })
  assert.equal((await service.read(kind)).secret, 'secret_that_is_counted', sent?.text)
  const writes = Number(sent?.headers.get('x-writes'))
  assert.ok(writes > 12, `${writes} writes`)
  return writes
}

/** Kills the service before a write, unless the request has ended before it. */
async function killOnce(
  service: ReconnectingService,
  kind: Kind,
  killBefore: number,
): Promise<'answered' | 'stored' | 'lost'> {
  const secret = `secret_${killBefore}_canary`
  const before = await service.read(kind)
  const reconnect = await service.begin(kind, secret)
  const sent = await reconnect.send({ 'x-kill-before': String(killBefore) })
  if (sent === undefined) await service.restart()
  const title = `${kind}, killed before write ${killBefore}`
  const after = await service.read(kind)
  const done = {
    ...before,
    secret,
    version: before.version + 1,
    reconnects: before.reconnects + 1,
    attempts: before.attempts + 1,
  }
  const isStored = after.secret === secret
  assert.deepEqual(after, isStored ? done : before, title)
  const status = await service.getSessionStatus(reconnect.connectSessionId)
  assert.equal(status, isStored ? 'completed' : 'opened', title)
  // A reload of the browser sends the same again: it may do what was not done, once.
  await reconnect.send()
  const repeated = await service.read(kind)
  if (isStored || repeated.secret === secret) assert.deepEqual(repeated, done, title)
  else {
    assert.deepEqual(repeated, before, title)
    const page = await reconnect.retry()
    assert.equal(page.state, 'connected', `${title}: ${page.text}`)
    assert.deepEqual(await service.read(kind), { ...done, secret: `${secret}_again` }, title)
  }
  if (sent !== undefined) return 'answered'
  return isStored ? 'stored' : 'lost'
}
