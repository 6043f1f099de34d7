import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { validateSpec } from './validate-spec.ts'

const EMPTY = {}
const google = {
  authorization_url: 'https://accounts.example/authorize',
  token_url: 'https://oauth2.example/token',
  authorization_params: { access_type: 'offline' },
}
const inputs = { type: 'object', properties: { api_key: { type: 'string' } } }

const normalized = (value: unknown) => {
  const result = validateSpec(value)
  assert.ok(typeof result === 'object', String(result))
  assert.deepEqual(JSON.parse(result.json), result.spec)
  return result.spec
}
const getValidationError = (value: unknown) => {
  const result = validateSpec(value)
  assert.ok(typeof result === 'string', JSON.stringify(result))
  return result
}

describe('validateSpec with older spellings', () => {
  it('normalizes specs of bundles of 2023', () => {
    assert.deepEqual(
      normalized({
        authSupported: ['OAuth2'],
        authSpecification: { OAuth2: google },
        supportedFilters: ['subject'],
        supportedSortBy: ['received_at'],
      }),
      {
        auth_specification: { OAuth2: { ...google, input_specification: EMPTY } },
        supportedFilters: ['subject'],
        supportedSortBy: ['received_at'],
      },
    )
    assert.deepEqual(
      normalized({
        authSupported: ['Api Key', 'OAuth2'],
        authSpecification: {
          'Api Key': { inputSpecification: inputs, headers: { Authorization: 'x' } },
          OAuth2: { tokenUrl: google.token_url, authorizationUrl: google.authorization_url },
          'Not supported': {},
        },
        otherInputs: { inputSpecification: inputs },
        apiBaseUrl: 'https://api.example',
      }),
      {
        auth_specification: {
          'Api Key': { input_specification: inputs, headers: { Authorization: 'x' } },
          OAuth2: {
            token_url: google.token_url,
            authorization_url: google.authorization_url,
            input_specification: EMPTY,
          },
        },
        other_inputs: { input_specification: inputs },
        api_base_url: 'https://api.example',
      },
    )
  })

  it('prefers the current spelling if both are present', () => {
    const mixedSpec = {
      authSupported: ['No type'],
      authSpecification: 7,
      auth_specification: {
        Key: { inputSpecification: 7, input_specification: inputs, tokenUrl: 7, token_url: '' },
      },
    }
    assert.deepEqual(normalized(mixedSpec), {
      auth_specification: { Key: { input_specification: inputs, token_url: '' } },
    })
  })

  it('adds empty inputs to an auth type without any, and keeps all other text', () => {
    const spec = {
      zeta: 1,
      auth_specification: { Key: { input_specification: inputs } },
      a: [null],
    }
    assert.equal((validateSpec(spec) as { json: string }).json, JSON.stringify(spec))
    assert.deepEqual(normalized({ auth_specification: { Key: {} } }), {
      auth_specification: { Key: { input_specification: EMPTY } },
    })
    const prototypeNamed = JSON.parse(
      '{"authSpecification":{"__proto__":{"inputSpecification":{}}}}',
    )
    assert.deepEqual(Object.keys(normalized(prototypeNamed).auth_specification), ['__proto__'])
  })

  it('rejects contradictory and invalid specs', () => {
    for (const [spec, expectedMessage] of [
      [{ authSpecification: [] }, 'auth_specification must be object'],
      [{ authSpecification: null }, 'auth_specification must be object'],
      [{ authSpecification: {} }, 'auth_specification must NOT have fewer than 1'],
      [{ authSupported: ['Key'] }, "must have required property 'auth_specification'"],
      [{ authSpecification: { Key: {} }, authSupported: 'Key' }, 'authSupported must be a list'],
      [{ authSpecification: { Key: {} }, authSupported: [7] }, 'authSupported must be a list'],
      [
        { authSpecification: { Key: {} }, authSupported: ['Other'] },
        'authSupported contains "Other"',
      ],
      [{ authSpecification: { Key: {} }, authSupported: ['toString'] }, 'contains "toString"'],
      [{ authSpecification: { Key: {} }, authSupported: [] }, 'NOT have fewer than 1'],
      [{ authSpecification: { Key: 'x' } }, 'auth_specification.Key must be object'],
      [{ authSpecification: { Key: { tokenUrl: 7 } } }, 'auth_specification.Key.token_url must'],
      [{ authSpecification: { Key: { inputSpecification: [] } } }, 'Key.input_specification must'],
      [[{ authSpecification: { Key: {} } }], 'the spec must be object'],
    ] as const)
      assert.ok(
        getValidationError(spec).includes(expectedMessage),
        `${JSON.stringify(spec)}: ${getValidationError(spec)}`,
      )
  })
})
