import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isInNetwork, isPublicAddress, isSelfAddress, parseAddress } from './address.ts'

/**
 * First and last address of every special-purpose block in IANA's registries, and the public neighbours on either side.
 */
const BLOCKS: readonly [
  name: string,
  first: string,
  last: string,
  before: string | null,
  after: string | null,
][] = [
  ['0.0.0.0/8 this network', '0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
  ['10.0.0.0/8 private', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0/10 carrier NAT', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0/8 loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0/16 link-local', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0/12 private', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0/24 protocols', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0/24 documentation', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.31.196.0/24 AS112', '192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
  ['192.52.193.0/24 AMT', '192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
  ['192.88.99.0/24 6to4 relay', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0/16 private', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['192.175.48.0/24 AS112', '192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
  ['198.18.0.0/15 benchmark', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  [
    '198.51.100.0/24 documentation',
    '198.51.100.0',
    '198.51.100.255',
    '198.51.99.255',
    '198.51.101.0',
  ],
  ['203.0.113.0/24 documentation', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0/4 multicast', '224.0.0.0', '239.255.255.255', '223.255.255.255', null],
  ['240.0.0.0/4 reserved, broadcast', '240.0.0.0', '255.255.255.255', null, null],
  ['::/128 unspecified', '::', '::', null, null],
  ['::1/128 loopback', '::1', '::1', null, null],
  ['::/96 compatible', '::2', '::ffff:ffff', null, null],
  ['::ffff:0:0/96 mapped loopback', '::ffff:127.0.0.0', '::ffff:7fff:ffff', null, null],
  ['::ffff:0:0:0/96 SIIT', '::ffff:0:0:0', '::ffff:0:ffff:ffff', null, null],
  ['64:ff9b::/96 NAT64', '64:ff9b::', '64:ff9b::ffff:ffff', null, null],
  ['64:ff9b:1::/48 local NAT64', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', null, null],
  ['100::/64 discard', '100::', '100::ffff:ffff:ffff:ffff', null, null],
  ['100:0:0:1::/64 dummy', '100:0:0:1::', '100::1:ffff:ffff:ffff:ffff', null, null],
  ['2001::/32 Teredo', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['2001:1::/32 anycast', '2001:1::', '2001:1:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['2001:2::/48 benchmark', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff', null, null],
  ['2001:3::/32 AMT', '2001:3::', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['2001:4:112::/48 AS112', '2001:4:112::', '2001:4:112:ffff:ffff:ffff:ffff:ffff', null, null],
  ['2001:10::/28 ORCHID', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['2001:20::/28 ORCHIDv2', '2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['2001:30::/28 drones', '2001:30::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['2001::/23 IETF', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', null, '2001:200::'],
  [
    '2001:db8::/32 documentation',
    '2001:db8::',
    '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db9::',
  ],
  [
    '2002::/16 6to4',
    '2002::',
    '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2003::',
  ],
  [
    '2620:4f:8000::/48 AS112',
    '2620:4f:8000::',
    '2620:4f:8000:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:8001::',
  ],
  [
    '3ffe::/16 6bone',
    '3ffe::',
    '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3ffd:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff:1000::',
  ],
  [
    '3fff::/20 documentation',
    '3fff::',
    '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    null,
    '3fff:1000::',
  ],
  ['below 2000::/3', '200::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, '2000::'],
  [
    'above 2000::/3, SRv6 in it',
    '4000::',
    'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    null,
  ],
  ['fc00::/7 unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['fe80::/10 link-local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['fec0::/10 site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['ff00::/8 multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
]

function isPublicText(text: string): boolean {
  const address = parseAddress(text)
  assert.ok(address, `${text} is an address`)
  return isPublicAddress(address)
}

describe('isPublicAddress', () => {
  for (const [name, first, last, before, after] of BLOCKS) {
    it(`rejects ${name} from the first to the last address`, () => {
      assert.equal(isPublicText(first), false, first)
      assert.equal(isPublicText(last), false, last)
      if (before) assert.equal(isPublicText(before), true, before)
      if (after) assert.equal(isPublicText(after), true, after)
    })
  }

  it('accepts well-known public addresses, mapped ones as their IPv4 address', () => {
    for (const text of ['8.8.8.8', '140.82.112.3', '2606:4700::6810:84e5', '::ffff:8.8.8.8']) {
      assert.equal(isPublicText(text), true, text)
    }
  })
})

describe('parseAddress', () => {
  it('accepts plain notation only', () => {
    const nonCanonical = [
      '127.1',
      '0x7f.0.0.1',
      '2130706433',
      '0177.0.0.1',
      '',
      'localhost',
      'fe80::1%lo',
    ]
    for (const text of nonCanonical) assert.equal(parseAddress(text), undefined, text)
  })

  it('converts mapped IPv4 to IPv4', () => {
    assert.equal(parseAddress('::ffff:7f00:1')?.toString(), '127.0.0.1')
  })
})

describe('isSelfAddress', () => {
  it('recognizes loopback and unspecified addresses of both families', () => {
    for (const text of ['127.0.0.1', '127.255.0.9', '0.0.0.0', '::', '::1', '::ffff:127.0.0.1']) {
      const address = parseAddress(text)
      assert.equal(address && isSelfAddress(address), true, text)
    }
    const other = parseAddress('10.0.0.1')
    assert.equal(other && isSelfAddress(other), false)
  })
})

describe('isInNetwork', () => {
  it('never matches across families', () => {
    const v4 = parseAddress('10.0.0.1')
    const v6 = parseAddress('fd00::1')
    assert.ok(v4 && v6)
    assert.equal(isInNetwork(v4, v6, 8), false)
    assert.equal(isInNetwork(v6, v4, 8), false)
    assert.equal(isInNetwork(v4, v4, 8), true)
  })
})
