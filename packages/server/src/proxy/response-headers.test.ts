import assert from 'node:assert/strict'
import { it } from 'node:test'
import { responseHeaders } from './response-headers.ts'

it('leaves out what Node would refuse to write when it is too late to say so', () => {
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
    responseHeaders([...invalidHeaders, 'X-Good', 'caf\u00e9\t', 'X-Empty', ''], 200),
    [...['X-Good', 'caf\u00e9\t'], ...['X-Empty', '']],
  )
})

it('keeps the length of every answer but a 204', () => {
  const length = ['Content-Length', '7']
  for (const status of [200, 206, 304, 404])
    assert.deepEqual(responseHeaders(length, status), length)
  assert.deepEqual(responseHeaders(length, 204), [])
})

it('drops what any Connection header lists, whatever its case', () => {
  const connectionHeaders = ['connection', 'X-Hop, close', 'CONNECTION', 'x-Other']
  assert.deepEqual(
    responseHeaders(['x-hop', '1', 'X-OTHER', '2', 'X-Kept', '3', ...connectionHeaders], 200),
    [...['X-Kept', '3']],
  )
})
