import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLookupLimiter } from './lookup-limiter.ts'

const LIMITS = { perLink: 2, perWorkspace: 3, softTotal: 5, reducedPerWorkspace: 1, total: 8 }

describe('createLookupSlots', () => {
  it('bounds a link and a workspace, and frees what was taken', () => {
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

  it('leaves a few to each workspace when others have taken most, and the rest to ourselves', () => {
    const limiter = createLookupLimiter(LIMITS)
    const canAcquire = (workspaceId: string) => limiter.acquire({ workspaceId }) !== undefined
    assert.deepEqual(['a', 'a', 'a', 'b', 'b'].map(canAcquire), Array(5).fill(true))
    assert.deepEqual(['b', 'c', 'c', 'd'].map(canAcquire), [false, true, false, true])
    assert.ok(limiter.acquire(undefined) !== undefined)
    assert.equal(limiter.acquire(undefined), undefined)
    assert.equal(canAcquire('e'), false)
  })
})
