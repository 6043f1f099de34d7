import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLookupLimiter } from './lookup-limiter.ts'

const LIMITS = { perLink: 2, perWorkspace: 3, busyThreshold: 5, reducedPerWorkspace: 1, total: 8 }

describe('createLookupLimiter', () => {
  it('limits a link and a workspace, and releases slots', () => {
    const limiter = createLookupLimiter(LIMITS)
    const link = { workspaceId: 'w', linkId: 'l' }
    const release = limiter.acquire(link)
    assert.ok(release !== undefined && limiter.acquire(link) !== undefined)
    assert.equal(limiter.acquire(link), undefined)
    assert.ok(limiter.acquire({ workspaceId: 'w' }) !== undefined)
    assert.equal(limiter.acquire({ workspaceId: 'w' }), undefined)
    assert.equal(limiter.acquire({ workspaceId: 'w', linkId: 'm' }), undefined)
    release()
    assert.ok(limiter.acquire(link) !== undefined)
  })

  it("leaves some slots to each workspace when others use most of them, and the rest to the service's own lookups", () => {
    const limiter = createLookupLimiter(LIMITS)
    const canAcquire = (workspaceId: string) => limiter.acquire({ workspaceId }) !== undefined
    assert.deepEqual(['a', 'a', 'a', 'b', 'b'].map(canAcquire), Array(5).fill(true))
    assert.deepEqual(['b', 'c', 'c', 'd'].map(canAcquire), [false, true, false, true])
    assert.ok(limiter.acquire(undefined) !== undefined)
    assert.equal(limiter.acquire(undefined), undefined)
    assert.equal(canAcquire('e'), false)
  })
})
