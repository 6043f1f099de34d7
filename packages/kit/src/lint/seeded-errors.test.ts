import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  apiKey,
  basic,
  bearer,
  clientCredentials,
  type Definition,
  defineIntegration,
  type Fields,
  oauth2,
  secret,
  select,
  text,
  twoStepLogin,
  url,
} from '../index.ts'
import { lint } from './lint.ts'

const help = { help: 'In the settings.' }
const token = secret('Token', help)
const validDefinition = {
  key: 'acme',
  name: 'Acme',
  category: 'OTHER',
  version: '1.0.0',
  docs: 'https://acme.test/docs',
  hosts: ['api.acme.com'],
  auth: { Token: bearer({ fields: { token } }) },
  check: { path: '/me' },
} as const
const tokenUrl = 'https://api.acme.com/token'
const lintErrorsOf = (overrides: object) =>
  lint(defineIntegration({ ...validDefinition, ...overrides } as Definition).definition)
const lintErrorsOfField = (name: string, field: Fields[string]) =>
  lintErrorsOf({
    auth: {
      Key: apiKey({ headers: { X: `\${k}\${${name}}` }, fields: { k: token, [name]: field } }),
    },
  })
const lintSubdomain = (options: object) =>
  lintErrorsOf({
    hosts: ['*.acme.com'],
    apiBaseUrl: 'https://${site}.acme.com',
    inputs: { site: text('Site', { ...help, ...options }) },
  })

describe('lintIntegration finds', () => {
  it('missing properties, which a bundler does not notice', () => {
    for (const name of ['key', 'name', 'version', 'category', 'docs', 'hosts', 'auth', 'check'])
      assert.deepEqual(lintErrorsOf({ [name]: undefined }), [`${name} is missing.`])
    assert.deepEqual(lintErrorsOf({ check: {} }), ['Token: check needs a path.'])
    assert.deepEqual(lintErrorsOf({ identity: { id: 'id' } }), ['identity needs id and label.'])
    assert.match(
      lintErrorsOf({ auth: { '': bearer({ fields: { token } }) } }).join(),
      /has no name/,
    )
  })

  it('hosts that would leak credentials', () => {
    const open = { hosts: 'any', apiBaseUrl: 'https://api.acme.com' }
    assert.match(lintErrorsOf(open).join(), /hosts: 'any' is for URLs that users enter/)
    const inputs = { site: url('Site') }
    assert.deepEqual(lintErrorsOf({ hosts: 'any', apiBaseUrl: '${site}', inputs }), [])
    for (const host of ['*.co.uk', '*.herokuapp.com', '*.amazonaws.com', '*.github.io'])
      assert.match(lintErrorsOf({ hosts: ['api.acme.com', host] }).join(), /a public domain/, host)
    assert.deepEqual(lintErrorsOf({ hosts: ['api.acme.com', '*.acme.co.uk'] }), [])
  })

  it('patterns that match more than one label of a host, or take exponential time', () => {
    assert.deepEqual(lintSubdomain({ pattern: '^[a-z0-9-]+$' }), [])
    for (const pattern of ['[a-z]+', '^.*$', '^[a-z]+', '^[a-z./]+$', '^\\S+$'])
      assert.match(lintSubdomain({ pattern }).join(), /matches more than a host label/, pattern)
    for (const pattern of ['^(a+)+$', '^(a|a)*$', '^([a-zA-Z0-9]+\\.?)+@x$', '^(.*a){20}$'])
      assert.match(
        lintErrorsOfField('x', text('X', { pattern })).join(),
        /takes exponential time/,
        pattern,
      )
  })

  it('secrets by any name, and credentials that are not secret', () => {
    for (const name of ['accessToken', 'clientSecret', 'passwd', 'pin', 'privateKey'])
      assert.match(lintErrorsOfField(name, text('X')).join(), /looks like a secret/, name)
    for (const title of ['API token', 'Password', 'Signing secret'])
      assert.match(lintErrorsOfField('value', text(title)).join(), /looks like a secret/, title)
    for (const title of ['Token name', 'Secret santa list'])
      assert.deepEqual(lintErrorsOfField('value', text(title)), [], title)
    const open = bearer({ fields: { code: text('Code') } })
    assert.deepEqual(lintErrorsOf({ auth: { Open: open } }), [
      'Open: none of its fields is secret: declare the credential with secret(…).',
    ])
    const shared = secret('Key', { ...help, default: 'hunter2' })
    assert.match(lintErrorsOfField('key', shared).join(), /all users would share/)
  })

  it('help that is blank, or missing for a field that is part of a host', () => {
    assert.match(lintErrorsOfField('key', secret('Key', { help: ' ' })).join(), /has no help/)
    assert.match(lintSubdomain({ help: undefined, pattern: '^[a-z]+$' }).join(), /site has no help/)
  })

  it('fields that contradict themselves', () => {
    const x = (options: object) => lintErrorsOfField('x', text('X', options)).join()
    assert.match(x({ pattern: '^a$', default: 'b' }), /a default that does not match its pattern/)
    assert.match(x({ minLength: 9, maxLength: 3 }), /a minLength above its maxLength/)
    assert.match(lintErrorsOfField('x', select('X', [])).join(), /a list without values/)
    assert.match(lintErrorsOfField('authType', text('Way')).join(), /a name that Linchpin reserves/)
  })

  it('undefined names, wherever an authentication method uses them', () => {
    const login = {
      url: 'https://api.acme.com/login',
      body: { identity: '${unknown}', pin: '${pin}' },
    }
    const authMethods = {
      Basic: basic({ username: '${unknown}/token' }),
      Client: clientCredentials({ tokenUrl, params: { audience: '${unknown}' } }),
      Login: twoStepLogin({ fields: { pin: token }, login }),
    }
    for (const [name, authMethod] of Object.entries(authMethods))
      assert.ok(
        lintErrorsOf({ auth: { [name]: authMethod } }).includes(
          `${name}: \${unknown} has no value.`,
        ),
        name,
      )
  })

  it('invalid scopes and token parameters', () => {
    const createClientAuth = (scopes: string[]) =>
      lintErrorsOf({ auth: { C: clientCredentials({ tokenUrl, scopes }) } }).join()
    assert.match(createClientAuth(['a', 'a']), /scope a is listed twice/)
    assert.match(createClientAuth(['a b']), /scope "a b" contains the separator/)
    assert.match(createClientAuth(['']), /a scope is empty/)
    const authorizationUrl = 'https://acme.com/authorize'
    const signIn = (overrides: object) =>
      lintErrorsOf({ auth: { O: oauth2({ authorizationUrl, tokenUrl, ...overrides }) } }).join()
    assert.match(signIn({ tokenParams: { client_secret: 'x' } }), /must not set client_secret/)
    assert.match(signIn({ issuer: 'http://acme.com' }), /issuer must be an https URL/)
  })

  it('requests that cannot be sent, and rules that match everything', () => {
    const check = (overrides: object) =>
      lintErrorsOf({ check: { path: '/me', ...overrides } }).join()
    assert.match(check({ method: 'GET', body: {} }), /sends a body with GET/)
    assert.match(check({ body: {}, form: {} }), /both a body and a form/)
    assert.match(check({ method: 'fetch it' }), /the invalid method "fetch it"/)
    assert.match(check({ errors: [{ hint: 'Hm.' }] }), /a rule matches every response/)
    assert.match(
      lintErrorsOf({ headers: { 'X Key': '1' } }).join(),
      /"X Key" is not a valid header name/,
    )
    assert.match(
      lintErrorsOf({ apiBaseUrl: 'https://api.acme.com?v=1' }).join(),
      /must not have a query/,
    )
  })
})
