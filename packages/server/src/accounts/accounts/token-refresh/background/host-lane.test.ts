import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { WorkspaceId } from '../../../../access/workspaces/workspace.ts'
import { HostLane, HostLanes, MAX_FAILURES } from './host-lanes.ts'

const [A, B, C, D] = ['wsp_a', 'wsp_b', 'wsp_c', 'wsp_d'] as WorkspaceId[] as [
  WorkspaceId,
  WorkspaceId,
  WorkspaceId,
  WorkspaceId,
]
const SUCCESS = { hasAnswered: true }
const FAILURE = { hasAnswered: false }

function fail(lane: HostLane, workspaceId: WorkspaceId, now: number, times = MAX_FAILURES): void {
  for (let index = 0; index < times; index++) {
    lane.start(workspaceId)
    lane.end(workspaceId, FAILURE, now)
  }
}

describe('HostLane', () => {
  it('admits as many requests as the host may have, and the next when one ends', () => {
    const lane = new HostLane(2)
    for (const _ of [1, 2]) {
      assert.equal(lane.admit(A, 0), 'send')
      lane.start(A)
    }
    assert.equal(lane.admit(B, 0), 'wait')
    lane.end(A, undefined, 0)
    assert.equal(lane.admit(B, 0), 'send')
  })

  it('pauses the host after three failures in a row for the workspace that sent them, for no other', () => {
    const lane = new HostLane(16)
    fail(lane, A, 0, 2)
    assert.equal(lane.admit(A, 0), 'send')
    fail(lane, A, 0, 1)
    assert.equal(lane.admit(A, 29_999), 'paused')
    assert.equal(lane.admit(B, 0), 'send')
    assert.deepEqual(lane.listPausedTenants(29_999), [A])
    assert.equal(lane.admit(A, 30_000), 'send')
  })

  it('counts no failures before a response', () => {
    const lane = new HostLane(16)
    for (let round = 0; round < 5; round++) {
      fail(lane, A, 0, 2)
      lane.start(A)
      lane.end(A, SUCCESS, 0)
    }
    assert.equal(lane.admit(A, 0), 'send')
    assert.ok(lane.isIdle(0))
  })

  it('pauses the host for all when three workspaces got no response, and probes with one request', () => {
    const lane = new HostLane(16)
    for (const workspace of [A, B]) fail(lane, workspace, 0)
    assert.equal(lane.admit(D, 0), 'send')
    fail(lane, C, 0)
    assert.equal(lane.admit(D, 29_999), 'paused')
    assert.equal(lane.admit(D, 30_000), 'send')
    lane.start(D)
    assert.equal(lane.admit(B, 30_000), 'paused', 'one probe at a time')
    assert.ok(lane.isProbed)
    lane.end(D, FAILURE, 30_000)
    assert.equal(lane.admit(D, 89_999), 'paused', 'twice as long')
    assert.equal(lane.admit(D, 90_000), 'send')
    lane.start(A)
    lane.end(A, SUCCESS, 90_000)
    assert.equal(lane.admit(D, 90_000), 'send')
  })

  it('counts a workspace again after a response to anyone', () => {
    const lane = new HostLane(16)
    fail(lane, A, 0)
    lane.start(D)
    lane.end(D, SUCCESS, 0)
    for (const workspace of [A, B, C]) fail(lane, workspace, 30_000)
    assert.equal(lane.admit(D, 30_000), 'paused')
  })

  it('a workspace alone cannot pause a host that responds to another', () => {
    const lane = new HostLane(16)
    for (const now of [0, 30_000, 90_000, 210_000]) {
      fail(lane, A, now)
      lane.start(B)
      lane.end(B, SUCCESS, now)
      assert.equal(lane.admit(B, now), 'send')
      assert.notEqual(lane.admit(A, now), 'send')
    }
  })

  it('doubles the pause with each failed probe, up to 15 minutes', () => {
    const lane = new HostLane(16)
    fail(lane, A, 0)
    let now = 0
    for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
      now += seconds * 1_000
      assert.equal(lane.admit(A, now - 1), 'paused')
      assert.equal(lane.admit(A, now), 'send')
      fail(lane, A, now, 1)
    }
  })

  it('ignores failures of requests that were sent before the pause', () => {
    const lane = new HostLane(16)
    for (let index = 0; index < 16; index++) lane.start(A)
    for (let index = 0; index < 16; index++) lane.end(A, FAILURE, 0)
    assert.equal(lane.admit(A, 29_999), 'paused')
    assert.equal(lane.admit(A, 30_000), 'send')
  })

  it('respects Retry-After at once, for a minute; after three failures as long as requested', () => {
    const lane = new HostLane(16)
    const limited = { hasAnswered: false, retryAfterMs: 300_000 }
    lane.start(A)
    lane.end(A, limited, 0)
    assert.equal(lane.admit(A, 59_999), 'paused')
    assert.equal(lane.admit(A, 60_000), 'send')
    for (const now of [60_000, 120_000]) {
      lane.start(A)
      lane.end(A, limited, now)
    }
    assert.equal(lane.admit(A, 419_999), 'paused')
    assert.equal(lane.admit(A, 420_000), 'send')
  })
})

describe('HostLanes', () => {
  it('lists full and paused hosts, and forgets those without anything to remember', () => {
    const lanes = new HostLanes(1)
    lanes.get('full:443').start(A)
    fail(lanes.get('dead:443'), B, 0)
    lanes.get('idle:443')
    const full = { host: 'full:443', workspaceId: null }
    const dead = { host: 'dead:443', workspaceId: B }
    const isTruncated = false
    assert.deepEqual(lanes.listSkipped(0), {
      paused: [dead],
      full: [full],
      isTruncated,
      isWaiting: true,
    })
    lanes.get('full:443').end(A, SUCCESS, 0)
    lanes.prune(0)
    const isWaiting = false
    assert.deepEqual(lanes.listSkipped(0), { paused: [dead], full: [], isTruncated, isWaiting })
    assert.deepEqual(lanes.listSkipped(30_000), { paused: [], full: [], isTruncated, isWaiting })
  })
})
