import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseOAuthType } from '../../oauth/spec/parse-oauth-type.ts'
import { predictConsent } from './predict-consent.ts'

function predict(auth: object) {
  const OAuth2 = { authorization_url: 'https://a.test/a', token_url: 'https://a.test/t', ...auth }
  const type = parseOAuthType({ auth_specification: { OAuth2 } }, 'OAuth2')
  assert.ok(type)
  return predictConsent(type)
}

describe('foreseeConsent', () => {
  it('is content when the browser carries the request', () => {
    assert.deepEqual(predict({}), {
      name: 'authorization_request',
      status: 'ok',
      message: 'The browser carries the request for consent.',
    })
  })

  it('says that the request will be pushed, and that nobody has tried it', () => {
    const { status, message } = predict({ pushed_authorization_request_url: 'https://a.test/par' })
    assert.equal(status, 'unknown')
    assert.match(message, /pushed to the provider first\. Only a connection shows/)
  })

  it('names what will be kept of the way back', () => {
    assert.match(predict({ callback_params: ['realmId', 'shop'] }).message, /: realmId, shop\.$/)
  })
})
