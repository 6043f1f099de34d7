import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFormFields } from './auth-method.ts'
import { getFailureMessageName } from './field-texts.ts'

describe('The message for refused credentials', () => {
  it('is about the key only for a form with a single key and no password', () => {
    const createFields = (...names: string[]) =>
      createFormFields({
        properties: new Map(names.map((name) => [name, { type: 'string' }])),
        required: [],
        declaresRequired: true,
      })
    const getDisplayedCode = (...names: string[]) =>
      getFailureMessageName(createFields(...names), 'credentials_rejected')
    assert.equal(getDisplayedCode('api_key', 'subdomain'), 'key_rejected')
    for (const names of [['user', 'password'], ['user'], ['api_key', 'api_secret']])
      assert.equal(getDisplayedCode(...names), 'credentials_rejected')
    assert.equal(getFailureMessageName(createFields('password'), 'wrong_host'), 'wrong_host')
    assert.equal(
      getFailureMessageName(createFields('token'), 'credentials_rejected'),
      'key_rejected',
    )
  })
})
