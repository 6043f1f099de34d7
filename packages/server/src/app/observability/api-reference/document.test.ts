import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { type TestApp, testApp } from '../../../../test/test-app.ts'
import { listOperations, type OpenApiDocument, type Schema } from './openapi-document.ts'
import { createSamples } from './render-operation.ts'

describe('The API reference', () => {
  let t: TestApp
  let document: OpenApiDocument
  before(async () => {
    t = await testApp()
    document = t.app.swagger() as unknown as OpenApiDocument
  })
  after(() => t.close())

  it('has a description for every field and parameter', () => {
    const parameters = document.tags
      .flatMap(({ name }) => listOperations(document, name))
      .flatMap(({ operation }) => operation.parameters ?? [])
    const missing = [
      ...parameters.filter(({ description }) => !description).map(({ name }) => name),
      ...Object.entries(document.components.schemas).flatMap(([name, schema]) =>
        listUndescribed(name, schema),
      ),
    ]
    assert.deepEqual(missing, [])
  })

  it('has samples in curl that the shell reads as one request each', () => {
    const operations = document.tags.flatMap(({ name }) => listOperations(document, name))
    const script = operations.map((entry) => createSamples(document, entry).curl).join('\n')
    const args = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$1"; }\n${script}`], {
      encoding: 'utf8',
    })
    assert.equal(args.trim().split('\n').length, operations.length)
    assert.doesNotMatch(script, /undefined|\{\w+\}/)
  })
})

/** The fields without a description, except references, whose schema has one. */
function listUndescribed(path: string, schema: Schema): string[] {
  const fields = Object.entries(schema.properties ?? {})
  return [
    ...(schema.items === undefined ? [] : listUndescribed(`${path}[]`, schema.items)),
    ...fields
      .filter(([, field]) => !field.description && field.$ref === undefined)
      .map(([name]) => `${path}.${name}`),
    ...fields.flatMap(([name, field]) => listUndescribed(`${path}.${name}`, field)),
  ]
}
