import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import {
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../../test/test-context.ts'

const SPEC = {
  auth_specification: {
    Key: {
      input_specification: {
        type: 'object',
        required: ['key'],
        properties: {
          key: { type: 'string', minLength: 4 },
          count: { type: 'integer', minimum: 1, maximum: 3 },
          size: { type: 'number' },
          live: { type: 'boolean' },
          either: { type: ['string', 'null'] },
          tags: { type: 'array' },
          extra: { type: 'object' },
          region: { type: 'string', enum: ['eu', 'us', 7] },
          short: { type: 'string', maxLength: 3 },
          mail: { type: 'string', format: 'email' },
          link: { type: 'string', format: 'uri' },
          day: { type: 'string', format: 'date' },
          own: { type: 'string', format: 'no-such-format' },
          odd: { type: 'no-such-type' },
          free: {},
          code: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' },
          part: { type: 'string', pattern: 'mid' },
          slow: { type: 'string', pattern: '^(a+)+$' },
          reference: { $ref: 'https://example.com/schema.json' },
        },
      },
    },
    Other: { input_specification: { type: 'object', required: ['other'], properties: {} } },
    Bare: {},
  },
  other_inputs: {
    input_specification: {
      type: 'object',
      required: ['site'],
      properties: { site: { type: 'string', pattern: '^[a-z]+$' } },
    },
  },
}

describe('Configuration validation', () => {
  let t: TestContext
  let integrationDefinitionId: string
  before(async () => {
    t = await testContext()
    integrationDefinitionId = String(
      (await t.createDefinition({ code: createMiniBundle(SPEC) })).integrationDefinitionId,
    )
  })
  after(() => t.close())

  const check = (config: object, authType = 'Key') =>
    t.call('POST', '/v1/integration_account/check', {
      body: { integrationDefinitionId, authType, config },
    })
  const validConfig = { key: 'long enough', site: 'north' }
  const errorFields = async (config: object, authType = 'Key') => {
    const { errors } = expectError(await check(config, authType), 'validation_failed')
    return Object.keys(errors).sort()
  }

  it('Configuration validation: lists all missing fields of the auth type and of other_inputs at once', async () => {
    assert.deepEqual(await errorFields({}), ['config.key', 'config.site'])
    assert.deepEqual(await errorFields({}, 'Other'), ['config.other', 'config.site'])
    assert.deepEqual(await errorFields({}, 'Bare'), ['config.site'])
    assert.equal(expectOk(await check({ site: 'north' }, 'Bare')).status, true)
  })

  it('Configuration validation: reports patterns together with all other errors', async () => {
    const invalid = { key: 'abc', site: 'NORTH', count: 9, code: 'ab-1' }
    assert.deepEqual(await errorFields(invalid), [
      ...['config.code', 'config.count', 'config.key', 'config.site'],
    ])
  })

  it('Configuration validation: types are not coerced', async () => {
    const invalid = {
      key: 12_345,
      site: ['a'],
      count: '1',
      size: '1',
      live: 'true',
      either: 1,
      tags: {},
      extra: [],
    }
    assert.deepEqual(
      await errorFields(invalid),
      Object.keys(invalid)
        .map((name) => `config.${name}`)
        .sort(),
    )
    const valid = { count: 3, size: 1.5, live: false, either: null, tags: [1], extra: { a: 1 } }
    assert.equal(expectOk(await check({ ...validConfig, ...valid })).status, true)
  })

  for (const [field, rejectedValues, acceptedValues] of [
    ['key', ['abc'], ['abcd', '🚀🚀🚀🚀']],
    ['count', [0, 4, 1.5], [1, 3]],
    ['region', ['EU', '', 'eu '], ['eu', 'us']],
    ['short', ['long'], ['', 'abc']],
    ['mail', ['no-at-sign', 'a@b@c'], ['a@example.com']],
    ['link', ['not a url', '/path'], ['https://example.com/a?b']],
    ['day', ['21.11.2026', 'today', '2026-13-01', '2026-02-30'], ['2026-11-21']],
    ['code', ['ab-1', 'AB-', 'xAB-1', 'AB-1\n'], ['AB-1', 'ZZ-999']],
    ['part', ['', 'MID'], ['mid', 'in the middle']],
  ] as const) {
    it(`Configuration validation: field ${field} rejects ${JSON.stringify(rejectedValues)} and accepts ${JSON.stringify(acceptedValues)}`, async () => {
      for (const value of rejectedValues)
        assert.deepEqual(await errorFields({ ...validConfig, [field]: value }), [`config.${field}`])
      for (const value of acceptedValues)
        assert.equal(expectOk(await check({ ...validConfig, [field]: value })).status, true)
    })
  }

  it('Configuration validation: accepts unknown keys, formats, types and references', async () => {
    const unknownConfig = { unknown: { deep: [1] }, own: 'x', odd: 7, free: [null], reference: 1 }
    assert.equal(expectOk(await check({ ...validConfig, ...unknownConfig })).status, true)
  })

  it('Configuration validation: error messages never contain a value', async () => {
    const secret = 'canary-canary'
    const response = await check({
      ...validConfig,
      region: secret,
      code: secret,
      mail: secret,
      count: secret,
    })
    expectError(response, 'validation_failed')
    assert.ok(!response.text.includes(secret))
  })

  it('Configuration validation: 502 for a pattern that never finishes, while the service stays responsive', async () => {
    const started = performance.now()
    const slow = check({ ...validConfig, slow: `${'a'.repeat(60)}!` })
    expectOk(await t.call('GET', '/v1/user'))
    assert.ok(performance.now() - started < 5_000, 'other requests must not wait for the pattern')
    expectError(await slow, 'integration_timeout')
    assert.ok(performance.now() - started < 40_000)
    assert.equal(expectOk(await check({ ...validConfig, slow: 'aaa' })).status, true)
  })

  it('Configuration validation: happens before any bundle code runs', async () => {
    const response = await check({ mode: 'throw', site: 'north' })
    expectError(response, 'validation_failed')
  })
})
