import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CircuitOpenError, GateError } from '@linchpin/runner'
import { providerFailure } from './provider-failure.ts'

for (const [code, told, status] of [
  ['timeout', 'provider_timeout', 504],
  ['refused', 'provider_error', 502],
  ['unreachable', 'provider_error', 502],
  ['too_large', 'provider_error', 502],
  ['aborted', 'provider_error', 502],
] as const)
  it(`tells ${code} as ${told}, and keeps the address for the log`, () => {
    const cause = new GateError(code, 'secret.internal (10.0.0.7, port 443) is private')
    const error = providerFailure(cause)
    assert.deepEqual([error.code, error.statusCode, error.cause], [told, status, cause])
    assert.doesNotMatch(error.message, /internal|10\.0/)
  })

it('an open circuit is 503 circuit_open, with the seconds to wait in Retry-After', () => {
  const error = providerFailure(new CircuitOpenError('secret.internal:443', 7_001))
  assert.deepEqual([error.code, error.statusCode], ['circuit_open', 503])
  assert.deepEqual(error.headers, { 'retry-after': '8' })
  assert.doesNotMatch(error.message, /internal/)
})
