import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Spec } from '@linchpin/runner'
import { buildOAuthType } from '../test/servers.ts'
import { parseOAuthType } from './parse-oauth-type.ts'

const origin = 'https://login.example.com'

describe('parseOAuthType', () => {
  it('applies the defaults', () => {
    const { templateFields, ...type } = buildOAuthType(origin)
    assert.deepEqual(type, {
      authorizationUrl: `${origin}/authorize`,
      tokenUrl: `${origin}/token`,
      refreshUrl: `${origin}/token`,
      revocation: [],
      pushedRequestUrl: undefined,
      authorizationParams: [],
      tokenParams: [],
      refreshParams: [],
      defaultScopes: [],
      scopeSeparator: ' ',
      grantedScopes: { implied: {}, unreported: [] },
      requiredScopes: [],
      isIncremental: false,
      authorizationMethod: 'body',
      bodyFormat: 'form',
      usesPkce: true,
      issuer: undefined,
      alwaysIssuesRefreshTokens: false,
      revokes: undefined,
      refreshErrors: [],
      exchanges: undefined,
      paramNames: {},
      redirectName: undefined,
      callbackParams: [],
      hosts: undefined,
      discoveredFrom: undefined,
    })
    assert.equal(templateFields.host.size + templateFields.url.size, 0)
  })

  it('returns undefined for a type that is missing, inherited or lacks one of the URLs', () => {
    const spec: Spec = {
      auth_specification: {
        Key: {},
        Half: { token_url: origin },
        Blank: { token_url: ' ', authorization_url: origin },
      },
    }
    for (const name of ['Key', 'Half', 'Blank', 'None', 'constructor', '__proto__', 'toString']) {
      assert.equal(parseOAuthType(spec, name), undefined, name)
    }
  })

  it('parses the pushed authorization request endpoint and the callback parameters', () => {
    const type = buildOAuthType(origin, {
      pushed_authorization_request_url: ` ${origin}/par `,
      callback_params: ['realmId', ' ', 7],
    })
    assert.equal(type.pushedRequestUrl, `${origin}/par`)
    assert.deepEqual(type.callbackParams, ['realmId'])
  })

  it('accepts both spellings of scope_separator and prefers the correct one', () => {
    assert.equal(buildOAuthType(origin, { scope_seperator: ',' }).scopeSeparator, ',')
    assert.equal(
      buildOAuthType(origin, { scope_seperator: ',', scope_separator: '+' }).scopeSeparator,
      '+',
    )
    assert.equal(buildOAuthType(origin, { scope_separator: '' }).scopeSeparator, ' ')
  })

  it('parses the client authentication method from either field', () => {
    const method = (authFields: object): string =>
      buildOAuthType(origin, { ...authFields }).authorizationMethod
    assert.equal(method({ authorization_method: 'header' }), 'header')
    assert.equal(method({ authorization_method: 'Header' }), 'header')
    assert.equal(method({ token_request_auth_method: 'basic' }), 'header')
    assert.equal(
      method({ token_request_auth_method: 'custom', authorization_method: 'header' }),
      'header',
    )
    assert.equal(
      method({ token_request_auth_method: 'body', authorization_method: 'header' }),
      'body',
    )
    assert.equal(method({ authorization_method: 'magic' }), 'body')
    assert.equal(method({ authorization_method: 7 }), 'body')
  })

  it('converts parameter values to text, lists to repeated names, objects to JSON', () => {
    const { authorizationParams } = buildOAuthType(origin, {
      authorization_params: {
        a: 1,
        b: true,
        c: 'x',
        d: null,
        resource: ['r1', 'r2'],
        claims: { id: 1 },
        e: '',
      },
    })
    assert.deepEqual(authorizationParams, [
      ['a', '1'],
      ['b', 'true'],
      ['c', 'x'],
      ['resource', 'r1'],
      ['resource', 'r2'],
      ['claims', '{"id":1}'],
      ['e', ''],
    ])
    for (const invalid of [null, 'a=b', 7, ['x']]) {
      assert.deepEqual(buildOAuthType(origin, { token_params: invalid }).tokenParams, [])
    }
  })

  it('disables PKCE only if the spec says so', () => {
    for (const value of [true, 'true'])
      assert.equal(buildOAuthType(origin, { disable_pkce: value }).usesPkce, false)
    for (const value of [false, 'false', undefined, null, 0, 1, 'no']) {
      assert.equal(buildOAuthType(origin, { disable_pkce: value }).usesPkce, true)
    }
  })

  it('allows only constrained fields in the host or at the start of a URL', () => {
    const spec: Spec = {
      auth_specification: {
        OAuth2: {
          authorization_url: origin,
          token_url: origin,
          input_specification: {
            properties: {
              free: { type: 'string' },
              shop: { pattern: '^[a-z]+$' },
              base: { format: 'uri' },
            },
          },
        },
      },
      other_inputs: {
        input_specification: { properties: { region: { enum: ['eu', 'us'], default: 'eu' } } },
      },
      'x-hosts': ['*.example.com'],
    }
    const type = parseOAuthType(spec, 'OAuth2')
    assert.deepEqual([...(type?.templateFields.host ?? [])], ['shop', 'region'])
    assert.deepEqual([...(type?.templateFields.url ?? [])], ['shop', 'base', 'region'])
    assert.deepEqual(type?.templateFields.defaults, { region: 'eu' })
    assert.deepEqual(type?.hosts, ['*.example.com'])
  })
})
