import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AuthMethod } from '../auth/auth-method.ts'
import {
  apiKey,
  basic,
  bearer,
  type Definition,
  defineIntegration,
  none,
  oauth2,
  secret,
  select,
  text,
  twoStepLogin,
  url,
} from '../index.ts'
import { createSpec } from './create-spec.ts'

const base = {
  key: 'acme',
  name: 'Acme',
  category: 'OTHER',
  version: '1.2.3',
  docs: 'https://acme.test/docs',
  check: { path: '/me' },
} as const

const getSpecBaseUrl = (definition: Definition) =>
  (createSpec(definition).auth_specification.One as { api_base_url?: string }).api_base_url

describe('SPEC', () => {
  it('has a base URL from the token response only if the hosts cover it', () => {
    const auth = (overrides = {}) => ({
      One: oauth2({
        authorizationUrl: 'https://acme.test/authorize',
        tokenUrl: 'https://acme.test/token',
        tokenResponseParams: ['instance_url'],
        ...overrides,
      }),
    })
    const apiBaseUrl = '${instance_url}/v1'
    const baseUrl = (overrides: Partial<Definition>) =>
      getSpecBaseUrl({ ...base, hosts: ['*.acme.test'], apiBaseUrl, auth: auth(), ...overrides })
    assert.equal(baseUrl({}), apiBaseUrl)
    assert.equal(baseUrl({ hosts: 'any' }), undefined)
    assert.equal(baseUrl({ auth: auth({ callbackParams: ['instance_url'] }) }), undefined)
    assert.equal(baseUrl({ apiBaseUrl: 'https://${instance_url}' }), undefined)
  })

  it('requires fields without a default that are not optional', () => {
    const { definition } = defineIntegration({
      ...base,
      hosts: ['acme.test'],
      inputs: {
        must: text('Must'),
        may: text('May', { optional: true }),
        defaultSpec: text('Usual', { default: 'x' }),
      },
      auth: { One: none() },
    })
    assert.deepEqual(createSpec(definition), {
      version: '1.2.3',
      'x-hosts': ['acme.test'],
      other_inputs: {
        input_specification: {
          type: 'object',
          required: ['must'],
          properties: {
            must: { type: 'string', title: 'Must', 'x-secret': false },
            may: { type: 'string', title: 'May', 'x-secret': false },
            defaultSpec: { type: 'string', title: 'Usual', 'x-secret': false, default: 'x' },
          },
        },
      },
      auth_specification: {
        One: {
          input_specification: { type: 'object', required: [], properties: {} },
          api_base_url: 'https://acme.test',
        },
      },
    } satisfies object)
  })

  it('has how often to check, which may be never, and the steps for an OAuth app', () => {
    const OAuth2 = oauth2({
      authorizationUrl: 'https://acme.test/authorize',
      tokenUrl: 'https://acme.test/token',
      appSetup: ['Open your settings.'],
    })
    const specOf = (checkInterval?: number) =>
      createSpec({
        ...base,
        hosts: ['acme.test'],
        auth: { OAuth2 },
        ...(checkInterval !== undefined && { checkInterval }),
      })
    assert.deepEqual(
      [specOf(900), specOf(0), specOf()].map((spec) => spec['x-check-interval']),
      [900, 0, undefined],
    )
    assert.deepEqual(specOf().auth_specification.OAuth2?.['x-app-setup'], ['Open your settings.'])
  })

  it('says whether a GET may write', () => {
    const definition = { ...base, hosts: ['acme.test'], auth: { Key: apiKey({ headers: {} }) } }
    const specs = [definition, { ...definition, getMayWrite: true as const }].map(createSpec)
    assert.deepEqual(
      specs.map((spec) => spec['x-get-may-write']),
      [undefined, true],
    )
  })

  it('has the display names of the values of a list', () => {
    const regions = { us: 'United States', eu: 'Europe' }
    const { property } = select('Region', regions, { default: 'eu' })
    const { enum: values, 'x-labels': labels } = property as Record<string, unknown>
    assert.deepEqual([values, labels], [['us', 'eu'], regions])
    assert.equal('x-labels' in select('Region', ['us']).property, false)
  })

  it('has the texts of a field in other languages', () => {
    const de = { label: 'Region', help: 'Wo.', placeholder: 'eu', values: { eu: 'Europa' } }
    const { property } = select('Region', ['us', 'eu'], { i18n: { de } })
    assert.deepEqual(property['x-i18n'], {
      de: {
        title: 'Region',
        description: 'Wo.',
        'x-placeholder': 'eu',
        'x-labels': { eu: 'Europa' },
      },
    })
  })

  it('has no hosts for self-hosted providers', () => {
    const { definition } = defineIntegration({
      ...base,
      hosts: 'any',
      inputs: { site: url('Site') },
      apiBaseUrl: '${site}/api',
      auth: { One: bearer() },
    })
    assert.equal('x-hosts' in createSpec(definition), false)
    assert.equal(getSpecBaseUrl(definition), '${site}/api')
  })

  it('has a base URL only if the spec limits the values that users can enter', () => {
    const withField = (site: ReturnType<typeof text>, apiBaseUrl = 'https://${site}.acme.test') =>
      defineIntegration({
        ...base,
        hosts: ['*.acme.test'],
        inputs: { site },
        apiBaseUrl,
        auth: { One: bearer() },
      }).definition
    assert.equal(getSpecBaseUrl(withField(text('Site'))), undefined)
    assert.ok(getSpecBaseUrl(withField(text('Site', { pattern: '^[a-z]+$' }))))
    assert.ok(getSpecBaseUrl(withField(select('Site', ['eu', 'us']))))
  })

  it('declares its headers complete only if HEADERS returns the same', () => {
    const createSpecFor = (authMethod: AuthMethod, overrides: Partial<Definition> = {}) => {
      const auth = { One: authMethod }
      const spec = createSpec({
        ...base,
        hosts: ['acme.test'],
        apiBaseUrl: 'https://acme.test',
        auth,
        ...overrides,
      })
      return spec.auth_specification.One?.['x-headers']
    }
    const team = { api_key: secret('Key'), team: text('Team') }
    const headers = { 'X-Team': '${team}' }
    assert.equal(createSpecFor(bearer()), 'complete')
    assert.equal(createSpecFor(apiKey({ name: 'X-Key', headers, fields: team })), 'complete')
    assert.equal(createSpecFor(apiKey({ in: 'query', name: 'key' })), 'complete')
    const oauth = { authorizationUrl: 'https://acme.test/a', tokenUrl: 'https://acme.test/t' }
    assert.equal(createSpecFor(oauth2(oauth)), 'complete')
    for (const authMethod of [
      none(),
      basic(),
      twoStepLogin({ fields: team, login: { url: 'https://acme.test/login' } }),
      apiKey({ name: 'X-Key', headers, fields: { ...team, team: text('Team', { default: 'a' }) } }),
      apiKey({
        name: 'X-Key',
        headers,
        fields: { ...team, team: text('Team', { optional: true }) },
      }),
      oauth2({ ...oauth, tokenResponseParams: ['team'], headers }),
    ])
      assert.equal(createSpecFor(authMethod), undefined)
    assert.equal(createSpecFor(bearer(), { headers: { 'X-Version': '1' } }), undefined)
  })

  it('has the parameters with credentials', () => {
    const getOne = (authMethod: AuthMethod) =>
      createSpec({ ...base, hosts: ['acme.test'], auth: { One: authMethod } }).auth_specification
        .One
    const one = getOne(apiKey({ in: 'query', name: 'key' }))
    assert.deepEqual(one?.query, { key: '${api_key}' })
    assert.deepEqual(one?.headers, {})
    assert.equal(getOne(bearer())?.query, undefined)
  })

  it('has the invalid_credentials rules of a declared check in x-auth-errors', () => {
    const revokedRule = { match: { 'error.code': ['dead', 'gone'] } }
    const check = {
      path: '/me',
      errors: [
        { ...revokedRule, code: 'invalid_credentials' },
        { status: 403, match: { reason: { startsWith: 'Token' } }, code: 'invalid_credentials' },
        { status: 403, code: 'invalid_credentials' },
        { status: 401, match: { error: 'no' }, code: 'invalid_credentials' },
        { match: { error: 'no' }, headers: { 'X-A': '1' }, code: 'invalid_credentials' },
        { match: { error: 'scope' }, code: 'insufficient_scope' },
      ],
    } as const
    const added = { match: { 'errors.*.type': 'auth' } }
    const auth = {
      One: bearer({ fields: {} }),
      Two: bearer({
        fields: {},
        check: {
          path: '/two',
          errors: [{ ...revokedRule, status: 200, code: 'invalid_credentials' }],
        },
      }),
    }
    const spec = createSpec({
      ...base,
      check,
      auth,
      hosts: ['acme.test'],
      authErrors: [added],
    } as unknown as Definition)
    const rules = [revokedRule, { status: 403, match: { reason: { startsWith: 'Token' } } }, added]
    assert.deepEqual(spec['x-auth-errors'], rules)
    assert.equal(spec.auth_specification.One?.['x-auth-errors'], undefined)
    assert.deepEqual(spec.auth_specification.Two?.['x-auth-errors'], [
      { status: 200, ...revokedRule },
      added,
    ])
    const minimalSpec = createSpec({ ...base, auth: { One: none() }, hosts: ['acme.test'] })
    assert.equal('x-auth-errors' in minimalSpec, false)
  })
})
