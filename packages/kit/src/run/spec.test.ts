import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AuthKind } from '../auth/auth-kind.ts'
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
import { specOf } from './spec.ts'

const facts = {
  key: 'acme',
  name: 'Acme',
  category: 'OTHER',
  version: '1.2.3',
  docs: 'https://acme.test/docs',
  check: { path: '/me' },
} as const

const baseOf = (definition: Definition) =>
  (specOf(definition).auth_specification.One as { api_base_url?: string }).api_base_url

describe('SPEC', () => {
  it('has a base URL from the token response only if the hosts cover it', () => {
    const auth = (more = {}) => ({
      One: oauth2({
        authorizationUrl: 'https://acme.test/authorize',
        tokenUrl: 'https://acme.test/token',
        facts: ['instance_url'],
        ...more,
      }),
    })
    const apiBaseUrl = '${instance_url}/v1'
    const base = (more: Partial<Definition>) =>
      baseOf({ ...facts, hosts: ['*.acme.test'], apiBaseUrl, auth: auth(), ...more })
    assert.equal(base({}), apiBaseUrl)
    assert.equal(base({ hosts: 'any' }), undefined)
    assert.equal(base({ auth: auth({ callbackParams: ['instance_url'] }) }), undefined)
    assert.equal(base({ apiBaseUrl: 'https://${instance_url}' }), undefined)
  })

  it('requires fields without a default that are not optional', () => {
    const { definition } = defineIntegration({
      ...facts,
      hosts: ['acme.test'],
      inputs: {
        must: text('Must'),
        may: text('May', { optional: true }),
        defaultSpec: text('Usual', { default: 'x' }),
      },
      auth: { One: none() },
    })
    assert.deepEqual(specOf(definition), {
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

  it('has the display names of the values of a list', () => {
    const regions = { us: 'United States', eu: 'Europe' }
    const { property } = select('Region', regions, { default: 'eu' })
    const { enum: values, 'x-labels': labels } = property as Record<string, unknown>
    assert.deepEqual([values, labels], [['us', 'eu'], regions])
    assert.equal('x-labels' in select('Region', ['us']).property, false)
  })

  it('has no hosts for self-hosted providers', () => {
    const { definition } = defineIntegration({
      ...facts,
      hosts: 'any',
      inputs: { site: url('Site') },
      apiBaseUrl: '${site}/api',
      auth: { One: bearer() },
    })
    assert.equal('x-hosts' in specOf(definition), false)
    assert.equal(baseOf(definition), '${site}/api')
  })

  it('has a base URL only if the spec limits the values that users can enter', () => {
    const withField = (site: ReturnType<typeof text>, apiBaseUrl = 'https://${site}.acme.test') =>
      defineIntegration({
        ...facts,
        hosts: ['*.acme.test'],
        inputs: { site },
        apiBaseUrl,
        auth: { One: bearer() },
      }).definition
    assert.equal(baseOf(withField(text('Site'))), undefined)
    assert.ok(baseOf(withField(text('Site', { pattern: '^[a-z]+$' }))))
    assert.ok(baseOf(withField(select('Site', ['eu', 'us']))))
  })

  it('declares its headers complete only if HEADERS returns the same', () => {
    const of = (kind: AuthKind, more: Partial<Definition> = {}) => {
      const auth = { One: kind }
      const spec = specOf({
        ...facts,
        hosts: ['acme.test'],
        apiBaseUrl: 'https://acme.test',
        auth,
        ...more,
      })
      return spec.auth_specification.One?.['x-headers']
    }
    const team = { api_key: secret('Key'), team: text('Team') }
    const headers = { 'X-Team': '${team}' }
    assert.equal(of(bearer()), 'complete')
    assert.equal(of(apiKey({ name: 'X-Key', headers, fields: team })), 'complete')
    const oauth = { authorizationUrl: 'https://acme.test/a', tokenUrl: 'https://acme.test/t' }
    assert.equal(of(oauth2(oauth)), 'complete')
    for (const kind of [
      none(),
      basic(),
      twoStepLogin({ fields: team, login: { url: 'https://acme.test/login' } }),
      apiKey({ in: 'query', name: 'key' }),
      apiKey({ name: 'X-Key', headers, fields: { ...team, team: text('Team', { default: 'a' }) } }),
      apiKey({
        name: 'X-Key',
        headers,
        fields: { ...team, team: text('Team', { optional: true }) },
      }),
      oauth2({ ...oauth, facts: ['team'], headers }),
    ])
      assert.equal(of(kind), undefined)
    assert.equal(of(bearer(), { headers: { 'X-Version': '1' } }), undefined)
  })

  it('has the invalid_credentials rules of a declared check in x-auth-errors', () => {
    const dead = { match: { 'error.code': ['dead', 'gone'] } }
    const check = {
      path: '/me',
      errors: [
        { ...dead, code: 'invalid_credentials' },
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
        check: { path: '/two', errors: [{ ...dead, status: 200, code: 'invalid_credentials' }] },
      }),
    }
    const spec = specOf({
      ...facts,
      check,
      auth,
      hosts: ['acme.test'],
      authErrors: [added],
    } as unknown as Definition)
    const rules = [dead, { status: 403, match: { reason: { startsWith: 'Token' } } }, added]
    assert.deepEqual(spec['x-auth-errors'], rules)
    assert.equal(spec.auth_specification.One?.['x-auth-errors'], undefined)
    assert.deepEqual(spec.auth_specification.Two?.['x-auth-errors'], [
      { status: 200, ...dead },
      added,
    ])
    const plain = specOf({ ...facts, auth: { One: none() }, hosts: ['acme.test'] })
    assert.equal('x-auth-errors' in plain, false)
  })
})
