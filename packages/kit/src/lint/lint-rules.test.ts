import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  apiKey,
  bearer,
  clientCredentials,
  type Definition,
  defineIntegration,
  oauth2,
  secret,
  select,
  text,
  twoStepLogin,
} from '../index.ts'
import { lint } from './lint.ts'
import { lintFields } from './lint-fields.ts'

const help = { help: 'In the settings.' }
const validDefinition = {
  key: 'acme',
  name: 'Acme',
  category: 'OTHER',
  version: '1.0.0',
  docs: 'https://acme.test/docs',
  hosts: ['api.acme.com'],
  check: { path: '/me' },
} as const
const urls = {
  authorizationUrl: 'https://acme.com/authorize',
  tokenUrl: 'https://api.acme.com/token',
}
const lintErrorsOf = (definition: Definition) => lint(defineIntegration(definition).definition)

describe('lintIntegration', () => {
  it('accepts labels of scopes, requires one for each requested scope, and rejects bad ones', () => {
    const lintScopes = (options: object) =>
      lintErrorsOf({
        ...validDefinition,
        auth: { OAuth2: oauth2({ ...urls, scopes: ['read', 'offline_access'], ...options }) },
      })
    const scopeLabels = { read: 'Read notes', 'not requested': 'Write notes' }
    assert.deepEqual(lintScopes({}), [])
    assert.deepEqual(
      lintScopes({ scopeLabels, i18n: { de: { 'x-scope-labels': scopeLabels } } }),
      [],
    )
    assert.deepEqual(lintScopes({ scopeLabels: {} }), ['OAuth2: scope read has no label.'])
    const many = Object.fromEntries([...Array(101).keys()].map((at) => [`s${at}`, 'x']))
    const long = 'x'.repeat(201)
    assert.deepEqual(lintScopes({ scopeLabels: { read: long, ...many } }), [
      'OAuth2: scopeLabels has more than 100 scopes.',
      'OAuth2: scopeLabels has more than 200 characters for scope read.',
    ])
    const i18n = {
      'de-AT': { 'x-scope-labels': scopeLabels },
      fr: { 'x-scope-labels': { read: ' ' } },
    }
    assert.deepEqual(lintScopes({ scopeLabels, i18n }), [
      'OAuth2: i18n.de-AT is not a language such as de or pt.',
      'OAuth2: i18n.fr has an empty text for scope "read".',
    ])
  })

  it("accepts steps for a customer's own OAuth app within the limits of the server", () => {
    const lintSteps = (appSetup: readonly string[]) =>
      lintErrorsOf({ ...validDefinition, auth: { OAuth2: oauth2({ ...urls, appSetup }) } })
    assert.deepEqual(lintSteps(Array(10).fill('x'.repeat(300))), [])
    assert.deepEqual(lintSteps(['Open it.', ' ', 'x'.repeat(301), ...Array(8).fill('x')]), [
      'OAuth2: appSetup has more than 10 steps.',
      'OAuth2: appSetup has an empty step.',
      'OAuth2: appSetup has more than 300 characters in step 3.',
    ])
  })

  it('accepts 15 minutes to 7 days between two checks, or none', () => {
    const lintInterval = (checkInterval: number) =>
      lintErrorsOf({ ...validDefinition, auth: { OAuth2: oauth2(urls) }, checkInterval })
    for (const seconds of [0, 900, 604_800]) assert.deepEqual(lintInterval(seconds), [])
    for (const seconds of [-1, 899, 900.5, 604_801, Number.NaN, '900' as unknown as number])
      assert.deepEqual(lintInterval(seconds), [
        'checkInterval must be 900 to 604800 seconds (15 minutes to 7 days), or 0 for never.',
      ])
  })

  it('rejects every authorization parameter that Linchpin sets', () => {
    const names = ['client_id', 'code_challenge', 'code_challenge_method', 'redirect_uri', 'scope']
    for (const name of [...names, 'state']) {
      const authorizationParams = { [name]: 'x' }
      const auth = { OAuth2: oauth2({ ...urls, authorizationParams }) }
      const error = `OAuth2: authorizationParams must not set ${name}: Linchpin does.`
      assert.deepEqual(lintErrorsOf({ ...validDefinition, auth }), [error])
    }
  })

  it('uses the options of an auth type instead of those of the integration', () => {
    const fields = { token: secret('Token', help) }
    const customIdentity = { path: '/${mine}', id: 'id', label: 'id' }
    const identity = { path: '/who', id: 'id', label: 'id' }
    const auth = {
      Checks: bearer({ fields, check: { path: '/${check}' } }),
      Tells: bearer({ fields, identity: customIdentity }),
      Neither: bearer({ fields }),
    }
    assert.deepEqual(lintErrorsOf({ ...validDefinition, auth, identity }), [
      'Checks: ${check} has no value.',
      'Tells: ${mine} has no value.',
    ])
  })

  it('finds names in credentials and in the URLs of logins', () => {
    const login = { url: 'https://api.acme.com/${team}/login' }
    const auth = {
      Key: apiKey({ headers: { 'X-Key': '${api_key}', 'X-Team': '${team}' } }),
      Login: twoStepLogin({ fields: { pin: secret('PIN', help) }, login }),
    }
    assert.deepEqual(
      lintErrorsOf({ ...validDefinition, auth }).filter((error) => /has no value/.test(error)),
      ['Key: ${team} has no value.', 'Login: ${team} has no value.'],
    )
  })

  it('rejects translations that would never be shown', () => {
    const findErrors = (i18n: Record<string, object>) => {
      const fields = { region: select('Region', ['us', 'eu'], { i18n }) }
      return lintErrorsOf({ ...validDefinition, auth: { Key: apiKey({ name: 'X', fields }) } })
        .filter((error) => error.includes('i18n'))
        .map((error) => error.replace(/^.*? has (?=i18n)/, ''))
    }
    assert.deepEqual(
      findErrors({
        de: { label: 'Region', help: 'Wo.', values: { eu: 'Europa' } },
        'pt-BR': { label: 'Região' },
        fr: {},
        es: { help: ' ' },
        ja: { values: { ap: 'アジア' } },
      }),
      [
        'i18n.pt-BR, which is not a language such as de or pt.',
        'i18n.fr, which has no texts.',
        'i18n.es, which has an empty text.',
        'i18n.ja, which names values that the field does not have: ap.',
      ],
    )
  })

  it('accepts fields that code may use: of a check, an identity or headers', () => {
    const auth = {
      Key: apiKey({ name: 'X', fields: { k: secret('K', help), more: text('More') } }),
    }
    const identity = async () => ({ id: '1', label: '1' })
    const error = 'Key: the field more is not used.'
    assert.deepEqual(lintErrorsOf({ ...validDefinition, auth }), [error])
    assert.deepEqual(lintErrorsOf({ ...validDefinition, auth, check: async () => true }), [])
    assert.deepEqual(lintErrorsOf({ ...validDefinition, auth, identity }), [])
    assert.deepEqual(lintErrorsOf({ ...validDefinition, auth, headers: () => ({}) }), [])
    const client = clientCredentials({ tokenUrl: urls.tokenUrl, fields: { more: text('More') } })
    assert.deepEqual(lintErrorsOf({ ...validDefinition, auth: { Client: client } }), [
      'Client: the field more is not used.',
    ])
  })

  it('accepts a base URL in the token response, whole or as a part of the host', () => {
    for (const apiBaseUrl of ['${api_domain}/v1', 'https://${api_domain}.acme.com']) {
      const auth = { OAuth2: oauth2({ ...urls, tokenResponseParams: ['api_domain'] }) }
      assert.deepEqual(
        lintErrorsOf({ ...validDefinition, hosts: ['*.acme.com'], auth, apiBaseUrl }),
        [],
      )
      assert.notDeepEqual(
        lintErrorsOf({
          ...validDefinition,
          hosts: ['*.acme.com'],
          auth: { OAuth2: oauth2(urls) },
          apiBaseUrl,
        }),
        [],
      )
    }
  })

  it('requires an authentication method, and a key of whole words', () => {
    assert.match(
      lintErrorsOf({ ...validDefinition, auth: {} }).join(),
      /auth must have at least one authentication method/,
    )
    const auth = { Token: bearer({ fields: { token: secret('Token', help) } }) }
    for (const key of ['acme_desk', 'a1', 'acme_2_go'])
      assert.deepEqual(lintErrorsOf({ ...validDefinition, auth, key }), [])
    for (const key of ['acme_', '_acme', 'acme__desk', '1acme', 'Acme', 'acme-desk', ''])
      assert.match(
        lintErrorsOf({ ...validDefinition, auth, key }).join(),
        /must be lower case, words/,
        key,
      )
  })

  it('recognizes a secret field by either mark, and a placeholder that is only a hint', () => {
    const createSpec = (token: object) => ({
      auth_specification: {
        Key: { input_specification: { type: 'object', properties: { token } } },
      },
    })
    const lintErrors = (overrides: object) =>
      lintFields(createSpec({ title: 'T', ...overrides }) as never)
    assert.deepEqual(lintErrors({ writeOnly: true, description: 'Here.' }), [])
    assert.match(lintErrors({ writeOnly: true }).join(), /has no help/)
    assert.match(lintErrors({ 'x-secret': false }).join(), /looks like a secret/)
    const pattern = { format: 'password', description: 'Here.', pattern: '^x[0-9]{4}$' }
    assert.deepEqual(lintErrors({ ...pattern, 'x-placeholder': 'x…' }), [])
    assert.match(
      lintErrors({ ...pattern, 'x-placeholder': 'y1234' }).join(),
      /does not match its pattern/,
    )
  })
})
