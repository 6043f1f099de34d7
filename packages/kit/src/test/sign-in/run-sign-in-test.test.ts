import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { defineFixtures, type Fixtures, type SignInFixture } from '../fixtures.ts'
import { type Jail, startJail } from '../jail.ts'
import { reply } from '../reply.ts'
import { runIntegrationTest } from '../run-integration-test.ts'

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

/** A bundle whose SPEC says everything right about sign-in, unless told otherwise. */
const bundle = (more: Readonly<Record<string, unknown>> = {}) => `
const spec = ${JSON.stringify({
  authorization_url: 'https://acme.test/authorize',
  token_url: 'https://acme.test/token',
  revocation_url: 'https://acme.test/revoke',
  default_scopes: ['read', 'write'],
  scope_separator: ',',
  authorization_params: { access_type: 'offline' },
  ...more,
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

describe('trying sign-in', () => {
  let jail: Jail
  before(async () => {
    jail = await startJail()
  })
  after(() => jail.close())

  const runWith = (
    more: Readonly<Record<string, unknown>>,
    signIn?: SignInFixture,
    fixtureOverrides: Fixtures = fixtures,
  ) => runIntegrationTest(jail, bundle(more), { ...fixtureOverrides, ...(signIn && { signIn }) })
  const signInErrors = async (
    more: Readonly<Record<string, unknown>>,
    signIn: SignInFixture = documented,
  ) =>
    (await runWith(more, signIn)).flatMap(({ title, errors }) =>
      errors.map((error) => `${title.replace('OAuth2: ', '')}: ${error}`),
    )

  it('walks what the provider documents: let in, denied, expired, rotated, revoked', async () => {
    const results = await runWith({}, documented)
    assert.deepEqual(
      results.slice(-5).map(({ title }) => title),
      [
        'OAuth2: signs in',
        'OAuth2: is told when the person says no',
        'OAuth2: renews what has expired',
        'OAuth2: keeps the refresh token that is valid now',
        'OAuth2: revokes when an account is deleted',
      ],
    )
    assert.deepEqual(
      results.filter(({ errors, never }) => errors.length > 0 || never),
      [],
    )
  })

  it('says that a spec agrees with itself when the fixtures document nothing', async () => {
    const skipped = (await runWith({})).filter(({ never }) => never)
    assert.match(skipped.map(({ never }) => never).join(), /^The fixtures lack signIn/)
  })

  for (const [description, more, message] of [
    ['a wrong separator', { scope_separator: ' ' }, /scope "read write", not "read,write"/],
    ['a scope too few', { default_scopes: ['read'] }, /scope "read", not "read,write"/],
    ['a parameter that is missing', { authorization_params: {} }, /access_type missing/],
    [
      'another token URL',
      { token_url: 'https://acme.test/tokens' },
      /asked POST .*\/tokens, which/,
    ],
    [
      'another page',
      { authorization_url: 'https://acme.test/login' },
      /asked GET .*\/login\?.*which/,
    ],
    ['a revocation that nobody makes', { revocation_url: undefined }, /say revocationUrl/],
    ['another revocation URL', { revocation_url: 'https://acme.test/end' }, /asked POST .*\/end/],
    [
      'another URL for renewals',
      { refresh_url: 'https://acme.test/again' },
      /asked POST .*\/again/,
    ],
  ] as const)
    it(`finds ${description}`, async () => {
      assert.match((await signInErrors(more)).join('\n'), message)
    })

  for (const [description, more, signIn, message] of [
    ['PKCE where it is refused', {}, { pkce: 'refused' }, /refuses PKCE: say pkce: false/],
    ['no PKCE where it is wanted', { disable_pkce: true }, { pkce: 'required' }, /wants PKCE/],
    ['a form where JSON is wanted', {}, { bodyFormat: 'json' }, /as json: say bodyFormat/],
    ['JSON where a form is wanted', { body_format: 'json' }, { bodyFormat: 'form' }, /as form/],
    ['a secret in the body', {}, { clientAuthentication: 'header' }, /secret in the header/],
    [
      'a secret in the header',
      { token_request_auth_method: 'header' },
      { clientAuthentication: 'body' },
      /secret in the body/,
    ],
    [
      'a parameter that the exchange lacks',
      {},
      { tokenParams: { audience: 'a' } },
      /audience "undefined"/,
    ],
    [
      'a parameter that renewals lack',
      {},
      { refreshParams: { audience: 'a' } },
      /audience "undefined"/,
    ],
  ] as const)
    it(`finds ${description}`, async () => {
      const errors = await signInErrors(more, { ...documented, ...signIn })
      assert.match(errors.join('\n'), message)
    })

  it('finds that offline access was not asked for: no refresh token comes', async () => {
    const authorize = 'https://acme.test/authorize'
    const errors = await signInErrors({ authorization_params: {} }, { ...documented, authorize })
    assert.deepEqual(errors, [
      'signs in: no refresh token came: ask for {"access_type":"offline"} at consent',
    ])
    const scope = { ...documented, authorize, offline: { scope: 'write' } }
    assert.deepEqual(await signInErrors({}, scope), [])
  })

  it('takes every way that a spec can say and a provider can want', async () => {
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

  it('reads the answers that providers give, and keeps a refresh token that stays', async () => {
    const form = 'access_token=${access_token}&refresh_token=${refresh_token}'
    const wrapped = { ok: true, data: { accessToken: '${access_token}' } }
    assert.deepEqual(await signInErrors({}, { ...documented, good: reply(200, form) }), [])
    assert.deepEqual(await signInErrors({}, { ...documented, renewed: wrapped }), [])
    const none = await signInErrors({}, { ...documented, good: { token: 'x' } })
    assert.match(none.join(), /answered without an access token/)
  })

  it('says why nothing is renewed when no refresh token is documented', async () => {
    const { offline: _, ...otherFields } = documented
    const good = { access_token: '${access_token}' }
    const results = await runWith({}, { ...otherFields, good })
    const skipped = results.flatMap(({ never }) => never ?? [])
    assert.deepEqual(skipped, Array(2).fill('No refresh token comes with sign-in.'))
  })

  it('finds a bundle that keeps no word of an ended token', async () => {
    const bundleIgnoringStatus = bundle().replace('return ok ?', 'return status < 402 ?')
    const results = await runIntegrationTest(jail, bundleIgnoringStatus, {
      ...fixtures,
      signIn: documented,
    })
    const errorTitles = results.filter(({ errors }) => errors.length > 0).map(({ title }) => title)
    assert.ok(errorTitles.includes('OAuth2: renews what has expired'), errorTitles.join())
    assert.ok(
      errorTitles.includes('OAuth2: revokes when an account is deleted'),
      errorTitles.join(),
    )
  })

  it('gives a bundle what comes with the tokens and with the way back, and nothing else', async () => {
    const input_specification = { properties: { realm: { type: 'string', title: 'Realm' } } }
    const code = bundle({ callback_params: ['realm'], input_specification }).replace(
      "fetch('https://api.acme.test/me'",
      "fetch(config.instance_url + '/me?realm=' + config.realm",
    )
    const config = { instance_url: 'https://api.acme.test', realm: 'r-1' }
    const fixtureOverrides = {
      ...fixtures,
      endpoint: 'GET ${instance_url}/me?realm=${realm}',
      config,
    }
    const errorTitles = async (signIn: SignInFixture) =>
      (await runIntegrationTest(jail, code, { ...fixtureOverrides, signIn })).filter(
        ({ errors }) => errors.length > 0,
      )
    assert.deepEqual(await errorTitles(documented), [])
    const good = { access_token: '${access_token}', refresh_token: '${refresh_token}' }
    const first = (await errorTitles({ ...documented, good }))[0]
    assert.equal(first?.title, 'OAuth2: signs in', 'no instance_url in the token answer')
    assert.notDeepEqual(
      await errorTitles({ ...documented, callback: {} }),
      [],
      'nobody gave the realm',
    )
  })
})
