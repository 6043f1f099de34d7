import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CircuitOpenError, EgressError } from '@linchpin/runner'
import { toProviderError } from './send-to-provider.ts'

for (const [code, expectedCode, status] of [
  ['timeout', 'provider_timeout', 504],
  ['refused', 'provider_error', 502],
  ['unreachable', 'provider_error', 502],
  ['too_large', 'provider_error', 502],
  ['aborted', 'provider_error', 502],
  ['egress_unavailable', 'egress_unavailable', 503],
] as const)
  it(`toProviderError converts ${code} to ${expectedCode} and keeps the address for the log`, () => {
    const cause = new EgressError(code, 'secret.internal (10.0.0.7, port 443) is private')
    const error = toProviderError(cause)
    assert.deepEqual([error.code, error.statusCode, error.cause], [expectedCode, status, cause])
    assert.doesNotMatch(error.message, /internal|10\.0/)
  })

it('toProviderError converts an open circuit to 503 circuit_open with Retry-After in seconds', () => {
  const error = toProviderError(new CircuitOpenError('secret.internal:443', 7_001))
  assert.deepEqual([error.code, error.statusCode], ['circuit_open', 503])
  assert.deepEqual(error.headers, { 'retry-after': '8' })
  assert.doesNotMatch(error.message, /internal/)
})
