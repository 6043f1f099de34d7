import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { InputProperty } from '@linchpin/runner'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import {
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../../test/test-context.ts'
import { listEnumOptions } from './validate-config.ts'

const REGIONS = [
  { const: 'eu', title: 'Europe' },
  { const: 1, title: 7 },
]

describe('enumOptions', () => {
  const optionPairs = (property: InputProperty) =>
    listEnumOptions(property)?.map(({ value, label }) => [value, label])

  it('enumOptions returns the values of enum, const or a list of constants, with their labels', () => {
    assert.deepEqual(optionPairs({ enum: ['a', 2], 'x-labels': { a: 'A' } }), [
      ['a', 'A'],
      [2, undefined],
    ])
    assert.deepEqual(optionPairs({ const: false }), [[false, undefined]])
    const regions = [
      ['eu', 'Europe'],
      [1, 7],
    ]
    assert.deepEqual(optionPairs({ oneOf: REGIONS }), regions)
    assert.deepEqual(optionPairs({ anyOf: REGIONS }), regions)
  })

  it('enumOptions returns undefined without a list, or for a list that contains more than constants', () => {
    const notListed = [{ enum: [] }, { oneOf: [] }, { oneOf: 'x' }, { anyOf: [{ const: 1 }, {}] }]
    for (const property of [{}, ...notListed, { oneOf: [null] }] as InputProperty[])
      assert.equal(listEnumOptions(property), undefined, JSON.stringify(property))
  })
})

describe('POST /v1/integration_account/check with enum fields', () => {
  let t: TestContext
  let integrationDefinitionId: string
  before(async () => {
    t = await testContext()
    const properties = {
      region: { oneOf: REGIONS },
      version: { const: 'v2' },
      twice: { enum: [1, 1] },
    }
    const Key = { input_specification: { type: 'object', properties } }
    const definition = await t.createDefinition({
      code: createMiniBundle({ auth_specification: { Key } }),
    })
    integrationDefinitionId = definition.integrationDefinitionId
  })
  after(() => t.close())

  const check = (config: object) =>
    t.call('POST', '/v1/integration_account/check', {
      body: { integrationDefinitionId, authType: 'Key', config },
    })

  it('POST /v1/integration_account/check: accepts listed values and rejects any other', async () => {
    assert.equal(expectOk(await check({ region: 'eu', version: 'v2', twice: 1 })).status, true)
    const { errors } = expectError(
      await check({ region: 'us', version: 'v3', twice: 2 }),
      'validation_failed',
    )
    assert.deepEqual(Object.keys(errors).sort(), [
      'config.region',
      'config.twice',
      'config.version',
    ])
  })
})
