// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates use this syntax
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { defineFixtures, type Fixtures, type SignInFixture } from '../fixtures.ts'
import { reply } from '../reply.ts'
import { runIntegrationTest } from '../run-integration-test.ts'
import { startTestSandbox, type TestSandbox } from '../test-sandbox.ts'

const fixtures = defineFixtures({
  endpoint: 'GET https://api.acme.test/me',
  sends: 'Authorization: Bearer ${secret}',
  good: { id: 1 },
  identity: { id: '1', label: 'one' },
})
const documented: SignInFixture = {
  authorize: 'https://acme.test/authorize?scope=read,write&access_type=offline',
  token: 'https://acme.test/token',
  revocation: 'https://acme.test/revoke',
  offline: { access_type: 'offline' },
}

/** A bundle with a correct sign-in in its SPEC, unless overridden. */
const createBundle = (overrides: Readonly<Record<string, unknown>> = {}) => `
const spec = ${JSON.stringify({
  authorization_url: 'https://acme.test/authorize',
  token_url: 'https://acme.test/token',
  revocation_url: 'https://acme.test/revoke',
  default_scopes: ['read', 'write'],
  scope_separator: ',',
  authorization_params: { access_type: 'offline' },
  ...overrides,
})}
const hosts = ['api.acme.test']
module.exports = async (command, { config } = {}) => {
  if (command === 'SPEC') return { auth_specification: { OAuth2: spec }, 'x-hosts': hosts }
  const headers = { Authorization: 'Bearer ' + config.access_token }
  if (command === 'HEADERS') return headers
  if (command === 'IDENTITY') return { id: '1', label: 'one' }
  const { ok, status } = await fetch('https://api.acme.test/me', { headers })
  const codes = { 401: 'invalid_credentials', 403: 'insufficient_scope', 429: 'rate_limited' }
  const code = codes[status] ?? 'provider_unreachable'
  return ok ? { status: true } : { status: false, error: 'No.', code, retryable: status > 403 }
}`

describe('runSignInTest', () => {
  let sandbox: TestSandbox
  before(async () => {
    sandbox = await startTestSandbox()
  })
  after(() => sandbox.close())

  const runWith = (
    overrides: Readonly<Record<string, unknown>>,
    signIn?: SignInFixture,
    fixtureOverrides: Fixtures = fixtures,
  ) =>
    runIntegrationTest(sandbox, createBundle(overrides), {
      ...fixtureOverrides,
      ...(signIn && { signIn }),
    })
  const signInErrors = async (
    overrides: Readonly<Record<string, unknown>>,
    signIn: SignInFixture = documented,
  ) =>
    (await runWith(overrides, signIn)).flatMap(({ title, errors }) =>
      errors.map((error) => `${title.replace('OAuth2: ', '')}: ${error}`),
    )

  it('tests what the provider documents: granted, denied, expired, rotated, revoked', async () => {
    const results = await runWith({}, documented)
    assert.deepEqual(
      results.slice(-5).map(({ title }) => title),
      [
        'OAuth2: signs in',
        'OAuth2: reports a denial',
        'OAuth2: refreshes expired tokens',
        'OAuth2: stores the current refresh token',
        'OAuth2: revokes the tokens of a deleted account',
      ],
    )
    assert.deepEqual(
      results.filter(({ errors, skipReason }) => errors.length > 0 || skipReason),
      [],
    )
  })

  it('tests a spec against itself if the fixtures document nothing', async () => {
    const skipped = (await runWith({})).filter(({ skipReason }) => skipReason)
    assert.match(skipped.map(({ skipReason }) => skipReason).join(), /^The fixtures lack signIn/)
  })

  for (const [description, overrides, message] of [
    ['a wrong separator', { scope_separator: ' ' }, /scope "read write", not "read,write"/],
    ['a missing scope', { default_scopes: ['read'] }, /scope "read", not "read,write"/],
    ['a missing parameter', { authorization_params: {} }, /access_type missing/],
    [
      'another token URL',
      { token_url: 'https://acme.test/tokens' },
      /requested POST .*\/tokens, which/,
    ],
    [
      'another authorization URL',
      { authorization_url: 'https://acme.test/login' },
      /requested GET .*\/login\?.*which/,
    ],
    ['an undocumented revocation', { revocation_url: undefined }, /set revocationUrl/],
    [
      'another revocation URL',
      { revocation_url: 'https://acme.test/end' },
      /requested POST .*\/end/,
    ],
    ['another refresh URL', { refresh_url: 'https://acme.test/again' }, /requested POST .*\/again/],
  ] as const)
    it(`finds ${description}`, async () => {
      assert.match((await signInErrors(overrides)).join('\n'), message)
    })

  for (const [description, overrides, signIn, message] of [
    ['PKCE that the provider rejects', {}, { pkce: 'refused' }, /rejects PKCE: set pkce: false/],
    [
      'missing PKCE that the provider requires',
      { disable_pkce: true },
      { pkce: 'required' },
      /requires PKCE/,
    ],
    ['a form instead of JSON', {}, { bodyFormat: 'json' }, /as json: set bodyFormat/],
    ['JSON instead of a form', { body_format: 'json' }, { bodyFormat: 'form' }, /as form/],
    ['a secret in the body', {}, { clientAuthentication: 'header' }, /secret in the header/],
    [
      'a secret in the header',
      { token_request_auth_method: 'header' },
      { clientAuthentication: 'body' },
      /secret in the body/,
    ],
    [
      'a missing parameter of the code exchange',
      {},
      { tokenParams: { audience: 'a' } },
      /audience "undefined"/,
    ],
    [
      'a missing parameter of a refresh',
      {},
      { refreshParams: { audience: 'a' } },
      /audience "undefined"/,
    ],
  ] as const)
    it(`finds ${description}`, async () => {
      const errors = await signInErrors(overrides, { ...documented, ...signIn })
      assert.match(errors.join('\n'), message)
    })

  it('compares a revocation that does not follow RFC 7009 with the documented one', async () => {
    const url = 'https://acme.test/apps/${client_id}/grant'
    const right = {
      ...{
        method: 'DELETE',
        url,
        auth_method: 'header',
        json: { access_token: '${access_token}' },
      },
      match: { revoked: true },
    }
    const revocation = {
      endpoint: `DELETE ${url}`,
      sends: 'Authorization: Basic ${client_id}:${client_secret}',
      json: { access_token: '${token}' },
      good: { revoked: true },
    }
    const check = (
      requests: readonly object[],
      document: SignInFixture['revocation'] = revocation,
    ) =>
      signInErrors(
        { revocation_url: undefined, 'x-revocation': requests },
        { ...documented, revocation: document },
      )
    assert.deepEqual(await check([right]), [])
    assert.deepEqual(await check([{ ...right, status: [204, 200] }]), [])
    for (const [wrong, message] of [
      [{ ...right, auth_method: 'body' }, /does not send the expected header Authorization/],
      [{ ...right, json: { token: '${access_token}' } }, /another body than the documented one/],
      [{ ...right, json: undefined, form: right.json }, /another body than the documented one/],
      [{ ...right, method: 'POST' }, /requested POST .*grant, which/],
      [{ ...right, match: { revoked: 'yes' } }, /did not confirm the revocation/],
      [{ ...right, status: 201 }, /did not confirm the revocation/],
    ] as const)
      assert.match((await check([wrong])).join(), message)
    assert.match(
      (await signInErrors({ revocation_url: undefined }, { ...documented, revocation })).join(),
      /the provider has the revocation DELETE .*: set revocation$/,
    )
    const other = { ...revocation, endpoint: 'POST https://acme.test/other', status: 400 }
    const both = [{ ...right, method: undefined, url: 'https://acme.test/other' }, right]
    assert.deepEqual(await check(both, [other, revocation]), [], 'one of two is enough')
  })

  it('finds missing offline access: no refresh token is issued', async () => {
    const authorize = 'https://acme.test/authorize'
    const errors = await signInErrors({ authorization_params: {} }, { ...documented, authorize })
    assert.deepEqual(errors, [
      'signs in: no refresh token was issued: add {"access_type":"offline"} to the authorization request',
    ])
    const scope = { ...documented, authorize, offline: { scope: 'write' } }
    assert.deepEqual(await signInErrors({}, scope), [])
  })

  it('accepts every variant that a spec can declare and a provider can require', async () => {
    const serialized = {
      disable_pkce: 'true',
      body_format: 'json',
      authorization_method: 'header',
      scope_separator: undefined,
      scope_seperator: ',',
      refresh_url: 'https://acme.test/again',
      token_params: { audience: 'a' },
      refresh_params: { audience: 'b' },
      pushed_authorization_request_url: 'https://acme.test/par',
    }
    const expected = {
      pkce: 'refused',
      bodyFormat: 'json',
      clientAuthentication: 'header',
      refresh: 'https://acme.test/again',
      tokenParams: { audience: 'a' },
      refreshParams: { audience: 'b' },
    } as const
    assert.deepEqual(await signInErrors(serialized, { ...documented, ...expected }), [])
  })

  it('parses the token responses of real providers, and keeps a refresh token that is not rotated', async () => {
    const form = 'access_token=${access_token}&refresh_token=${refresh_token}'
    const wrapped = { ok: true, data: { accessToken: '${access_token}' } }
    assert.deepEqual(await signInErrors({}, { ...documented, good: reply(200, form) }), [])
    assert.deepEqual(await signInErrors({}, { ...documented, refreshed: wrapped }), [])
    const none = await signInErrors({}, { ...documented, good: { token: 'x' } })
    assert.match(none.join(), /returned no access token/)
  })

  it('explains why nothing is refreshed if no refresh token is documented', async () => {
    const { offline: _, ...otherFields } = documented
    const good = { access_token: '${access_token}' }
    const results = await runWith({}, { ...otherFields, good })
    const skipped = results.flatMap(({ skipReason }) => skipReason ?? [])
    assert.deepEqual(skipped, Array(2).fill('Sign-in returns no refresh token.'))
  })

  it('finds a bundle that does not report an expired token', async () => {
    const bundleIgnoringStatus = createBundle().replace('return ok ?', 'return status < 402 ?')
    const results = await runIntegrationTest(sandbox, bundleIgnoringStatus, {
      ...fixtures,
      signIn: documented,
    })
    const listErrorTitles = results
      .filter(({ errors }) => errors.length > 0)
      .map(({ title }) => title)
    assert.ok(listErrorTitles.includes('OAuth2: refreshes expired tokens'), listErrorTitles.join())
    assert.ok(
      listErrorTitles.includes('OAuth2: revokes the tokens of a deleted account'),
      listErrorTitles.join(),
    )
  })

  it('passes parameters of the token response and of the redirect to a bundle, and nothing else', async () => {
    const input_specification = { properties: { realm: { type: 'string', title: 'Realm' } } }
    const code = createBundle({ callback_params: ['realm'], input_specification }).replace(
      "fetch('https://api.acme.test/me'",
      "fetch(config.instance_url + '/me?realm=' + config.realm",
    )
    const config = { instance_url: 'https://api.acme.test', realm: 'r-1' }
    const fixtureOverrides = {
      ...fixtures,
      endpoint: 'GET ${instance_url}/me?realm=${realm}',
      config,
    }
    const listErrorTitles = async (signIn: SignInFixture) =>
      (await runIntegrationTest(sandbox, code, { ...fixtureOverrides, signIn })).filter(
        ({ errors }) => errors.length > 0,
      )
    assert.deepEqual(await listErrorTitles(documented), [])
    const good = { access_token: '${access_token}', refresh_token: '${refresh_token}' }
    const first = (await listErrorTitles({ ...documented, good }))[0]
    assert.equal(first?.title, 'OAuth2: signs in', 'the token response contains no instance_url')
    assert.notDeepEqual(
      await listErrorTitles({ ...documented, callback: {} }),
      [],
      'the realm is missing',
    )
  })
})
