import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type AttemptResult,
  type EndpointHealth,
  getProbeDelay,
  getRetryDelay,
  MAX_ATTEMPTS,
  planSettlement,
} from './plan-settlement.ts'

const NOW = 1_700_000_000_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const HEALTHY: EndpointHealth = {
  state: 'active',
  stateReason: null,
  failingSince: null,
  failuresInRow: 0,
  probes: 0,
  retryAt: null,
  lastSuccessAt: null,
}

function createResult(
  outcome: AttemptResult['outcome'],
  change: Partial<AttemptResult> = {},
  { attempts = 0, createdAt = NOW } = {},
): AttemptResult {
  return {
    delivery: { sequence: 1, round: 0, subject: 'acc_1', attempts, createdAt },
    outcome,
    disables: false,
    isProbe: false,
    status: 500,
    code: 'status_500',
    ms: 5,
    response: '',
    retryAfterMs: null,
    ...change,
  }
}

const plan = (health: EndpointHealth, ...results: AttemptResult[]) =>
  planSettlement(health, results, NOW, () => 0.5)

describe('planSettlement', () => {
  it('schedules 11 attempts in about 75 hours, each within 20 %', () => {
    let at = 0
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      const { deliveries } = plan(HEALTHY, createResult('failed', {}, { attempts }))
      const isLast = attempts === MAX_ATTEMPTS - 1
      assert.equal(deliveries[0]?.state, isLast ? 'failed' : 'pending')
      if (!isLast) at += (deliveries[0]?.dueAt ?? 0) - NOW
    }
    assert.ok(Math.abs(at - 75.6 * HOUR_MS) < HOUR_MS, `${at / HOUR_MS} hours`)
    assert.deepEqual(
      [getRetryDelay(1, null, () => 0), getRetryDelay(1, null, () => 1)],
      [4_000, 6_000],
    )
  })

  it('waits for Retry-After if it is longer than the schedule', () => {
    const [soon] = plan(HEALTHY, createResult('failed', { retryAfterMs: 1_000 })).deliveries
    const [late] = plan(HEALTHY, createResult('failed', { retryAfterMs: HOUR_MS })).deliveries
    assert.deepEqual([soon?.dueAt, late?.dueAt], [NOW + 5_000, NOW + HOUR_MS])
  })

  it('gives up after five days, for abort-message, and for events that are deleted', () => {
    const old = createResult('failed', {}, { createdAt: NOW - 5 * DAY_MS })
    for (const result of [old, createResult('given_up'), createResult('event_deleted')]) {
      const { deliveries, failures, finished, releasedSubjects } = plan(HEALTHY, result)
      assert.equal(deliveries[0]?.state, 'failed')
      assert.deepEqual([failures.length, finished, releasedSubjects], [1, 1, ['acc_1']])
    }
  })

  it('lets the next event of a subject pass after the fifth attempt', () => {
    const getReleased = (attempts: number) =>
      plan(HEALTHY, createResult('failed', {}, { attempts })).releasedSubjects
    assert.deepEqual([getReleased(3), getReleased(4)], [[], ['acc_1']])
  })

  it('spends no attempt for what this node could not send', () => {
    const { deliveries, failures, health } = plan(HEALTHY, createResult('postponed'))
    assert.equal(deliveries[0]?.attempts, 0)
    assert.deepEqual([deliveries[0]?.state, failures], ['pending', []])
    assert.deepEqual(health, HEALTHY)
  })

  it('opens the circuit after ten failures in a row, and no sooner', () => {
    const nine = Array.from({ length: 9 }, () => createResult('failed'))
    assert.equal(plan(HEALTHY, ...nine).health.state, 'active')
    const { health, transition } = plan(HEALTHY, ...nine, createResult('failed'))
    assert.deepEqual(
      [health.state, health.retryAt, transition],
      ['failing', NOW + 30_000, undefined],
    )
    const interrupted = plan(HEALTHY, ...nine, createResult('delivered'), ...nine)
    assert.deepEqual([interrupted.health.state, interrupted.health.failuresInRow], ['active', 9])
  })

  it('doubles the wait for each probe up to an hour, but not for requests from before', () => {
    const failing: EndpointHealth = {
      ...HEALTHY,
      state: 'failing',
      failuresInRow: 10,
      failingSince: NOW,
      retryAt: NOW + 9,
    }
    const late = plan(failing, createResult('failed'))
    assert.deepEqual([late.health.probes, late.health.retryAt], [0, NOW + 9])
    const probe = plan(failing, createResult('failed', { isProbe: true }))
    assert.deepEqual([probe.health.probes, probe.health.retryAt], [1, NOW + 60_000])
    assert.deepEqual(
      [getProbeDelay(6), getProbeDelay(7), getProbeDelay(900)],
      [1_920_000, HOUR_MS, HOUR_MS],
    )
    const success = plan(failing, createResult('delivered', { isProbe: true }))
    assert.deepEqual([success.health.state, success.transition], ['active', 'recovered'])
  })

  it('disables after five days without success and twenty failures, and when the receiver says so', () => {
    const failing: EndpointHealth = {
      ...HEALTHY,
      state: 'failing',
      failuresInRow: 19,
      failingSince: NOW - 5 * DAY_MS,
    }
    assert.equal(plan(failing, createResult('failed')).transition, 'disabled')
    const getState = (change: Partial<EndpointHealth>) =>
      plan({ ...failing, ...change }, createResult('failed')).health.state
    assert.equal(getState({ failuresInRow: 18 }), 'failing')
    assert.equal(getState({ failingSince: NOW - 5 * DAY_MS + 1 }), 'failing')
    const gone = plan(HEALTHY, createResult('given_up', { disables: true, status: 410 }))
    assert.deepEqual([gone.health.state, gone.health.stateReason], ['disabled', 'receiver_gone'])
  })

  it('leaves an endpoint paused or disabled that its owner has paused meanwhile', () => {
    for (const state of ['paused', 'disabled'] as const) {
      const { health, transition } = plan({ ...HEALTHY, state }, createResult('delivered'))
      assert.deepEqual([health.state, health.lastSuccessAt, transition], [state, NOW, undefined])
    }
  })
})
