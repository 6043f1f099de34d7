import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getDefaultOAuthType, parseOAuthType } from '../oauth/spec/parse-oauth-type.ts'
import { compareScopes, describeAuthorizationRequest, predictRefresh } from './oauth-app-checks.ts'

/** The OAuth type of a spec with these fields. */
function parseTypeWith(authFields: object = {}) {
  const OAuth2 = { authorization_url: 'https://a.example/o', token_url: 'https://a.example/t' }
  const auth_specification = { OAuth2: { ...OAuth2, ...authFields } }
  const namedType = getDefaultOAuthType({ auth_specification })
  assert.ok(namedType)
  return namedType
}

const adding = (scopes: readonly string[]) => ({ scopes, scopesMode: 'add' as const })

describe('compareScopes', () => {
  for (const [title, spec, app, missing, extra, status] of [
    ['no scopes', [], [], [], [], 'ok'],
    ['an app without scopes', ['a', 'b'], [], [], [], 'ok'],
    ['the same scopes in another order', ['a', 'b'], ['b', 'a'], [], [], 'ok'],
    ['a missing scope', ['a', 'b'], ['a'], ['b'], [], 'warning'],
    ['an extra scope', ['a'], ['a', 'c'], [], ['c'], 'warning'],
    ['both', ['a', 'b'], ['c'], ['a', 'b'], ['c'], 'warning'],
  ] as const)
    it(`returns ${status} for ${title}`, () => {
      const { type } = parseTypeWith({ default_scopes: spec })
      const { scopes, check } = compareScopes(type, adding(app))
      assert.deepEqual(scopes, { spec, app, missing, extra })
      assert.equal(check.status, status)
    })

  it('lists all requested scopes without duplicates', () => {
    const { type } = parseTypeWith({ default_scopes: ['a', 'b'] })
    const { message } = compareScopes(type, adding(['b', 'c'])).check
    assert.match(message, /of the app: a, b, c\. Allow all of them/)
  })

  it('says what is requested in place of the scopes of the spec', () => {
    const { type } = parseTypeWith({ default_scopes: ['a', 'b'], 'x-required-scopes': ['b'] })
    const { check } = compareScopes(type, { scopes: ['c'], scopesMode: 'replace' })
    assert.equal(check.status, 'ok')
    assert.match(check.message, /what the integration requires: c, b\. Allow/)
  })

  it('includes scopes in the parameters of the spec', () => {
    const { type } = parseTypeWith({
      authorization_params: { scope: 'a,b' },
      scope_separator: ',',
      default_scopes: ['b'],
    })
    assert.deepEqual(compareScopes(type, adding([])).scopes.spec, ['b', 'a'])
  })
})

describe('predictRefresh', () => {
  const offline = { access_type: 'offline' }
  for (const [status, title, authFields, app] of [
    ['warning', 'nothing', {}, []],
    ['warning', 'unrelated scopes', { default_scopes: ['read'] }, ['write']],
    [
      'warning',
      'a parameter with another value',
      { authorization_params: { access_type: 'online' } },
      [],
    ],
    [
      'warning',
      'access_type=offline without prompt=consent',
      { authorization_params: offline },
      [],
    ],
    [
      'ok',
      'access_type=offline with prompt=consent',
      { authorization_params: { ...offline, prompt: 'select_account consent' } },
      [],
    ],
    [
      'ok',
      'token_access_type=offline',
      { authorization_params: { token_access_type: 'offline' } },
      [],
    ],
    [
      'ok',
      'duration=permanent in the URL',
      { authorization_url: 'https://a.example/o?duration=permanent' },
      [],
    ],
    ['ok', 'offline_access in the spec', { default_scopes: ['offline_access'] }, []],
    ['ok', 'offline.access in the app', {}, ['offline.access']],
    ['ok', 'x-refresh: always', { 'x-refresh': 'always' }, []],
    ['warning', 'an invalid x-refresh', { 'x-refresh': true }, []],
  ] as const)
    it(`returns ${status} for ${title}`, () => {
      assert.equal(predictRefresh(parseTypeWith(authFields).type, adding(app)).status, status)
    })
})

function predict(auth: object) {
  const OAuth2 = { authorization_url: 'https://a.test/a', token_url: 'https://a.test/t', ...auth }
  const type = parseOAuthType({ auth_specification: { OAuth2 } }, 'OAuth2')
  assert.ok(type)
  return describeAuthorizationRequest(type)
}

describe('predictConsent', () => {
  it('returns ok if the browser sends the request', () => {
    assert.deepEqual(predict({}), {
      name: 'authorization_request',
      status: 'ok',
      message: 'The browser sends the authorization request.',
    })
  })

  it('returns unknown if the request is pushed', () => {
    const { status, message } = predict({ pushed_authorization_request_url: 'https://a.test/par' })
    assert.equal(status, 'unknown')
    assert.match(message, /pushed to the provider\. Only a connection attempt shows/)
  })

  it('lists the stored callback parameters', () => {
    assert.match(predict({ callback_params: ['realmId', 'shop'] }).message, /: realmId, shop\.$/)
  })
})
