import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { MUTANTS } from './mutants.ts'

const ROOT = path.join(import.meta.dirname, '../..')

describe('The table of planted defects', () => {
  it('has at least 30, with different names', () => {
    assert.ok(MUTANTS.length >= 30)
    assert.equal(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length)
  })

  it('names texts that occur once in their files, and what really changes them', () => {
    for (const { name, file, original, replacement } of MUTANTS) {
      assert.equal(read(file).split(original).length, 2, name)
      assert.notEqual(original, replacement, name)
    }
  })
})

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8')
}
