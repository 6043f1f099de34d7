import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { apiKey, bearer, defineIntegration, oauth2, secret, select, text, url } from '../index.ts'
import { lint } from './lint.ts'

const validDefinition = {
  key: 'acme',
  name: 'Acme',
  category: 'OTHER',
  version: '1.0.0',
  docs: 'https://acme.test/docs',
  hosts: ['api.acme.com'],
  auth: { Token: bearer({ fields: { token: secret('Token', { help: 'In the settings.' }) } }) },
  check: { path: '/me' },
} as const
const urls = {
  authorizationUrl: 'https://acme.com/authorize',
  tokenUrl: 'https://api.acme.com/token',
}

describe('the lint', () => {
  it('finds nothing in what is right', () => {
    assert.deepEqual(lint(defineIntegration(validDefinition).definition), [])
  })

  it('finds facts that are none', () => {
    const invalidValues = {
      key: 'Acme-1',
      version: '1.0',
      docs: 'acme.test',
      icon: 'A b',
      name: '',
    }
    const { definition } = defineIntegration({ ...validDefinition, ...invalidValues })
    const errors = lint({ ...definition, category: 'TICKETS' as 'OTHER', stage: 'NEW' as 'BETA' })
    const about = errors.map((error) => error.split(' ')[0])
    assert.deepEqual(about, ['key', 'name', 'version', 'category', 'stage', 'docs', 'icon'])
  })

  it('finds hosts that are none, and URLs that the hosts do not cover', () => {
    const { definition } = defineIntegration({
      ...validDefinition,
      hosts: ['api.acme.com', 'https://acme.com', '*'],
      auth: {
        OAuth2: oauth2({ ...urls, revocationUrl: 'https://auth.acme.com/revoke' }),
        Key: apiKey({
          name: 'X-Key',
          apiBaseUrl: 'https://${region}.acme.com',
          fields: { key: secret('Key', { help: 'Here.' }) },
        }),
      },
      inputs: { region: select('Region', ['api', 'eu']) },
      identity: { path: 'http://api.acme.com/me', id: 'id', label: 'name' },
    })
    assert.deepEqual(lint(definition), [
      'host "https://acme.com" must be a name such as api.example.com or *.example.com.',
      'host "*" must be a name such as api.example.com or *.example.com.',
      'http://api.acme.com/me must be https and whole, or a path that starts with /.',
      'hosts do not cover auth.acme.com.',
      'hosts do not cover eu.acme.com.',
    ])
  })

  it('finds fields that could lead anywhere', () => {
    const inputs = { site: text('Site') }
    const named = { ...validDefinition, hosts: ['*.acme.com'], inputs }
    const inHost = defineIntegration({ ...named, apiBaseUrl: 'https://${site}.acme.com' })
    assert.match(lint(inHost.definition).join(), /^site stands in a host name/)
    const asStart = defineIntegration({ ...named, apiBaseUrl: '${site}/api' })
    assert.match(lint(asStart.definition).join(), /site may be any address.*make it url/)
    const open = { hosts: 'any', inputs: { site: url('Site') }, apiBaseUrl: '${site}/api' } as const
    assert.deepEqual(lint(defineIntegration({ ...validDefinition, ...open }).definition), [])
    assert.match(
      lint(defineIntegration({ ...validDefinition, hosts: 'any' }).definition).join(),
      /apiBaseUrl is needed/,
    )
    assert.match(
      lint(defineIntegration({ ...validDefinition, hosts: [] }).definition).join(),
      /at least one host/,
    )
  })

  it('finds secrets that nobody marked, and fields without the words that people need', () => {
    const fields = {
      key: secret('Key'),
      access_token: text('Token'),
      token_hint: text('Hint'),
      open_token: text('Open', { isSecret: true }),
      site: text('', { pattern: '^[a-z]+$', placeholder: 'A1', helpUrl: 'http://acme.com' }),
      invalidValues: text('Odd', { pattern: '(' }),
    }
    const { definition } = defineIntegration({
      ...validDefinition,
      auth: {
        Key: apiKey({
          headers: { X: '${key}${access_token}${token_hint}${open_token}${site}${odd}' },
          fields,
        }),
      },
    })
    assert.deepEqual(lint(definition), [
      'Key: field key has no help: say where people find it.',
      'Key: field access_token sounds like a secret: make it secret(…), or say isSecret.',
      'Key: field site has no title.',
      'Key: field site has a helpUrl that is not https.',
      'Key: field site has a placeholder that its pattern refuses.',
      'Key: field odd has a pattern that is no regular expression.',
    ])
  })

  it('finds scopes, parameters and names that go wrong', () => {
    const { definition } = defineIntegration({
      ...validDefinition,
      auth: {
        OAuth2: oauth2({
          ...urls,
          scopes: ['read write', 'me', 'me'],
          authorizationParams: { state: 'x', prompt: 'consent' },
        }),
      },
      check: { path: '/${team}/me', errors: [{ status: 400, field: 'nope' as never }] },
    })
    assert.deepEqual(lint(definition), [
      'OAuth2: scope "read write" holds the separator.',
      'OAuth2: scope me is there twice.',
      'OAuth2: authorizationParams must not set state: Linchpin does.',
      'OAuth2: nothing fills ${team}.',
      'OAuth2: a rule points to nope, which is no field.',
    ])
  })

  it('knows that an identity is filled from the answer, but not its path', () => {
    const identity = { id: '${team}/${user}', label: '${name}', path: '/${nobody}' }
    assert.deepEqual(lint(defineIntegration({ ...validDefinition, identity }).definition), [
      'Token: nothing fills ${nobody}.',
    ])
  })

  it('finds pages for consent that could be anywhere, and names that nobody knows before sign-in', () => {
    const { definition } = defineIntegration({
      ...validDefinition,
      hosts: ['*.acme.com'],
      inputs: { site: text('Site'), env: select('Environment', ['a', 'b']) },
      apiBaseUrl: '${instance_url}',
      auth: {
        Free: oauth2({
          authorizationUrl: 'https://${site}.acme.com/authorize',
          tokenUrl: 'https://${env}.acme.com/token?team=${instance_url}',
          authorizationParams: { tenant: '${client_id}', identity: '${nobody}' },
          refreshParams: { team: '${instance_url}', invalidValues: '${nothing}' },
          facts: ['instance_url'],
        }),
        Plain: oauth2({
          authorizationUrl: 'http://${env}.acme.com/authorize',
          tokenUrl: 'https://${env}.acme.com/token',
          facts: ['instance_url'],
        }),
      },
    })
    assert.deepEqual(lint(definition), [
      'site stands in a host name: give it a pattern that allows only one name.',
      'http://${env}.acme.com/authorize must be https and whole, or a path that starts with /.',
      'Free: nothing fills ${instance_url} before sign-in.',
      'Free: nothing fills ${nobody} before sign-in.',
      'Free: nothing fills ${nothing}.',
      'inputs: field site has no help: say where people find it.',
    ])
  })

  it('finds a field that goes nowhere', () => {
    const help = { help: 'Here.' }
    const fields = { key: secret('Key', help), other: secret('Other', help), shop: text('Shop') }
    const auth = { Key: apiKey({ name: 'X-Key', fields }) }
    assert.deepEqual(lint(defineIntegration({ ...validDefinition, auth }).definition), [
      'Key: nothing uses the field other.',
      'Key: nothing uses the field shop.',
    ])
    const code = { ...validDefinition, auth, check: async () => true }
    assert.deepEqual(lint(defineIntegration(code).definition), [], 'code may use it')
  })
})
