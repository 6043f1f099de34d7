import assert from 'node:assert/strict'
import { it } from 'node:test'
import { filterResponseHeaders } from './proxy-request.ts'

it('responseHeaders removes headers that Node would refuse to write', () => {
  const invalidHeaders = [
    'X Y',
    '1',
    'X\nY',
    '1',
    '',
    '1',
    'X-A',
    'a\r\nX-B: b',
    'X-C',
    '\u0000',
    'X-D',
    '\u20ac',
  ]
  assert.deepEqual(
    filterResponseHeaders([...invalidHeaders, 'X-Good', 'caf\u00e9\t', 'X-Empty', ''], 200),
    [...['X-Good', 'caf\u00e9\t'], ...['X-Empty', '']],
  )
})

it('responseHeaders keeps Content-Length except for a 204', () => {
  const length = ['Content-Length', '7']
  for (const status of [200, 206, 304, 404])
    assert.deepEqual(filterResponseHeaders(length, status), length)
  assert.deepEqual(filterResponseHeaders(length, 204), [])
})

it('responseHeaders removes headers listed in Connection, case-insensitive', () => {
  const connectionHeaders = ['connection', 'X-Hop, close', 'CONNECTION', 'x-Other']
  assert.deepEqual(
    filterResponseHeaders(['x-hop', '1', 'X-OTHER', '2', 'X-Kept', '3', ...connectionHeaders], 200),
    [...['X-Kept', '3']],
  )
})
