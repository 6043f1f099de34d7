// biome-ignore-all lint/suspicious/noTemplateCurlyInString: URLs of specs use this syntax
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Spec } from '@linchpin/runner'
import { compareSpecs } from './preview-definition.ts'

const OAUTH = {
  authorization_url: 'https://login.acme.example/authorize',
  token_url: 'https://api.acme.example/token',
}
const createSpec = (auth: object, overrides: object = {}): Spec => ({
  auth_specification: { OAuth2: { ...OAUTH, ...auth } },
  ...overrides,
})

describe('compareSpecs', () => {
  it('lists changed hosts that receive tokens, whether or not the bundle may call them', () => {
    const listed = { 'x-hosts': ['api.acme.example'] }
    const before = createSpec({}, listed)
    const compareHosts = (after: Spec) => compareSpecs(before, after).hosts
    assert.deepEqual(compareHosts(before), { added: [], removed: [] })
    assert.deepEqual(
      compareHosts(createSpec({ token_url: 'https://Tokens.evil.example:8443/x' }, listed)),
      {
        added: ['tokens.evil.example'],
        removed: [],
      },
    )
    const otherHost = { authorization_url: 'https://${region}.acme.example/authorize' }
    assert.deepEqual(compareHosts(createSpec(otherHost, listed)), {
      added: ['${region}.acme.example'],
      removed: ['login.acme.example'],
    })
    const withApiBase = { ...listed, api_base_url: 'https://calls.acme.example/v2' }
    assert.deepEqual(
      compareHosts(createSpec({ refresh_url: '${base_url}/refresh' }, withApiBase)),
      {
        added: ['calls.acme.example'],
        removed: [],
      },
    )
    for (const auth of [
      { pushed_authorization_request_url: 'https://new.acme.example/par' },
      { revocation_url: 'https://new.acme.example/revoke' },
      { 'x-revocation': [{ url: 'https://new.acme.example/revoke', form: { a: '${token}' } }] },
      { 'x-renew': { url: 'https://new.acme.example/renew', params: {} } },
      {
        'x-renew': {
          url: 'https://api.acme.example/renew',
          params: {},
          first: { url: 'https://new.acme.example/first', params: {} },
        },
      },
    ])
      assert.deepEqual(
        compareHosts(createSpec(auth, listed)),
        { added: ['new.acme.example'], removed: [] },
        JSON.stringify(auth),
      )
    assert.deepEqual(compareHosts(createSpec({})), { added: ['*'], removed: [] })
  })

  it('lists changed scopes, auth types and fields', () => {
    const key = { type: 'string' } as const
    const before = createSpec({ default_scopes: ['read'] })
    const after: Spec = {
      ...createSpec({ default_scopes: ['read', 'write'] }),
      other_inputs: { input_specification: { required: ['region'], properties: { region: key } } },
    }
    const region = { authType: null, name: 'region' }
    const { scopes, authTypes, fields } = compareSpecs(before, after)
    assert.deepEqual(scopes, { added: ['write'], removed: [] })
    assert.deepEqual(authTypes, { added: [], removed: [] })
    assert.deepEqual(fields, { added: [region], removed: [], changed: [], nowRequired: [region] })
    const reverted = compareSpecs(after, { auth_specification: { 'Api Key': {} } })
    assert.deepEqual(reverted.authTypes, { added: ['Api Key'], removed: ['OAuth2'] })
    assert.deepEqual(reverted.fields.removed, [region])
  })
})
