import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FastifySchemaCompiler } from 'fastify'
import Type from 'typebox'
import { findNamedSchemas, listOf, ref, StrictObject } from './schema.ts'
import { createValidatorCompiler } from './validation.ts'

const Leaf = Type.String({ $id: 'Leaf', minLength: 2 })
const Branch = StrictObject({ leaf: Type.Optional(ref(Leaf)) }, { $id: 'Branch' })

/** Whether `value` is a valid body of `schema`. */
const isValid = (compile: FastifySchemaCompiler<object>, schema: object, value: unknown) =>
  (compile({ schema, httpPart: 'body', method: 'POST', url: '/' }) as (value: unknown) => unknown)(
    value,
  ) === true

describe('findNamedSchemas', () => {
  it('finds the schemas behind references, lists, optional fields and copies', () => {
    assert.deepEqual([...findNamedSchemas(listOf(Branch))], [Branch, Leaf])
    assert.deepEqual([...findNamedSchemas({ ...ref(Leaf), description: 'copied' })], [Leaf])
    assert.deepEqual([...findNamedSchemas(Leaf)], [])
  })
})

describe('createValidatorCompiler', () => {
  it('validates a body by the schemas that its reference carries', () => {
    const compile = createValidatorCompiler()
    assert.ok(isValid(compile, ref(Branch), { leaf: 'ab' }))
    assert.ok(!isValid(compile, ref(Branch), { leaf: 'a' }))
    assert.ok(isValid(compile, listOf(Branch), [{}]))
  })

  it('distinguishes schemas of the same name in different apps', () => {
    const OtherLeaf = Type.String({ $id: 'Leaf', minLength: 1 })
    assert.ok(!isValid(createValidatorCompiler(), ref(Leaf), 'a'))
    assert.ok(isValid(createValidatorCompiler(), ref(OtherLeaf), 'a'))
  })

  it('compiles no schema before the first request', () => {
    const unknownReference = { $ref: 'Missing#' }
    const compile = createValidatorCompiler()
    const validate = compile({
      schema: unknownReference,
      httpPart: 'body',
      method: 'POST',
      url: '/',
    })
    assert.throws(() => (validate as (value: unknown) => unknown)({}), /Missing/)
  })
})
