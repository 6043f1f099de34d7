import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Tenant } from '../egress/egress.ts'
import { type SlotHolder, Slots } from './admission-queue.ts'

const createHolder = (tenant: Tenant, overrides: Partial<SlotHolder> = {}): SlotHolder => ({
  tenant,
  isIsolated: false,
  slotCount: 1,
  ...overrides,
})

/** Acquires slots for such holders until none is left for them. */
function acquireAll(slots: Slots<SlotHolder>, createHolder: () => SlotHolder): SlotHolder[] {
  const acquiredHolders: SlotHolder[] = []
  for (let next = createHolder(); slots.canAcquire(next); next = createHolder()) {
    slots.acquire(next)
    acquiredHolders.push(next)
  }
  return acquiredHolders
}

describe('Slots', () => {
  it('gives a lone workspace half of the slots, and each newcomer half of the remaining ones', () => {
    const slots = new Slots<SlotHolder>(32)
    const counts = 'abcd'
      .split('')
      .map((workspaceId) => acquireAll(slots, () => createHolder({ workspaceId })).length)
    assert.deepEqual(counts, [16, 8, 4, 2])
    assert.ok(slots.canAcquire(createHolder({ workspaceId: 'e' })))
  })

  it('gives a definition a third of the slots, and a link a quarter', () => {
    const slots = new Slots<SlotHolder>(32)
    const one = { workspaceId: 'w', definitionId: 'd' }
    assert.equal(acquireAll(slots, () => createHolder(one)).length, 10)
    assert.ok(slots.canAcquire(createHolder({ workspaceId: 'w', definitionId: 'other' })))
    const other = new Slots<SlotHolder>(32)
    assert.equal(acquireAll(other, () => createHolder({ workspaceId: 'w', linkId: 'l' })).length, 8)
    assert.ok(other.canAcquire(createHolder({ workspaceId: 'w', linkId: 'other' })))
  })

  it('gives a throttled workspace an eighth of the slots', () => {
    const slots = new Slots<SlotHolder>(32)
    const createThrottledHolder = () => createHolder({ workspaceId: 'w' }, { isIsolated: true })
    assert.equal(acquireAll(slots, createThrottledHolder).length, 4)
  })

  it('gives a call that uses much memory several slots, and always lets the first call start', () => {
    const slots = new Slots<SlotHolder>(32)
    const createLargeHolder = () => createHolder({ workspaceId: 'w' }, { slotCount: 4 })
    assert.equal(acquireAll(slots, createLargeHolder).length, 4)
    const smallSlots = new Slots<SlotHolder>(12)
    assert.ok(smallSlots.canAcquire(createHolder({ workspaceId: 'w' }, { slotCount: 20 })))
  })

  it('random calls of many workspaces: no workspace exceeds half, newcomers start while a slot is free, and all slots are released', () => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    let state = seed
    const pickRandom = (limit: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
      return (state >>> 8) % limit
    }
    const slots = new Slots<SlotHolder>(40)
    const heldSlots: SlotHolder[] = []
    const counts = new Map<string, number>()
    const count = (key: string, change: number) =>
      counts.set(key, (counts.get(key) ?? 0) + change).get(key) ?? 0
    for (let at = 0; at < 20_000; at++) {
      const workspaceId = `w${pickRandom(6)}`
      const next = createHolder({
        workspaceId,
        definitionId: `d${pickRandom(3)}`,
        linkId: `l${pickRandom(9)}`,
      })
      if (pickRandom(3) > 0 && slots.canAcquire(next)) {
        slots.acquire(next)
        heldSlots.push(next)
        assert.ok(count(workspaceId, 1) <= 20, `seed ${seed}`)
        assert.ok(heldSlots.length <= 40, `seed ${seed}`)
      } else if (heldSlots.length > 0) {
        const [released] = heldSlots.splice(pickRandom(heldSlots.length), 1)
        if (released === undefined) continue
        slots.release(released)
        count(released.tenant.workspaceId, -1)
      }
      const hasFreeSlot = heldSlots.length < 40
      assert.equal(
        slots.canAcquire(createHolder({ workspaceId: 'newcomer' })),
        hasFreeSlot,
        `seed ${seed}`,
      )
    }
    for (const each of heldSlots) slots.release(each)
    assert.equal(slots.size, 0)
    assert.equal(
      acquireAll(slots, () => createHolder({ workspaceId: 'w0' })).length,
      20,
      `seed ${seed}`,
    )
  })
})
