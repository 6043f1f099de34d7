import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFormFields } from './create-form-fields.ts'
import { getDisplayFailureCode } from './field-messages.ts'

describe('displayFailureCode', () => {
  it('is invalid_credentials only for a form with a single key and no password', () => {
    const fields = (...names: string[]) =>
      createFormFields({
        properties: new Map(names.map((name) => [name, { type: 'string' }])),
        required: [],
        declaresRequired: true,
      })
    const displayedCode = (...names: string[]) =>
      getDisplayFailureCode(fields(...names), 'invalid_credentials')
    assert.equal(displayedCode('api_key', 'subdomain'), 'invalid_credentials')
    for (const names of [['user', 'password'], ['user'], ['api_key', 'api_secret']])
      assert.equal(displayedCode(...names), 'credentials_rejected')
    assert.equal(getDisplayFailureCode(fields('password'), 'wrong_host'), 'wrong_host')
    assert.equal(
      getDisplayFailureCode(fields('token'), 'credentials_rejected'),
      'invalid_credentials',
    )
  })
})
