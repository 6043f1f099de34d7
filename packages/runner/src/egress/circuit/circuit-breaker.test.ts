import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { CircuitOpenError } from '../egress.ts'
import {
  CircuitBreaker,
  type CircuitEvent,
  type CircuitOptions,
  DEFAULT_CIRCUIT_OPTIONS,
  type Permit,
} from './circuit-breaker.ts'

const TIMEOUT_MS = 10_000
const { openMs } = DEFAULT_CIRCUIT_OPTIONS

/** A breaker with its own clock; `isAlive` is the result of the node's own probe. */
function start(overrides: Partial<CircuitOptions> = {}) {
  const clock = { now: 1_000_000 }
  const node = { isAlive: false, probeCount: 0 }
  const events: CircuitEvent[] = []
  const breaker = new CircuitBreaker(
    { ...DEFAULT_CIRCUIT_OPTIONS, ...overrides },
    {
      now: () => clock.now,
      probeHost: async () => {
        node.probeCount += 1
        return node.isAlive
      },
      onEvent: (event) => events.push(event),
    },
  )
  const enter = (workspaceId: string, host = 'a.example:443') =>
    breaker.acquirePermit({
      origin: `https://${host}`,
      host,
      purpose: 'bundle',
      workspaceId,
      timeoutMs: TIMEOUT_MS,
    })
  const wait = (workspaceId: string, host?: string): number => {
    try {
      enter(workspaceId, host).inconclusive()
      return 0
    } catch (error) {
      if (error instanceof CircuitOpenError) return error.retryAfterMs
      throw error
    }
  }
  const recordTimeouts = (workspaceId: string, times = 1, host?: string) => {
    const permits = Array.from({ length: times }, () => enter(workspaceId, host))
    const sentAt = clock.now
    clock.now += TIMEOUT_MS
    for (const permit of permits) permit.timedOut(sentAt, 'response')
  }
  return { clock, node, events, breaker, enter, wait, timeOut: recordTimeouts }
}

describe('the circuit of one host for one workspace', () => {
  it('opens after three consecutive timeouts, for that workspace and host only', () => {
    const t = start()
    t.timeOut('w1', 2)
    assert.equal(t.wait('w1'), 0)
    t.timeOut('w1')
    assert.equal(t.wait('w1'), openMs)
    assert.deepEqual([t.wait('w2'), t.wait('w1', 'b.example:443')], [0, 0])
    assert.deepEqual(t.breaker.stats(), { open: 1, opened: 1, refused: 1 })
    assert.deepEqual(t.events, [{ change: 'opened', workspaceId: 'w1', host: 'a.example:443' }])
  })

  it('starts counting again after a response, and ignores rejected and aborted requests', () => {
    const t = start()
    t.timeOut('w1', 2)
    t.enter('w1').succeeded()
    t.timeOut('w1', 2)
    for (let count = 0; count < 9; count += 1) t.enter('w1').inconclusive()
    assert.equal(t.wait('w1'), 0)
    t.timeOut('w1')
    assert.equal(t.wait('w1'), openMs)
  })

  it('stays closed when timeouts are too far apart', () => {
    const t = start({ windowMs: 60_000 })
    for (let count = 0; count < 9; count += 1) {
      t.timeOut('w1')
      t.clock.now += 30_000
    }
    assert.equal(t.wait('w1'), 0)
  })

  it('counts a deadline under five seconds for a connection, but not for a response', () => {
    const t = start()
    const end = (missing: 'connection' | 'response') => {
      const permit = t.enter('w1')
      const sentAt = t.clock.now
      t.clock.now += 3_000
      permit.timedOut(sentAt, missing)
    }
    for (let count = 0; count < 9; count += 1) end('response')
    assert.equal(t.wait('w1'), 0)
    for (let count = 0; count < 3; count += 1) end('connection')
    assert.equal(t.wait('w1'), openMs)
  })

  it('lets one probe through when the open time is over, and closes when the probe gets a response', () => {
    const t = start()
    t.timeOut('w1', 3)
    t.clock.now += openMs
    const probe = t.enter('w1')
    assert.equal(t.wait('w1'), TIMEOUT_MS)
    probe.succeeded()
    assert.deepEqual([t.wait('w1'), t.breaker.stats().open], [0, 0])
    assert.deepEqual(t.events.at(-1), {
      change: 'closed',
      workspaceId: 'w1',
      host: 'a.example:443',
    })
  })

  it('stays open twice as long after each probe that times out, at most a minute', () => {
    const t = start()
    t.timeOut('w1', 3)
    const waits: number[] = []
    for (let count = 0; count < 5; count += 1) {
      waits.push(t.wait('w1'))
      t.clock.now += waits.at(-1) ?? 0
      t.timeOut('w1')
    }
    assert.deepEqual(waits, [10_000, 20_000, 40_000, 60_000, 60_000])
    assert.equal(t.events.length, 1, 'emits an event for the first opening only')
  })

  it('makes the next request the probe after an inconclusive probe', () => {
    const t = start()
    t.timeOut('w1', 3)
    t.clock.now += openMs
    t.enter('w1').inconclusive()
    const probe = t.enter('w1')
    assert.ok(t.wait('w1') > 0)
    probe.succeeded()
    assert.equal(t.wait('w1'), 0)
  })

  it('requests in flight when it opened do not prolong it, and close it with a response', () => {
    const t = start()
    const [late, answered] = [t.enter('w1'), t.enter('w1')]
    const sentAt = t.clock.now
    t.timeOut('w1', 3)
    t.clock.now += 1_000
    late.timedOut(sentAt, 'response')
    assert.equal(t.wait('w1'), openMs - 1_000)
    answered.succeeded()
    assert.equal(t.wait('w1'), 0)
  })
})

describe('the circuit of one host for the whole node', () => {
  it('opens when the host times out for three workspaces and for the node itself', async () => {
    const t = start()
    t.timeOut('w1', 3)
    t.timeOut('w2', 3)
    await turn()
    assert.deepEqual([t.wait('w4'), t.node.probeCount], [0, 0])
    t.timeOut('w3', 3)
    await turn()
    assert.deepEqual([t.wait('w4'), t.wait('w4', 'b.example:443')], [openMs, 0])
    assert.deepEqual(t.events.at(-1), { change: 'opened', host: 'a.example:443' })
  })

  it('stays closed for a host that responds to the node, even if it times out for three workspaces of one tenant', async () => {
    const t = start()
    t.node.isAlive = true
    for (const workspace of ['w1', 'w2', 'w3']) t.timeOut(workspace, 3)
    await turn()
    assert.deepEqual([t.node.probeCount, t.wait('victim')], [1, 0])
    assert.ok(t.wait('w3') > 0, 'the circuits of the workspaces stay open')
  })

  it('stays closed after a response to any workspace since the request was sent, even if that response never ends', async () => {
    for (const sign of ['responseStarted', 'succeeded'] as const) {
      const t = start()
      const other = t.enter('other')
      for (const workspace of ['w1', 'w2']) t.timeOut(workspace, 3)
      const permits = [t.enter('w3'), t.enter('w3'), t.enter('w3')]
      const sentAt = t.clock.now
      t.clock.now += 5_000
      other[sign]()
      t.clock.now += 5_000
      for (const permit of permits) permit.timedOut(sentAt, 'response')
      await turn()
      assert.deepEqual([t.node.probeCount, t.wait('victim')], [0, 0], sign)
    }
  })

  it('lets one probe per workspace through, and closes for all of them at the first response', async () => {
    const t = start()
    for (const workspace of ['w1', 'w2', 'w3']) t.timeOut(workspace, 3)
    await turn()
    t.clock.now += openMs
    const probe = t.enter('w4')
    assert.ok(t.wait('w4') > 0, 'the second request of w4 waits')
    t.enter('w5').inconclusive()
    probe.succeeded()
    assert.deepEqual([t.wait('w4'), t.wait('w6')], [0, 0])
    assert.ok(t.events.some(({ change, workspaceId }) => change === 'closed' && !workspaceId))
  })

  it('opens the circuit of a workspace after one probe timeout, and makes the node probe again', async () => {
    const t = start()
    for (const workspace of ['w1', 'w2', 'w3']) t.timeOut(workspace, 3)
    await turn()
    t.clock.now += openMs
    t.timeOut('w4')
    await turn()
    assert.equal(t.node.probeCount, 2)
    assert.equal(t.wait('w4'), 2 * openMs)
    t.node.isAlive = true
    t.clock.now += 2 * openMs
    t.timeOut('w5')
    await turn()
    assert.equal(t.wait('victim'), 0)
  })
})

describe('the memory of the circuit breaker', () => {
  it('is limited in hosts and in workspaces per host', () => {
    const t = start({ maxHosts: 10, maxCircuits: 10 })
    for (let count = 0; count < 100; count += 1) t.timeOut(`w${count}`, 3)
    assert.ok(t.breaker.stats().open <= 10)
    for (let count = 0; count < 100; count += 1) t.timeOut('w1', 3, `h${count}:443`)
    assert.ok(t.breaker.stats().open <= 10 * 11)
  })
})

describe('the circuit breaker compared with a simple model', () => {
  it('rejects random requests of four workspaces exactly when the model does', () => {
    const seed = Number(process.env.CIRCUIT_SEED ?? randomInt(2 ** 31))
    console.log(`CIRCUIT_SEED=${seed}`)
    const random = mulberry32(seed)
    const pick = (count: number) => Math.floor(random() * count)
    const t = start({ minOpenWorkspaces: Number.POSITIVE_INFINITY })
    const models = new Map<string, Model>()
    const underWay: { key: string; permit: Permit; sentAt: number; probeOf?: Model }[] = []
    for (let step = 0; step < 20_000; step += 1) {
      t.clock.now += pick(4_000)
      const [workspace, host] = [`w${pick(4)}`, `h${pick(2)}:443`]
      const key = `${workspace} ${host}`
      const model = models.get(key) ?? createModel()
      models.set(key, model)
      if (underWay.length < 12 && random() < 0.5) {
        const mayPass =
          model.openUntil === undefined || (t.clock.now >= model.openUntil && !model.hasProbe)
        const permit = attempt(() => t.enter(workspace, host))
        assert.equal(permit !== undefined, mayPass, `step ${step} ${key}`)
        if (permit === undefined) continue
        const isProbe = model.openUntil !== undefined
        model.hasProbe ||= isProbe
        underWay.push({ key, permit, sentAt: t.clock.now, ...(isProbe ? { probeOf: model } : {}) })
      } else if (underWay.length > 0) {
        const [ended] = underWay.splice(pick(underWay.length), 1)
        if (ended !== undefined) end(ended, models.get(ended.key) ?? createModel())
      }
    }
    assert.ok(t.breaker.stats().opened > 50 && t.breaker.stats().refused > 500)

    function end({ key, permit, sentAt, probeOf }: (typeof underWay)[number], model: Model): void {
      const choice = pick(10)
      // If the circuit closed meanwhile, this is an ordinary request.
      const isProbe = probeOf === model
      if (isProbe) model.hasProbe = false
      if (choice < 2) {
        permit.succeeded()
        models.set(key, createModel())
      } else if (choice < 3 || t.clock.now - sentAt < DEFAULT_CIRCUIT_OPTIONS.minTimeoutMs) {
        permit.inconclusive()
      } else {
        permit.timedOut(sentAt, 'response')
        recordFailure(model, isProbe)
      }
    }

    function recordFailure(model: Model, isProbe: boolean): void {
      if (model.openUntil !== undefined && !isProbe) return
      if (!isProbe) model.inRow.push(t.clock.now)
      const third = model.inRow.at(-3)
      const isThresholdReached =
        third !== undefined && t.clock.now - third < DEFAULT_CIRCUIT_OPTIONS.windowMs
      if (!isProbe && !isThresholdReached) return
      model.openMs = isProbe ? Math.min(60_000, model.openMs * 2) : openMs
      model.openUntil = t.clock.now + model.openMs
    }
  })
})

interface Model {
  /** Times of consecutive timeouts. */
  readonly inRow: number[]
  openUntil: number | undefined
  openMs: number
  hasProbe: boolean
}

function createModel(): Model {
  return { inRow: [], openUntil: undefined, openMs: 0, hasProbe: false }
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof CircuitOpenError) return undefined
    throw error
  }
}

function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}
