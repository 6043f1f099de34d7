import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { defineFixtures, type Fixtures, type SignInAnswers } from '../fixtures.ts'
import { type Jail, startJail } from '../jail.ts'
import { reply } from '../reply.ts'
import { tryIntegration } from '../try-integration.ts'

const fixtures = defineFixtures({
  endpoint: 'GET https://api.acme.test/me',
  sends: 'Authorization: Bearer ${secret}',
  good: { id: 1 },
  identity: { id: '1', label: 'one' },
})
const documented: SignInAnswers = {
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

  const tryWith = (
    more: Readonly<Record<string, unknown>>,
    signIn?: SignInAnswers,
    given: Fixtures = fixtures,
  ) => tryIntegration(jail, bundle(more), { ...given, ...(signIn && { signIn }) })
  const faultsOf = async (
    more: Readonly<Record<string, unknown>>,
    signIn: SignInAnswers = documented,
  ) =>
    (await tryWith(more, signIn)).flatMap(({ title, faults }) =>
      faults.map((fault) => `${title.replace('OAuth2: ', '')}: ${fault}`),
    )

  it('walks what the provider documents: let in, denied, expired, rotated, revoked', async () => {
    const tried = await tryWith({}, documented)
    assert.deepEqual(
      tried.slice(-5).map(({ title }) => title),
      [
        'OAuth2: signs in',
        'OAuth2: is told when the person says no',
        'OAuth2: renews what has expired',
        'OAuth2: keeps the refresh token that is valid now',
        'OAuth2: revokes when an account is deleted',
      ],
    )
    assert.deepEqual(
      tried.filter(({ faults, never }) => faults.length > 0 || never),
      [],
    )
  })

  it('says that a spec agrees with itself when the fixtures document nothing', async () => {
    const nevers = (await tryWith({})).filter(({ never }) => never)
    assert.match(nevers.map(({ never }) => never).join(), /^The fixtures lack signIn/)
  })

  for (const [what, more, words] of [
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
    it(`finds ${what}`, async () => {
      assert.match((await faultsOf(more)).join('\n'), words)
    })

  for (const [what, more, signIn, words] of [
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
    it(`finds ${what}`, async () => {
      const faults = await faultsOf(more, { ...documented, ...signIn })
      assert.match(faults.join('\n'), words)
    })

  it('finds that offline access was not asked for: no refresh token comes', async () => {
    const authorize = 'https://acme.test/authorize'
    const faults = await faultsOf({ authorization_params: {} }, { ...documented, authorize })
    assert.deepEqual(faults, [
      'signs in: no refresh token came: ask for {"access_type":"offline"} at consent',
    ])
    const scope = { ...documented, authorize, offline: { scope: 'write' } }
    assert.deepEqual(await faultsOf({}, scope), [])
  })

  it('takes every way that a spec can say and a provider can want', async () => {
    const said = {
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
    const wanted = {
      pkce: 'refused',
      bodyFormat: 'json',
      clientAuthentication: 'header',
      refresh: 'https://acme.test/again',
      tokenParams: { audience: 'a' },
      refreshParams: { audience: 'b' },
    } as const
    assert.deepEqual(await faultsOf(said, { ...documented, ...wanted }), [])
  })

  it('reads the answers that providers give, and keeps a refresh token that stays', async () => {
    const form = 'access_token=${access_token}&refresh_token=${refresh_token}'
    const wrapped = { ok: true, data: { accessToken: '${access_token}' } }
    assert.deepEqual(await faultsOf({}, { ...documented, good: reply(200, form) }), [])
    assert.deepEqual(await faultsOf({}, { ...documented, renewed: wrapped }), [])
    const none = await faultsOf({}, { ...documented, good: { token: 'x' } })
    assert.match(none.join(), /answered without an access token/)
  })

  it('says why nothing is renewed when no refresh token is documented', async () => {
    const { offline: _, ...rest } = documented
    const good = { access_token: '${access_token}' }
    const tried = await tryWith({}, { ...rest, good })
    const nevers = tried.flatMap(({ never }) => never ?? [])
    assert.deepEqual(nevers, Array(2).fill('No refresh token comes with sign-in.'))
  })

  it('finds a bundle that keeps no word of an ended token', async () => {
    const blind = bundle().replace('return ok ?', 'return status < 402 ?')
    const tried = await tryIntegration(jail, blind, { ...fixtures, signIn: documented })
    const wrong = tried.filter(({ faults }) => faults.length > 0).map(({ title }) => title)
    assert.ok(wrong.includes('OAuth2: renews what has expired'), wrong.join())
    assert.ok(wrong.includes('OAuth2: revokes when an account is deleted'), wrong.join())
  })

  it('gives a bundle what comes with the tokens and with the way back, and nothing else', async () => {
    const input_specification = { properties: { realm: { type: 'string', title: 'Realm' } } }
    const code = bundle({ callback_params: ['realm'], input_specification }).replace(
      "fetch('https://api.acme.test/me'",
      "fetch(config.instance_url + '/me?realm=' + config.realm",
    )
    const config = { instance_url: 'https://api.acme.test', realm: 'r-1' }
    const given = { ...fixtures, endpoint: 'GET ${instance_url}/me?realm=${realm}', config }
    const wrong = async (signIn: SignInAnswers) =>
      (await tryIntegration(jail, code, { ...given, signIn })).filter(
        ({ faults }) => faults.length > 0,
      )
    assert.deepEqual(await wrong(documented), [])
    const good = { access_token: '${access_token}', refresh_token: '${refresh_token}' }
    const first = (await wrong({ ...documented, good }))[0]
    assert.equal(first?.title, 'OAuth2: signs in', 'no instance_url in the token answer')
    assert.notDeepEqual(await wrong({ ...documented, callback: {} }), [], 'nobody gave the realm')
  })
})
