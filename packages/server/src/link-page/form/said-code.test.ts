import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formFields } from './form-fields.ts'
import { saidCode } from './said-code.ts'

describe('what is said of a refusal', () => {
  it('speaks of a key only where there is one, and no password', () => {
    const fields = (...names: string[]) =>
      formFields({
        properties: new Map(names.map((name) => [name, { type: 'string' }])),
        required: [],
        tellsRequired: true,
      })
    const said = (...names: string[]) => saidCode(fields(...names), 'invalid_credentials')
    assert.equal(said('api_key', 'subdomain'), 'invalid_credentials')
    for (const names of [['user', 'password'], ['user'], ['api_key', 'api_secret']])
      assert.equal(said(...names), 'credentials_rejected')
    assert.equal(saidCode(fields('password'), 'wrong_host'), 'wrong_host')
  })
})
