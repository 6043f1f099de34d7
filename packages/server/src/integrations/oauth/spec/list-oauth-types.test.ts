import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getDefaultOAuthType, listOAuthTypes } from './parse-oauth-type.ts'

const urls = { authorization_url: 'https://a.example/o', token_url: 'https://a.example/t' }

describe('oauthTypes', () => {
  it('returns the named OAuth types in the order of the spec', () => {
    const named = listOAuthTypes({
      auth_specification: { Other: urls, 'Api Key': {}, OAuth2: urls },
    })
    assert.deepEqual(
      named.map(({ authType }) => authType),
      ['Other', 'OAuth2'],
    )
  })
})

describe('defaultOAuthType', () => {
  it('returns OAuth2 if it exists, otherwise the first OAuth type, otherwise undefined', () => {
    for (const [types, expected] of [
      [{ Other: urls, OAuth2: urls }, 'OAuth2'],
      [{ 'Api Key': {}, Other: urls, Third: urls }, 'Other'],
      [{ 'Api Key': {}, OAuth2: {} }, undefined],
    ] as const) {
      assert.equal(getDefaultOAuthType({ auth_specification: types })?.authType, expected)
    }
  })
})
