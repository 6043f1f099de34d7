import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLookupSlots } from './lookup-slots.ts'

const BOUNDS = { perLink: 2, perWorkspace: 3, soft: 5, few: 1, total: 8 }

describe('createLookupSlots', () => {
  it('bounds a link and a workspace, and frees what was taken', () => {
    const slots = createLookupSlots(BOUNDS)
    const link = { workspaceId: 'w', linkId: 'l' }
    const free = slots.take(link)
    assert.ok(free !== undefined && slots.take(link) !== undefined)
    assert.equal(slots.take(link), undefined)
    assert.ok(slots.take({ workspaceId: 'w' }) !== undefined)
    assert.equal(slots.take({ workspaceId: 'w' }), undefined)
    assert.equal(slots.take({ workspaceId: 'w', linkId: 'm' }), undefined)
    free()
    assert.ok(slots.take(link) !== undefined)
  })

  it('leaves a few to each workspace when others have taken most, and the rest to ourselves', () => {
    const slots = createLookupSlots(BOUNDS)
    const take = (workspaceId: string) => slots.take({ workspaceId }) !== undefined
    assert.deepEqual(['a', 'a', 'a', 'b', 'b'].map(take), Array(5).fill(true))
    assert.deepEqual(['b', 'c', 'c', 'd'].map(take), [false, true, false, true])
    assert.ok(slots.take(undefined) !== undefined)
    assert.equal(slots.take(undefined), undefined)
    assert.equal(take('e'), false)
  })
})
