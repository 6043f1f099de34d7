import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getKnownValues, toRequestSchema, toResponseSchema } from './complete-document.ts'

describe('Schemas of responses for clients', () => {
  it('allow values of later versions beside the known ones', () => {
    const known = { type: 'string', enum: ['active', 'error'] }
    const open = { description: 'State.', anyOf: [known, { type: 'string' }] }
    assert.deepEqual(toResponseSchema({ ...known, description: 'State.' }), open)
    assert.deepEqual(toResponseSchema({ type: ['string', 'null'], 'x-known-values': ['a'] }), {
      anyOf: [{ type: 'string', enum: ['a'] }, { type: 'string' }, { type: 'null' }],
    })
    assert.deepEqual(getKnownValues(open), known.enum)
    assert.equal(getKnownValues({ anyOf: [{ type: 'object' }] }), undefined)
    assert.deepEqual(toResponseSchema(open), open, 'a second time changes nothing')
  })

  it('leave constants that are no texts', () => {
    const schema = { type: 'boolean', enum: [true] }
    assert.deepEqual(toResponseSchema(schema), schema)
  })

  it('allow fields of later versions, at any depth; a map keeps the schema of its values', () => {
    const closed = { type: 'object', additionalProperties: false }
    const map = { type: 'object', additionalProperties: { type: 'string' } }
    assert.deepEqual(
      toResponseSchema({ ...closed, properties: { list: { type: 'array', items: closed }, map } }),
      { type: 'object', properties: { list: { type: 'array', items: { type: 'object' } }, map } },
    )
  })

  it('treat fields with the names of keywords as fields', () => {
    const schema = { type: 'object', properties: { enum: { type: 'string', enum: ['x'] } } }
    const { enum: field } = toResponseSchema(schema).properties as Record<string, object>
    assert.deepEqual(field, { anyOf: [{ type: 'string', enum: ['x'] }, { type: 'string' }] })
  })
})

describe('Schemas of requests for clients', () => {
  it('have a oneOf for a text or an object, with the limits of each', () => {
    assert.deepEqual(
      toRequestSchema({
        type: ['string', 'object'],
        maxLength: 9,
        maxProperties: 2,
        description: 'It.',
      }),
      {
        description: 'It.',
        oneOf: [
          { type: 'string', maxLength: 9 },
          { type: 'object', maxProperties: 2 },
        ],
      },
    )
  })

  it('keep a list of other types', () => {
    const nullable = { type: ['string', 'null'], maxLength: 9 }
    assert.deepEqual(toRequestSchema(nullable), nullable)
  })

  it('have the branches of `if` in that oneOf', () => {
    const then = { enum: ['all'] }
    const otherwise = { properties: { since: { type: 'string' } }, required: ['since'] }
    const schema = {
      type: ['string', 'object', 'null'],
      if: { type: 'string' },
      then,
      else: otherwise,
    }
    const { oneOf } = toRequestSchema(schema)
    const branches = [
      { type: 'string', ...then },
      { type: 'object', ...otherwise },
      { type: 'null' },
    ]
    assert.deepEqual(oneOf, branches)
  })

  it('stay closed: an unknown value or field is an error', () => {
    const closed = {
      type: 'object',
      additionalProperties: false,
      properties: { mode: { enum: ['a'] } },
    }
    assert.deepEqual(toRequestSchema(closed), closed)
  })
})
