// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hashSecret } from '../../../access/auth/access-token.ts'
import { buildOAuthType } from '../test/servers.ts'
import {
  buildAuthorizationUrl,
  deriveCodeChallenge,
  generateCodeVerifier,
  generateState,
} from './authorization-request.ts'

const origin = 'https://login.example.com'
const request = {
  clientId: 'client',
  redirectUri: 'https://here.example.com/api/v1/oauth/callback',
  scopes: [] as string[],
  state: 'the-state',
  codeChallenge: 'the-challenge',
  values: {},
}

function buildQuery(
  authFields: object,
  overrides: Partial<typeof request> & { readonly includesGranted?: boolean } = {},
): URLSearchParams {
  const type = buildOAuthType(origin, { ...authFields })
  return new URL(buildAuthorizationUrl({ ...request, ...overrides, type })).searchParams
}

describe('buildAuthorizationUrl', () => {
  it('requests a code with a PKCE S256 challenge', () => {
    assert.deepEqual(Object.fromEntries(buildQuery({})), {
      response_type: 'code',
      client_id: 'client',
      redirect_uri: request.redirectUri,
      state: 'the-state',
      code_challenge: 'the-challenge',
      code_challenge_method: 'S256',
    })
  })

  it('throws without a challenge when the type uses PKCE', () => {
    const type = buildOAuthType(origin)
    assert.throws(
      () => buildAuthorizationUrl({ ...request, type, codeChallenge: undefined }),
      TypeError,
    )
    assert.throws(() => buildAuthorizationUrl({ ...request, type, codeChallenge: '' }), TypeError)
  })

  it('omits the challenge when the spec disables PKCE', () => {
    assert.equal(buildQuery({ disable_pkce: true }).has('code_challenge'), false)
  })

  it('joins the scopes, whatever the parameters of the spec have', () => {
    const authFields = { scope_separator: ',', authorization_params: { scope: 'other' } }
    assert.equal(buildQuery(authFields, { scopes: ['read', 'write'] }).get('scope'), 'read,write')
    assert.equal(buildQuery({}).has('scope'), false)
  })

  it('asks for what was granted before, if only what is missing is requested', () => {
    assert.equal(buildQuery({}).has('include_granted_scopes'), false)
    const query = buildQuery({}, { includesGranted: true })
    assert.equal(query.get('include_granted_scopes'), 'true')
  })

  it('encodes a space as %20', () => {
    const type = buildOAuthType(origin)
    const scopes = ['a', 'b+c']
    assert.match(buildAuthorizationUrl({ ...request, scopes, type }), /scope=a%20b%2Bc/)
  })

  it('adds the parameters of the spec, filled from the config', () => {
    const authFields = {
      authorization_params: {
        access_type: 'offline',
        prompt: 'consent',
        tenant: 't-${tenant}',
        resource: ['r1', 'r2'],
      },
    }
    const requested = buildQuery(authFields, { values: { tenant: 'a&b' } })
    assert.equal(requested.get('access_type'), 'offline')
    assert.equal(requested.get('tenant'), 't-a&b')
    assert.deepEqual(requested.getAll('resource'), ['r1', 'r2'])
  })

  it('ignores parameters of the spec that would weaken the flow', () => {
    const names = [
      'state',
      'redirect_uri',
      'client_id',
      'code_challenge',
      'code_challenge_method',
      'State',
      'client_secret',
      'response_mode',
      'request',
      'request_uri',
    ]
    const maliciousParams = Object.fromEntries(names.map((name) => [name, 'evil']))
    const inUrl = new URLSearchParams(maliciousParams).toString()
    for (const authFields of [
      { authorization_params: maliciousParams },
      { authorization_url: `${origin}/a?${inUrl}&client_id=evil` },
    ]) {
      const requested = buildQuery(authFields)
      assert.equal(requested.get('state'), 'the-state')
      assert.equal(requested.get('code_challenge_method'), 'S256')
      for (const name of [
        'state',
        'redirect_uri',
        'client_id',
        'code_challenge',
        'response_mode',
        'request_uri',
      ]) {
        assert.ok(!requested.getAll(name).includes('evil'), name)
      }
    }
  })

  it('preserves the query of the URL and replaces repeated parameters', () => {
    const requested = buildQuery({
      authorization_url: `${origin}/authorize?audience=api&prompt=none`,
      authorization_params: { prompt: 'login' },
    })
    assert.equal(requested.get('audience'), 'api')
    assert.deepEqual(requested.getAll('prompt'), ['login'])
    assert.deepEqual(requested.getAll('response_type'), ['code'])
  })

  it('keeps a response type set by the spec', () => {
    assert.deepEqual(
      buildQuery({ authorization_params: { response_type: 'code id_token' } }).getAll(
        'response_type',
      ),
      ['code id_token'],
    )
  })
})

describe('PKCE and state generation', () => {
  it('generates 256 random bits', () => {
    const all = Array.from({ length: 200 }, () => [generateState(), generateCodeVerifier()]).flat()
    assert.equal(new Set(all).size, 400)
    for (const each of all) assert.match(each, /^[A-Za-z0-9_-]{43}$/)
  })

  it('derives the challenge of RFC 7636 appendix B', async () => {
    const challenge = await deriveCodeChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')
    assert.equal(challenge, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
  })

  it('hashes secrets with SHA-256', () => {
    const hex = Buffer.from(hashSecret('abc')).toString('hex')
    assert.equal(hex, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
