import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RunnerError } from '@linchpin/runner'
import { CredentialsRejected } from '../../account/check/credentials-rejected.ts'
import { ApiError } from '../../errors.ts'
import { countedCode, failureOf, isOurFault } from './failed-form.ts'

describe('failureOf', () => {
  const verdict = (more: object) =>
    failureOf(new CredentialsRejected({ status: false, error: 'said', ...more }))

  it("takes over the integration's own code where there are words for it, else the general one", () => {
    assert.equal(verdict({ code: 'wrong_host' }).code, 'wrong_host')
    for (const code of [undefined, 'E42', 'link_expired', 'access_denied', '__proto__'])
      assert.equal(
        verdict({ ...(code === undefined ? {} : { code }) }).code,
        'credentials_rejected',
      )
  })

  it('prefers the hint to what was said otherwise', () => {
    assert.equal(verdict({ hint: 'do this' }).hint, 'do this')
    assert.equal(verdict({}).hint, 'said')
  })

  it('keeps which fields were wrong', () => {
    const errors = { 'config.a': [{ code: 'required', message: '' }] }
    const failure = failureOf(new ApiError('validation_failed', '', { errors }))
    assert.deepEqual(failure.errors, errors)
  })

  it('counts under codes of the documents only', () => {
    assert.equal(countedCode(verdict({ code: 'wrong_host' })), 'credentials_rejected')
    assert.equal(countedCode({ code: 'link_full' }), 'link_full')
  })

  it('leaves to the operator only what nobody else can do anything about', () => {
    assert.equal(isOurFault(failureOf(new TypeError('a bug'))), true)
    assert.equal(isOurFault(failureOf(new RunnerError('overloaded', 'too many'))), false)
    assert.equal(isOurFault(failureOf(new RunnerError('integration_failed', 'it broke'))), false)
    assert.equal(isOurFault(failureOf(new ApiError('provider_timeout', ''))), false)
  })
})
