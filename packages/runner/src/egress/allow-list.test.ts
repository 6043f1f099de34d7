import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAllowed, parseAddress, parseAllowList } from './address.ts'
import type { Purpose } from './egress.ts'

function allows(list: string, address: string, port: number, purpose: Purpose): boolean {
  const parsed = parseAddress(address)
  assert.ok(parsed)
  return isAllowed(parseAllowList(list), parsed, port, purpose)
}

describe('parseAllowList', () => {
  it('parses CIDRs, addresses, ports and purposes', () => {
    const text = '127.0.0.0/8, source=10.0.0.5:8080,bundle=[::1]:9000,oauth=fd00::/8,[::1],::1,'
    const entries = parseAllowList(text).map(
      ({ network, prefix, port, purpose }) => `${purpose} ${network}/${prefix} ${port}`,
    )
    assert.deepEqual(entries, [
      'undefined 127.0.0.0/8 undefined',
      'source 10.0.0.5/32 8080',
      'bundle ::1/128 9000',
      'oauth fd00::/8 undefined',
      'undefined ::1/128 undefined',
      'undefined ::1/128 undefined',
    ])
  })

  it('parses empty text as an empty list', () => {
    assert.deepEqual(parseAllowList(''), [])
    assert.deepEqual(parseAllowList(' , '), [])
  })

  it('parses mapped IPv4 as IPv4', () => {
    assert.equal(allows('::ffff:10.0.0.0/104', '10.200.0.1', 80, 'bundle'), true)
    assert.equal(allows('::ffff:10.0.0.0/104', '11.0.0.1', 80, 'bundle'), false)
  })

  it('reports all errors at once', () => {
    const text = 'localhost,localhost:80,10.0.0.0/33,10.0.0.1:0,other=10.0.0.1,10.0.0.0/8:80,127.1'
    assert.throws(
      () => parseAllowList(text),
      (error: Error) => {
        for (const item of text.split(',')) assert.ok(error.message.includes(`"${item}" `), item)
        assert.match(
          error.message,
          /"localhost" is not an IP address.*use addresses instead of names\./,
        )
        assert.match(
          error.message,
          /only source=, bundle=, oauth=, webhook=, keys=, telemetry= and sso= are supported/,
        )
        assert.match(error.message, /"10\.0\.0\.1:0" needs a port from 1 to 65535\./)
        return true
      },
    )
  })

  const WRONG = [
    '0.0.0.0/0',
    '::/0',
    '::ffff:0.0.0.0/96',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.1:65536',
    '10.0.0.1:',
    '10.0.0.1:8e1',
    '[::1',
    '[::1]:x',
    'fe80::1%eth0',
    'fd00::/129',
    'source=',
    '=10.0.0.1',
    'source=bundle=10.0.0.1',
    '0x7f.0.0.1',
    'http://10.0.0.1',
    '*',
  ]
  for (const text of WRONG) {
    it(`rejects ${text}`, () => assert.throws(() => parseAllowList(text), Error))
  }
})

describe('isAllowed', () => {
  it('allows an address without a port on every port', () => {
    assert.equal(allows('10.0.0.5', '10.0.0.5', 1, 'source'), true)
    assert.equal(allows('10.0.0.5', '10.0.0.6', 1, 'source'), false)
  })

  it('allows an address with a port on that port only', () => {
    assert.equal(allows('10.0.0.5:8080', '10.0.0.5', 8080, 'source'), true)
    assert.equal(allows('10.0.0.5:8080', '10.0.0.5', 443, 'source'), false)
  })

  it('allows an entry with a purpose for that purpose only', () => {
    assert.equal(allows('oauth=10.0.0.0/8', '10.0.0.5', 443, 'oauth'), true)
    assert.equal(allows('oauth=10.0.0.0/8', '10.0.0.5', 443, 'bundle'), false)
    assert.equal(allows('oauth=10.0.0.0/8', '10.0.0.5', 443, 'source'), false)
    assert.equal(allows('webhook=10.0.0.0/8', '10.0.0.5', 443, 'webhook'), true)
    assert.equal(allows('oauth=10.0.0.0/8', '10.0.0.5', 443, 'webhook'), false)
  })
})
