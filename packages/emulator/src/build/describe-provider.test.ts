import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeProvider } from './describe-provider.ts'
import type { EvidenceFact } from './facts.ts'
import type { ProviderSource } from './provider-source.ts'

const FACTS: Readonly<Record<string, unknown>> = {
  base: 'https://${site}.desk.example/api',
  'auth.OAuth2.authorize': 'https://desk.example/authorize',
  'auth.OAuth2.token': 'https://desk.example/token',
  'auth.OAuth2.client': 'header',
  'check.get': '/me',
  'check.query.limit': '1',
  'identity.get': 'https://id.desk.example/user',
  'identity.id': 'id',
}

const FIXTURES = {
  endpoint: 'GET https://acme.desk.example/api/me?limit=1',
  sends: ['Authorization: Bearer ${secret}', 'Accept: application/json'],
  good: { id: 7, status: 200 },
  endpoints: { 'GET https://id.desk.example/user': { id: 7 } },
  signIn: {
    authorize: 'https://desk.example/authorize?scope=read',
    token: 'https://desk.example/token',
    clientAuthentication: 'header',
  },
}

const EXCHANGE = 'https://desk.example/exchange'

const EXCHANGE_FACTS = {
  'auth.OAuth2.renew.url': EXCHANGE,
  'auth.OAuth2.renew.params.old': '${access_token}',
}

const source = (
  facts: Readonly<Record<string, unknown>> = {},
  fixtures: object = {},
): ProviderSource => ({
  key: 'desk',
  name: 'Desk',
  authTypes: ['OAuth2'],
  signInTypes: ['OAuth2'],
  facts: Object.entries({ ...FACTS, ...facts })
    .filter(([, value]) => value !== undefined)
    .map(([path, value]): EvidenceFact => ({ path, value })),
  fixtures: { ...FIXTURES, ...fixtures } as ProviderSource['fixtures'],
})

describe('A provider', () => {
  it('has the URLs of the evidence and the responses of the fixtures', () => {
    const { base, methods } = describeProvider(source())
    assert.equal(base, 'https://acme.desk.example/api')
    const { endpoints = [], headers, sends, signIn } = methods.OAuth2 ?? {}
    assert.deepEqual(endpoints, [
      {
        method: 'GET',
        url: 'https://${site}.desk.example/api/me',
        example: 'https://acme.desk.example/api/me?limit=1',
        query: { limit: '1' },
        good: { status: 200, body: { id: 7, status: 200 } },
      },
      {
        method: 'GET',
        url: 'https://id.desk.example/user',
        example: 'https://id.desk.example/user',
        query: {},
        good: { status: 200, body: { id: 7 } },
      },
    ])
    assert.deepEqual(headers, ['Accept'])
    assert.deepEqual(sends, ['Authorization: Bearer ${secret}'])
    assert.equal(signIn?.client, 'header')
  })

  const contradictions: [title: string, RegExp, facts: object, fixtures?: object][] = [
    ['another token URL', /as token/, { 'auth.OAuth2.token': 'https://desk.example/tokens' }],
    [
      'another place of the client',
      /header as client|body as client/,
      { 'auth.OAuth2.client': 'body' },
    ],
    ['another method', /the evidence has POST/, { 'check.get': undefined, 'check.post': '/me' }],
    ['another path', /no response/, { 'check.get': '/user' }],
    ['a request without a response', /no response/, {}, { endpoints: {} }],
    [
      'a response without a request',
      /does not name/,
      {},
      { endpoints: { ...FIXTURES.endpoints, 'GET https://desk.example/else': {} } },
    ],
    [
      'a property that the emulator does not know',
      /does not know auth\.OAuth2\.dance/,
      { 'auth.OAuth2.dance': 'twice' },
    ],
    [
      'no login',
      /no login/,
      { 'auth.OAuth2.clientCredentials.token': 'https://desk.example/token' },
    ],
    [
      'no PKCE where it is required',
      /PKCE/,
      { 'auth.OAuth2.pkce': false },
      { signIn: { ...FIXTURES.signIn, pkce: 'required' } },
    ],
    [
      'another name of a parameter',
      /as paramNames/,
      { 'auth.OAuth2.paramNames.client_id': 'app' },
      { signIn: { ...FIXTURES.signIn, paramNames: { client_id: 'app_id' } } },
    ],
    [
      'a redirect URI where it assigns names',
      /as redirectName/,
      {},
      { signIn: { ...FIXTURES.signIn, redirectName: true } },
    ],
    [
      'an exchange with other parameters',
      /as renew\.params/,
      EXCHANGE_FACTS,
      { signIn: { ...FIXTURES.signIn, exchange: `${EXCHANGE}?token=\${access_token}` } },
    ],
  ]
  for (const [title, message, facts, fixtures] of contradictions)
    it(`cannot be described with ${title}`, () => {
      const isLogin = title === 'no login'
      const given = source(facts as Record<string, unknown>, fixtures)
      assert.throws(
        () => describeProvider({ ...given, signInTypes: isLogin ? [] : ['OAuth2'] }),
        message,
      )
    })

  it('has one exchange for all tokens, or another one for the first', () => {
    const exchange = `${EXCHANGE}?old=\${access_token}`
    const firstExchange = `${EXCHANGE}/first?old=\${access_token}`
    const next = { url: EXCHANGE, params: { old: '${access_token}' } }
    const first = { ...next, url: `${EXCHANGE}/first` }
    const describeExchanges = (facts: Readonly<Record<string, unknown>>, signIn: object) =>
      describeProvider(source(facts, { signIn: { ...FIXTURES.signIn, ...signIn } })).methods.OAuth2
        ?.signIn?.exchanges
    assert.deepEqual(describeExchanges(EXCHANGE_FACTS, { exchange }), { first: next, next })
    const facts = {
      ...EXCHANGE_FACTS,
      'auth.OAuth2.renew.first.url': `${EXCHANGE}/first`,
      'auth.OAuth2.renew.first.params.old': '${access_token}',
    }
    assert.deepEqual(describeExchanges(facts, { exchange, firstExchange }), { first, next })
  })

  it('is described by its fixtures alone when it has no evidence', () => {
    const { methods } = describeProvider({ ...source(), facts: [] })
    assert.equal(methods.OAuth2?.signIn?.authorize, 'https://desk.example/authorize')
    assert.deepEqual(methods.OAuth2?.signIn?.scopes, ['read'])
  })
})
