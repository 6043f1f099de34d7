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

describe('lintIntegration', () => {
  it('finds nothing wrong with a valid integration', () => {
    assert.deepEqual(lint(defineIntegration(validDefinition).definition), [])
  })

  it('finds invalid properties', () => {
    const invalidValues = {
      key: 'Acme-1',
      version: '1.0',
      docs: 'acme.test',
      icon: 'A b',
      name: '',
    }
    const { definition } = defineIntegration({ ...validDefinition, ...invalidValues })
    const errors = lint({ ...definition, category: 'TICKETS' as 'OTHER', stage: 'NEW' as 'BETA' })
    const fieldNames = errors.map((error) => error.split(' ')[0])
    assert.deepEqual(fieldNames, ['key', 'name', 'version', 'category', 'stage', 'docs', 'icon'])
  })

  it('finds invalid hosts, and URLs that the hosts do not cover', () => {
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
      'http://api.acme.com/me must be an absolute https URL, or a path that starts with /.',
      'hosts do not cover auth.acme.com.',
      'hosts do not cover eu.acme.com.',
    ])
  })

  it('finds fields that could lead to any host', () => {
    const inputs = { site: text('Site') }
    const named = { ...validDefinition, hosts: ['*.acme.com'], inputs }
    const inHost = defineIntegration({ ...named, apiBaseUrl: 'https://${site}.acme.com' })
    assert.match(lint(inHost.definition).join(), /^site is part of a host name/)
    const asStart = defineIntegration({ ...named, apiBaseUrl: '${site}/api' })
    assert.match(lint(asStart.definition).join(), /site may be any URL.*declare it with url/)
    const open = { hosts: 'any', inputs: { site: url('Site') }, apiBaseUrl: '${site}/api' } as const
    assert.deepEqual(lint(defineIntegration({ ...validDefinition, ...open }).definition), [])
    assert.match(
      lint(defineIntegration({ ...validDefinition, hosts: 'any' }).definition).join(),
      /apiBaseUrl is required/,
    )
    assert.match(
      lint(defineIntegration({ ...validDefinition, hosts: [] }).definition).join(),
      /at least one host/,
    )
  })

  it('finds unmarked secrets, and fields without texts', () => {
    const fields = {
      key: secret('Key'),
      access_token: text('Token'),
      token_hint: text('Hint'),
      open_token: text('Open', { isSecret: true }),
      site: text('', { pattern: '^[a-z]+$', placeholder: 'A1', helpUrl: 'http://acme.com' }),
      odd: text('Odd', { pattern: '(' }),
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
      'Key: field key has no help: explain where to find it.',
      'Key: field access_token looks like a secret: declare it with secret(…), or set isSecret.',
      'Key: field site has no title.',
      'Key: field site has a helpUrl that is not https.',
      'Key: field site has a placeholder that does not match its pattern.',
      'Key: field odd has a pattern that is not a regular expression.',
    ])
  })

  it('finds invalid scopes, parameters and names', () => {
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
      'OAuth2: scope "read write" contains the separator.',
      'OAuth2: scope me is listed twice.',
      'OAuth2: authorizationParams must not set state: Linchpin does.',
      'OAuth2: ${team} has no value.',
      'OAuth2: a rule points to nope, which is not a field.',
    ])
  })

  it('knows that an identity is filled from the response, but its path is not', () => {
    const identity = { id: '${team}/${user}', label: '${name}', path: '/${unknown}' }
    assert.deepEqual(lint(defineIntegration({ ...validDefinition, identity }).definition), [
      'Token: ${unknown} has no value.',
    ])
  })

  it('finds authorization URLs on arbitrary hosts, and names that are undefined before sign-in', () => {
    const { definition } = defineIntegration({
      ...validDefinition,
      hosts: ['*.acme.com'],
      inputs: { site: text('Site'), env: select('Environment', ['a', 'b']) },
      apiBaseUrl: '${instance_url}',
      auth: {
        Free: oauth2({
          authorizationUrl: 'https://${site}.acme.com/authorize',
          tokenUrl: 'https://${env}.acme.com/token?team=${instance_url}',
          authorizationParams: { tenant: '${client_id}', identity: '${unknown}' },
          refreshParams: { team: '${instance_url}', odd: '${nothing}' },
          tokenResponseParams: ['instance_url'],
        }),
        Plain: oauth2({
          authorizationUrl: 'http://${env}.acme.com/authorize',
          tokenUrl: 'https://${env}.acme.com/token',
          tokenResponseParams: ['instance_url'],
        }),
      },
    })
    assert.deepEqual(lint(definition), [
      'site is part of a host name: give it a pattern that matches a single label.',
      'http://${env}.acme.com/authorize must be an absolute https URL, or a path that starts with /.',
      'Free: ${instance_url} has no value before sign-in.',
      'Free: ${unknown} has no value before sign-in.',
      'Free: ${nothing} has no value.',
      'inputs: field site has no help: explain where to find it.',
    ])
  })

  it('finds an unused field', () => {
    const help = { help: 'Here.' }
    const fields = { key: secret('Key', help), other: secret('Other', help), shop: text('Shop') }
    const auth = { Key: apiKey({ name: 'X-Key', fields }) }
    assert.deepEqual(lint(defineIntegration({ ...validDefinition, auth }).definition), [
      'Key: the field other is not used.',
      'Key: the field shop is not used.',
    ])
    const code = { ...validDefinition, auth, check: async () => true }
    assert.deepEqual(lint(defineIntegration(code).definition), [], 'code may use it')
  })
})
