import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defaultOAuthType } from '../../oauth/spec/oauth-types.ts'
import { compareScopes } from './compare-scopes.ts'
import { predictRefresh } from './predict-refresh.ts'

/** The OAuth side of a spec with these fields. */
function oauthTypeWith(authFields: object = {}) {
  const OAuth2 = { authorization_url: 'https://a.example/o', token_url: 'https://a.example/t' }
  const auth_specification = { OAuth2: { ...OAuth2, ...authFields } }
  const namedType = defaultOAuthType({ auth_specification })
  assert.ok(namedType)
  return namedType
}

describe('compareScopes', () => {
  for (const [title, spec, app, missing, extra, status] of [
    ['no scopes anywhere', [], [], [], [], 'ok'],
    ['an app that names none', ['a', 'b'], [], [], [], 'ok'],
    ['the same in another order', ['a', 'b'], ['b', 'a'], [], [], 'ok'],
    ['one left out', ['a', 'b'], ['a'], ['b'], [], 'warning'],
    ['one too many', ['a'], ['a', 'c'], [], ['c'], 'warning'],
    ['both', ['a', 'b'], ['c'], ['a', 'b'], ['c'], 'warning'],
  ] as const)
    it(`answers ${status} for ${title}`, () => {
      const { type } = oauthTypeWith({ default_scopes: spec })
      const { scopes, check } = compareScopes(type, app)
      assert.deepEqual(scopes, { spec, app, missing, extra })
      assert.equal(check.status, status)
    })

  it('names all that connections ask for, each once', () => {
    const { type } = oauthTypeWith({ default_scopes: ['a', 'b'] })
    const { message } = compareScopes(type, ['b', 'c']).check
    assert.match(message, /together: a, b, c\. The provider must allow them all/)
  })

  it('counts scopes that stand among the parameters', () => {
    const { type } = oauthTypeWith({
      authorization_params: { scope: 'a,b' },
      scope_separator: ',',
      default_scopes: ['b'],
    })
    assert.deepEqual(compareScopes(type, []).scopes.spec, ['b', 'a'])
  })
})

describe('foreseeRefresh', () => {
  const offline = { access_type: 'offline' }
  for (const [status, title, authFields, app] of [
    ['warning', 'nothing', {}, []],
    ['warning', 'scopes that say nothing of it', { default_scopes: ['read'] }, ['write']],
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
      'access_type=offline with it',
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
    ['ok', 'a spec that says so', { 'x-refresh': 'always' }, []],
    ['warning', 'a spec that says something else', { 'x-refresh': true }, []],
  ] as const)
    it(`answers ${status} for ${title}`, () => {
      assert.equal(predictRefresh(oauthTypeWith(authFields).type, app).status, status)
    })
})
