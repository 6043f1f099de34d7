import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFormFields } from './create-form-fields.ts'
import { getDisplayFailureCode } from './field-messages.ts'

describe('displayFailureCode', () => {
  it('is invalid_credentials only for a form with a single key and no password', () => {
    const createFields = (...names: string[]) =>
      createFormFields({
        properties: new Map(names.map((name) => [name, { type: 'string' }])),
        required: [],
        declaresRequired: true,
      })
    const getDisplayedCode = (...names: string[]) =>
      getDisplayFailureCode(createFields(...names), 'invalid_credentials')
    assert.equal(getDisplayedCode('api_key', 'subdomain'), 'invalid_credentials')
    for (const names of [['user', 'password'], ['user'], ['api_key', 'api_secret']])
      assert.equal(getDisplayedCode(...names), 'credentials_rejected')
    assert.equal(getDisplayFailureCode(createFields('password'), 'wrong_host'), 'wrong_host')
    assert.equal(
      getDisplayFailureCode(createFields('token'), 'credentials_rejected'),
      'invalid_credentials',
    )
  })
})
