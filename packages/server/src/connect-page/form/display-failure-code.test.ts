import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { displayFailureCode } from './display-failure-code.ts'
import { formFields } from './form-fields.ts'

describe('what is said of a refusal', () => {
  it('speaks of a key only where there is one, and no password', () => {
    const fields = (...names: string[]) =>
      formFields({
        properties: new Map(names.map((name) => [name, { type: 'string' }])),
        required: [],
        declaresRequired: true,
      })
    const displayedCode = (...names: string[]) =>
      displayFailureCode(fields(...names), 'invalid_credentials')
    assert.equal(displayedCode('api_key', 'subdomain'), 'invalid_credentials')
    for (const names of [['user', 'password'], ['user'], ['api_key', 'api_secret']])
      assert.equal(displayedCode(...names), 'credentials_rejected')
    assert.equal(displayFailureCode(fields('password'), 'wrong_host'), 'wrong_host')
  })
})
