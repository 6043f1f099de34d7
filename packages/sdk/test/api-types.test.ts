import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { createGroups } from '../../../scripts/sdk-types/create-groups.ts'
import { createTypes } from '../../../scripts/sdk-types/create-types.ts'
import { renderSchema } from '../../../scripts/sdk-types/render-schema.ts'
import { testApp } from '../../server/test/test-app.ts'

describe('The types and the methods of the SDK', () => {
  it('are those of the OpenAPI document that the service serves: otherwise run npm run sdk:types', async () => {
    const t = await testApp()
    try {
      const { body } = await t.call('GET', '!/api/openapi.json', { token: null })
      assert.equal(readSource('api-types.ts'), createTypes(body))
      assert.equal(readSource('api-groups.ts'), createGroups(body))
    } finally {
      await t.close()
    }
  })

  for (const [title, schema, type] of [
    [
      'an object without declared fields is a record',
      { type: 'object' },
      'Record<string, unknown>',
    ],
    [
      'a nullable list of two types has parentheses',
      { type: ['array', 'null'], items: { type: ['string', 'object'] } },
      '(string | Record<string, unknown>)[] | null',
    ],
    ['a constant is a literal', { type: 'string', const: 'a' }, "'a'"],
    [
      'an enum is a union of literals',
      { type: ['string', 'null'], enum: ['a', null] },
      "'a' | null",
    ],
  ] as const)
    it(`${title}`, () => assert.equal(renderSchema(schema), type))

  it('a schema without a type is an error, so that no part of the document is silently any', () => {
    assert.throws(() => renderSchema({ description: 'a list', items: {} }), /No type/)
    assert.equal(renderSchema({ description: 'any value' }), 'unknown')
    assert.equal(renderSchema({ anyOf: [{ type: 'string' }, { type: 'null' }] }), 'string | null')
    assert.throws(() => renderSchema({ type: 'tuple' }), /Unknown type/)
  })
})

function readSource(file: string): string {
  return readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8')
}
