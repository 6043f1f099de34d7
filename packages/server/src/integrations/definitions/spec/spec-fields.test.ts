import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Ajv } from 'ajv'
import { AUTH_SCHEMA, INPUT_SCHEMA, PROPERTY_SCHEMA, SPEC_SCHEMA } from './spec-schema.ts'

const root = new URL('../../../../../../', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, root), 'utf8')

/** The location of a field in docs/bundles.md, the schema that validates it, the type that declares it. */
const SPEC_SECTIONS = [
  ['spec', SPEC_SCHEMA, 'Spec'],
  ['auth type', AUTH_SCHEMA, 'AuthSpecification'],
  ['inputs', INPUT_SCHEMA, 'InputSpecification'],
  ['field', PROPERTY_SCHEMA, 'InputProperty'],
] as const

describe('the schema of a spec', () => {
  it('is valid JSON Schema, which validateSpec does not check', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false })
    assert.equal(ajv.validateSchema(SPEC_SCHEMA), true, ajv.errorsText())
  })
})

describe('the fields of a spec', () => {
  const rows = parseDocumentedFields()
  const types = read('packages/runner/src/protocol.ts')

  for (const [section, schema, type] of SPEC_SECTIONS) {
    const validatedFields = Object.keys(schema.properties).toSorted()

    it(`in the section "${section}" are the same in docs/bundles.md and the schema`, () => {
      const documentedFields = rows.filter((row) => row.place === section).map((row) => row.field)
      assert.ok(documentedFields.length >= 3, `${documentedFields.length} fields were found`)
      assert.deepEqual(documentedFields.toSorted(), validatedFields)
    })

    it(`in the section "${section}" are the same in the bundle protocol and the schema`, () => {
      const body = types.split(`export interface ${type} {`)[1]?.split('\n}')[0] ?? ''
      const declared = [...body.matchAll(/^ {2}readonly '?([\w-]+)'?\??:/gm)].map(
        ([, name]) => name,
      )
      assert.deepEqual(declared.toSorted(), validatedFields)
    })
  }

  it('in docs/bundles.md are in one of these sections, each once', () => {
    const sectionNames: readonly string[] = SPEC_SECTIONS.map(([section]) => section)
    for (const { place, field } of rows)
      assert.ok(sectionNames.includes(place), `${field}: ${place}`)
    assert.equal(new Set(rows.map((row) => `${row.place} ${row.field}`)).size, rows.length)
  })

  it('that OAuth and the proxy read are validated', () => {
    const signIn = read('packages/server/src/integrations/oauth/spec/parse-oauth-type.ts')
    const found = [...signIn.matchAll(/\bauth(?:\.(\w+)|\['([\w-]+)'\])/g)].map(
      ([, plain, quoted]) => plain ?? quoted ?? '',
    )
    const names = new Set(found.filter((name) => name !== 'auth_specification'))
    assert.ok(names.size >= 18, `${names.size} fields were found`)
    const validatedFields = Object.keys(AUTH_SCHEMA.properties)
    for (const name of names) assert.ok(validatedFields.includes(name), name)
    const proxy = read('packages/server/src/accounts/proxy/proxy-target.ts')
    assert.ok(proxy.includes('api_base_url') && validatedFields.includes('api_base_url'))
  })
})

function parseDocumentedFields(): { field: string; place: string }[] {
  const section = read('docs/bundles.md').split('\n## What each field of a spec does\n')[1] ?? ''
  const lines = section.split('\n## ')[0]?.split('\n') ?? []
  return lines
    .map((line) => /^\| `([\w-]+)` \| ([\w ]+) \|/.exec(line))
    .flatMap((match) => (match === null ? [] : [{ field: match[1] ?? '', place: match[2] ?? '' }]))
}
