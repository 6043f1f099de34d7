import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { AUTH_SCHEMA, INPUT_SCHEMA, PROPERTY_SCHEMA, SPEC_SCHEMA } from './spec-schema.ts'

const root = new URL('../../../../../', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, root), 'utf8')

/** Where a field stands, as the document calls it; who judges it; the type that declares it. */
const PLACES = [
  ['spec', SPEC_SCHEMA, 'Spec'],
  ['auth type', AUTH_SCHEMA, 'AuthSpecification'],
  ['inputs', INPUT_SCHEMA, 'InputSpecification'],
  ['field', PROPERTY_SCHEMA, 'InputProperty'],
] as const

describe('the fields of a spec', () => {
  const rows = documented()
  const types = read('packages/runner/src/protocol.ts')

  for (const [place, schema, type] of PLACES) {
    const judged = Object.keys(schema.properties).toSorted()

    it(`of a place called "${place}" are the same in docs/bundles.md and in their judge`, () => {
      const told = rows.filter((row) => row.place === place).map((row) => row.field)
      assert.ok(told.length >= 3, `${told.length} fields were found`)
      assert.deepEqual(told.toSorted(), judged)
    })

    it(`of a place called "${place}" are the same in the bundle protocol and in their judge`, () => {
      const body = types.split(`export interface ${type} {`)[1]?.split('\n}')[0] ?? ''
      const declared = [...body.matchAll(/^ {2}readonly '?([\w-]+)'?\??:/gm)].map(
        ([, name]) => name,
      )
      assert.deepEqual(declared.toSorted(), judged)
    })
  }

  it('that stand in the document stand in one of these places, each once', () => {
    const places: readonly string[] = PLACES.map(([place]) => place)
    for (const { place, field } of rows) assert.ok(places.includes(place), `${field}: ${place}`)
    assert.equal(new Set(rows.map((row) => `${row.place} ${row.field}`)).size, rows.length)
  })

  it('that sign-in and the proxy read are judged', () => {
    const signIn = read('packages/server/src/oauth/spec/auth-type.ts')
    const found = [...signIn.matchAll(/\bauth(?:\.(\w+)|\['([\w-]+)'\])/g)].map(
      ([, plain, quoted]) => plain ?? quoted ?? '',
    )
    const names = new Set(found.filter((name) => name !== 'auth_specification'))
    assert.ok(names.size >= 18, `${names.size} fields were found`)
    const judged = Object.keys(AUTH_SCHEMA.properties)
    for (const name of names) assert.ok(judged.includes(name), name)
    const proxy = read('packages/server/src/proxy/proxy-target.ts')
    assert.ok(proxy.includes('api_base_url') && judged.includes('api_base_url'))
  })
})

function documented(): { field: string; place: string }[] {
  const section = read('docs/bundles.md').split('\n## What each field of a spec does\n')[1] ?? ''
  const lines = section.split('\n## ')[0]?.split('\n') ?? []
  return lines
    .map((line) => /^\| `([\w-]+)` \| ([\w ]+) \|/.exec(line))
    .flatMap((match) => (match === null ? [] : [{ field: match[1] ?? '', place: match[2] ?? '' }]))
}
