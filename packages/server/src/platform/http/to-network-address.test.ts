import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toNetworkAddress } from './client-address.ts'

describe('toNetworkAddress', () => {
  it('ignores a port after the address', () => {
    assert.equal(toNetworkAddress('203.0.113.7:50123', 64), '203.0.113.7')
    assert.equal(
      toNetworkAddress('[2001:db8:1:2::5]:443', 64),
      toNetworkAddress('2001:db8:1:2::9', 64),
    )
    assert.equal(
      toNetworkAddress('[2001:db8:1:2::5]', 48),
      toNetworkAddress('2001:db8:1:ffff::9', 48),
    )
    assert.equal(toNetworkAddress('[::ffff:203.0.113.7]:443', 48), '203.0.113.7')
  })

  it('distinguishes addresses and networks', () => {
    assert.notEqual(toNetworkAddress('203.0.113.7:1', 64), toNetworkAddress('203.0.113.8:1', 64))
    assert.notEqual(
      toNetworkAddress('2001:db8:1:2::5', 64),
      toNetworkAddress('2001:db8:1:3::5', 64),
    )
    assert.notEqual(toNetworkAddress('2001:db8:1::5', 48), toNetworkAddress('2001:db8:2::5', 48))
  })

  it('accepts any text, because a proxy may send anything', () => {
    for (const address of ['', 'unknown', '_hidden', '[', '[]:1', '1.2.3.4:', ':'.repeat(4_096)])
      assert.equal(typeof toNetworkAddress(address, 64), 'string')
  })
})
