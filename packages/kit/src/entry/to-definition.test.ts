import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  apiKey,
  basic,
  bearer,
  clientCredentials,
  email,
  none,
  number,
  oauth2,
  secret,
  select,
  text,
  twoStepLogin,
  url,
} from '../index.ts'
import { createSpec } from '../run/create-spec.ts'
import type { Entry, EntryAuth } from './entry.ts'
import { toDefinition } from './to-definition.ts'

const BASE = {
  key: 'acme',
  name: 'Acme',
  category: 'CRM',
  version: '1.0.0',
  docs: 'https://acme.example/docs',
  hosts: ['acme.example'],
} as const

const entryOf = (auth: Readonly<Record<string, EntryAuth>>, more: Partial<Entry> = {}): Entry => ({
  ...BASE,
  runtime: 1,
  auth,
  check: { get: '/me' },
  ...more,
})

/** The spec and what requests carry, which is all that a service sees of a definition. */
function observe(definition: ReturnType<typeof toDefinition>) {
  const parts = Object.entries(definition.auth).map(([name, method]) => [
    name,
    { credentials: method.credentials, field: method.credentialField, signIn: method.signInValues },
  ])
  return JSON.parse(
    JSON.stringify({
      spec: createSpec(definition),
      auth: Object.fromEntries(parts),
      check: definition.check,
      identity: definition.identity,
    }),
  )
}

describe('toDefinition', () => {
  const api_key = { title: 'API key', secret: true, help: 'In the settings.' } as const
  const cases = {
    'a key in a header': [
      { headers: { 'X-Key': '${api_key}' }, fields: { api_key } },
      apiKey({
        name: 'X-Key',
        fields: { api_key: secret('API key', { help: 'In the settings.' }) },
      }),
    ],
    'a Bearer token': [
      { headers: { Authorization: 'Bearer ${api_key}' }, fields: { api_key } },
      bearer({ fields: { api_key: secret('API key', { help: 'In the settings.' }) } }),
    ],
    'a key in the query': [
      { query: { key: '${api_key}' }, fields: { api_key } },
      apiKey({
        in: 'query',
        name: 'key',
        fields: { api_key: secret('API key', { help: 'In the settings.' }) },
      }),
    ],
    'Basic, with a colon in the password': [
      { basic: '${user}:${api_key}:x', fields: { user: { title: 'User' }, api_key } },
      basic({
        username: '${user}',
        password: '${api_key}:x',
        fields: { user: text('User'), api_key: secret('API key', { help: 'In the settings.' }) },
      }),
    ],
    OAuth2: [
      {
        authorize: 'https://acme.example/authorize',
        token: 'https://acme.example/token',
        revoke: 'https://acme.example/revoke',
        scopes: { default: ['a', 'b'], separator: ',' },
        pkce: false,
        authorizeParams: { prompt: 'consent' },
        client: 'header',
        body: 'json',
        refresh: 'always',
        tokenResponse: ['site'],
        callbackParams: ['realm'],
        requiredScopes: ['a'],
        appSetup: ['Open your settings.'],
      },
      oauth2({
        authorizationUrl: 'https://acme.example/authorize',
        tokenUrl: 'https://acme.example/token',
        revocationUrl: 'https://acme.example/revoke',
        scopes: ['a', 'b'],
        scopeSeparator: ',',
        pkce: false,
        authorizationParams: { prompt: 'consent' },
        clientAuthentication: 'header',
        bodyFormat: 'json',
        refresh: 'always',
        tokenResponseParams: ['site'],
        callbackParams: ['realm'],
        requiredScopes: ['a'],
        appSetup: ['Open your settings.'],
      }),
    ],
    'OAuth2 with other revocations': [
      {
        authorize: 'https://acme.example/authorize',
        token: 'https://acme.example/token',
        revoke: [
          {
            delete: 'https://acme.example/${client_id}',
            client: 'header',
            json: { t: '${token}' },
            expect: [204, 404],
          },
          {
            post: 'https://acme.example/',
            query: { t: '${token}' },
            ok: { path: 'ok', equals: true },
          },
        ],
      },
      oauth2({
        authorizationUrl: 'https://acme.example/authorize',
        tokenUrl: 'https://acme.example/token',
        revocation: [
          {
            method: 'DELETE',
            url: 'https://acme.example/${client_id}',
            clientAuthentication: 'header',
            body: { t: '${token}' },
            expect: [204, 404],
          },
          {
            url: 'https://acme.example/',
            query: { t: '${token}' },
            ok: { path: 'ok', equals: true },
          },
        ],
      }),
    ],
    'client credentials': [
      {
        clientCredentials: {
          token: 'https://acme.example/token',
          scopes: { default: ['a'] },
          params: { audience: 'x' },
          client: 'body',
        },
      },
      clientCredentials({
        tokenUrl: 'https://acme.example/token',
        scopes: ['a'],
        params: { audience: 'x' },
        clientAuthentication: 'body',
      }),
    ],
    'a login': [
      {
        login: {
          post: 'https://acme.example/login',
          json: { u: '${user}', p: '${password}' },
          token: 'data.token',
        },
        fields: { user: { title: 'User' }, password: { title: 'Password', secret: true } },
      },
      twoStepLogin({
        login: {
          url: 'https://acme.example/login',
          method: 'POST',
          body: { u: '${user}', p: '${password}' },
        },
        token: 'data.token',
        fields: { user: text('User'), password: secret('Password') },
      }),
    ],
    nothing: [{}, none()],
  } satisfies Record<string, readonly [EntryAuth, unknown]>

  for (const [name, [auth, method]] of Object.entries(cases))
    it(`makes of ${name} what the function of the kit makes`, () => {
      const expected = { ...BASE, auth: { Way: method }, check: { path: '/me' } } as never
      assert.deepEqual(observe(toDefinition(entryOf({ Way: auth }))), observe(expected))
    })

  it('makes every kind of field', () => {
    const { inputs } = toDefinition(
      entryOf(
        { Way: {} },
        {
          fields: {
            plain: { title: 'Plain', pattern: '^a$', optional: true },
            hidden: { title: 'Hidden', secret: true, helpUrl: 'https://acme.example' },
            address: { title: 'Address', type: 'url' },
            mail: { title: 'Mail', type: 'email', secret: true },
            count: { title: 'Count', type: 'number', default: 3 },
            region: { title: 'Region', values: { eu: 'Europe', us: 'America' }, default: 'eu' },
          },
        },
      ),
    )
    assert.deepEqual(inputs, {
      plain: text('Plain', { pattern: '^a$', optional: true }),
      hidden: secret('Hidden', { helpUrl: 'https://acme.example' }),
      address: url('Address'),
      mail: email('Mail', { isSecret: true }),
      count: number('Count', { default: 3 }),
      region: select('Region', { eu: 'Europe', us: 'America' }, { default: 'eu' }),
    })
  })

  it('makes requests: a body is sent with POST, and an identity without a request uses that of the check', () => {
    const { check, identity } = toDefinition(
      entryOf(
        { Way: {} },
        {
          check: { post: '/graphql', json: { query: '{ me }' }, ok: 'data.me', errors: [] },
          identity: { id: 'data.me.id', label: ['data.me.email'] },
        },
      ),
    )
    assert.deepEqual(check, {
      path: '/graphql',
      method: 'POST',
      body: { query: '{ me }' },
      ok: 'data.me',
      errors: [],
    })
    assert.deepEqual(identity, { id: 'data.me.id', label: ['data.me.email'] })
  })
})
