import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RunnerError } from '@linchpin/runner'
import {
  CredentialsRejectedError,
  DEFAULT_REJECTION_MESSAGE,
} from '../../../accounts/accounts/verification/run-check.ts'
import { ApiError } from '../../../platform/errors.ts'
import { bundleMessage, isServerError, toFailure } from './rejected-form.ts'

describe('bundleMessage', () => {
  it('returns the hint, else the error', () => {
    assert.equal(bundleMessage({ error: 'no', hint: 'Do this.' }), 'Do this.')
    assert.equal(bundleMessage({ error: ' Your plan has no access. ' }), 'Your plan has no access.')
    for (const text of ['Error-prone keys are refused.', 'Éxito: no', 'Enter the EU region', '40'])
      assert.equal(bundleMessage({ error: text }), text)
  })

  it('returns undefined for technical messages', () => {
    for (const text of [
      ...[
        '',
        ' ',
        DEFAULT_REJECTION_MESSAGE,
        'Request failed with status code 401',
        'Network Error',
      ],
      ...['AxiosError: x', 'TypeError: fetch failed', 'getaddrinfo ENOTFOUND api.example.com'],
      ...['{"message":"Unauthorized"}', '<html>', '[object Object]', '401', 'undefined'],
    ])
      assert.equal(bundleMessage({ error: text }), undefined, text)
  })
})

describe('toFailure', () => {
  const toCheckFailure = (overrides: object) =>
    toFailure(new CredentialsRejectedError({ status: false, error: 'said', ...overrides }))

  it("keeps an integration's code that has a message, else uses credentials_rejected", () => {
    assert.equal(toCheckFailure({ code: 'wrong_host' }).code, 'wrong_host')
    for (const code of [undefined, 'E42', 'link_expired', 'access_denied', '__proto__'])
      assert.equal(
        toCheckFailure({ ...(code === undefined ? {} : { code }) }).code,
        'credentials_rejected',
      )
  })

  it('prefers the hint to the error text', () => {
    assert.equal(toCheckFailure({ hint: 'do this' }).hint, 'do this')
    assert.equal(toCheckFailure({}).hint, 'said')
  })

  it('keeps the field errors', () => {
    const errors = { 'config.a': [{ code: 'required', message: '' }] }
    const failure = toFailure(new ApiError('validation_failed', '', { errors }))
    assert.deepEqual(failure.errors, errors)
  })

  it('treats only status 500 as a server error', () => {
    assert.equal(isServerError(toFailure(new TypeError('a bug'))), true)
    assert.equal(isServerError(toFailure(new RunnerError('overloaded', 'too many'))), false)
    assert.equal(isServerError(toFailure(new RunnerError('integration_failed', 'it broke'))), false)
    assert.equal(isServerError(toFailure(new ApiError('provider_timeout', ''))), false)
  })
})
