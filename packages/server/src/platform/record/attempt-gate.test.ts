import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAttemptGate } from './attempt.ts'

describe('createAttemptGate', () => {
  let now = 0
  const countAdmitted = (gate = createAttemptGate(() => now), scope = 'lnk_a', times = 10_000) => {
    let admitted = 0
    for (let index = 0; index < times; index += 1)
      if (gate.admits(scope, [`customer-${index}`, 'rate_limited'])) admitted += 1
    return admitted
  }

  it('admits the same refusal once a minute', () => {
    const gate = createAttemptGate(() => now)
    const facts = ['def_a', null, undefined, 'link_full']
    assert.deepEqual([gate.admits('a', facts), gate.admits('a', facts)], [true, false])
    assert.equal(gate.admits('b', facts), true)
    now += 60_000
    assert.equal(gate.admits('a', facts), true)
  })

  it('admits 20 refusals a minute of one link, however many customers they name', () => {
    const gate = createAttemptGate(() => now)
    assert.equal(countAdmitted(gate), 20)
    assert.equal(countAdmitted(gate, 'lnk_b'), 20, 'other links have room')
    now += 60_000
    assert.equal(countAdmitted(gate), 20)
  })

  it('remembers 2,000 links a minute', () => {
    const gate = createAttemptGate(() => now)
    let admitted = 0
    for (let index = 0; index < 10_000; index += 1)
      if (gate.admits(`lnk_${index}`, ['rate_limited'])) admitted += 1
    assert.equal(admitted, 2_000)
    assert.equal(gate.admits('lnk_1', ['link_full']), true)
  })

  it('is closed for a minute', () => {
    const gate = createAttemptGate(() => now)
    gate.close('a')
    assert.deepEqual([gate.isClosed('a'), gate.isClosed('b')], [true, false])
    now += 60_000
    assert.equal(gate.isClosed('a'), false)
  })
})
