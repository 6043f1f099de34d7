import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { renderSchema } from '../../../scripts/generate/render-schema.ts'

describe('The type of a schema', () => {
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
