import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defaultOAuthType, oauthTypes } from './oauth-types.ts'

const urls = { authorization_url: 'https://a.example/o', token_url: 'https://a.example/t' }

describe('oauthTypes', () => {
  it('has those with sign-in, under their names, in the order of the spec', () => {
    const named = oauthTypes({ auth_specification: { Other: urls, 'Api Key': {}, OAuth2: urls } })
    assert.deepEqual(
      named.map(({ authType }) => authType),
      ['Other', 'OAuth2'],
    )
  })
})

describe('usualOAuthType', () => {
  it('is OAuth2 where there is one, else the first with sign-in, else none', () => {
    for (const [types, expected] of [
      [{ Other: urls, OAuth2: urls }, 'OAuth2'],
      [{ 'Api Key': {}, Other: urls, Third: urls }, 'Other'],
      [{ 'Api Key': {}, OAuth2: {} }, undefined],
    ] as const) {
      assert.equal(defaultOAuthType({ auth_specification: types })?.authType, expected)
    }
  })
})
