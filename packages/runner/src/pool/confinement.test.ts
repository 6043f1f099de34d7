import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Confinement } from './confinement.ts'

describe('Confinement', () => {
  it('lets a harmless bundle run as often as it likes', () => {
    const confinement = new Confinement(() => 0)
    for (let at = 0; at < 5; at++) {
      assert.ok(confinement.mayStart('a'))
      confinement.started('a')
    }
    confinement.ended('a', false)
    assert.ok(confinement.mayStart('a'))
  })

  it('lets a harmful one run once at a time, for a minute', () => {
    let now = 0
    const confinement = new Confinement(() => now)
    confinement.started('a')
    confinement.ended('a', true)
    assert.ok(confinement.mayStart('a'))
    confinement.started('a')
    assert.ok(!confinement.mayStart('a'))
    assert.ok(confinement.mayStart('b'))
    confinement.ended('a', false)
    assert.ok(confinement.mayStart('a'))
    confinement.started('a')
    now = 60_001
    assert.ok(confinement.mayStart('a'))
  })
})
