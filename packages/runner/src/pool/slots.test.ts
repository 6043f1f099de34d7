import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Tenant } from '../tenant.ts'
import { Slots, type SlotUser } from './slots.ts'

const user = (tenant: Tenant, more: Partial<SlotUser> = {}): SlotUser => ({
  tenant,
  isIsolated: false,
  places: 1,
  ...more,
})

/** Takes places for such users until none is left for them. */
function fill(slots: Slots<SlotUser>, make: () => SlotUser): SlotUser[] {
  const taken: SlotUser[] = []
  for (let next = make(); slots.mayTake(next); next = make()) {
    slots.take(next)
    taken.push(next)
  }
  return taken
}

describe('Slots', () => {
  it('a lone workspace takes half of the places and leaves room for newcomers, each of which leaves some too', () => {
    const slots = new Slots<SlotUser>(32)
    const held = 'abcd'
      .split('')
      .map((workspaceId) => fill(slots, () => user({ workspaceId })).length)
    assert.deepEqual(held, [16, 8, 4, 2])
    assert.ok(slots.mayTake(user({ workspaceId: 'e' })))
  })

  it('a definition takes a third of the places, and a link a quarter', () => {
    const slots = new Slots<SlotUser>(32)
    const one = { workspaceId: 'w', definitionId: 'd' }
    assert.equal(fill(slots, () => user(one)).length, 10)
    assert.ok(slots.mayTake(user({ workspaceId: 'w', definitionId: 'other' })))
    const other = new Slots<SlotUser>(32)
    assert.equal(fill(other, () => user({ workspaceId: 'w', linkId: 'l' })).length, 8)
    assert.ok(other.mayTake(user({ workspaceId: 'w', linkId: 'other' })))
  })

  it('a throttled workspace takes an eighth of the places', () => {
    const slots = new Slots<SlotUser>(32)
    const make = () => user({ workspaceId: 'w' }, { isIsolated: true })
    assert.equal(fill(slots, make).length, 4)
  })

  it('a call that needs much memory takes several places, and a first one starts however many it needs', () => {
    const slots = new Slots<SlotUser>(32)
    const large = () => user({ workspaceId: 'w' }, { places: 4 })
    assert.equal(fill(slots, large).length, 4)
    const small = new Slots<SlotUser>(12)
    assert.ok(small.mayTake(user({ workspaceId: 'w' }, { places: 20 })))
  })

  it('random calls of many workspaces: no workspace gets past half, newcomers get in while a place is free, and all places come back', () => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    let state = seed
    const random = (most: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
      return (state >>> 8) % most
    }
    const slots = new Slots<SlotUser>(40)
    const held: SlotUser[] = []
    const counts = new Map<string, number>()
    const count = (key: string, change: number) =>
      counts.set(key, (counts.get(key) ?? 0) + change).get(key) ?? 0
    for (let at = 0; at < 20_000; at++) {
      const workspaceId = `w${random(6)}`
      const next = user({ workspaceId, definitionId: `d${random(3)}`, linkId: `l${random(9)}` })
      if (random(3) > 0 && slots.mayTake(next)) {
        slots.take(next)
        held.push(next)
        assert.ok(count(workspaceId, 1) <= 20, `seed ${seed}`)
        assert.ok(held.length <= 40, `seed ${seed}`)
      } else if (held.length > 0) {
        const [gone] = held.splice(random(held.length), 1)
        if (gone === undefined) continue
        slots.free(gone)
        count(gone.tenant.workspaceId, -1)
      }
      const isRoom = held.length < 40
      assert.equal(slots.mayTake(user({ workspaceId: 'newcomer' })), isRoom, `seed ${seed}`)
    }
    for (const each of held) slots.free(each)
    assert.equal(slots.size, 0)
    assert.equal(fill(slots, () => user({ workspaceId: 'w0' })).length, 20, `seed ${seed}`)
  })
})
