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

  it('names tests that exist, or what their titles are made of: a renamed test would catch nothing', () => {
    const missing = MUTANTS.filter(({ caughtBy }) => !hasTest(caughtBy.file, caughtBy.test))
    assert.deepEqual(
      missing.map(({ name, caughtBy }) => [name, caughtBy]),
      [],
    )
  })
})

// A title: a text, or a template.
const TITLE =
  /\b(?:it|test|describe\w*)\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g
const IMPORT = /from '(\.[^']+)'/g

/** Whether the file, or one that it imports, has this title, or a template for it whose values they contain. */
function hasTest(file: string, title: string): boolean {
  const text = read(file)
  const folder = path.dirname(file)
  const imported = [...text.matchAll(IMPORT)].map(([, name = '']) => read(path.join(folder, name)))
  const source = [text, ...imported].join('\n')
  return [...source.matchAll(TITLE)].some(([, single, double, template]) => {
    const plain = single ?? double
    if (plain !== undefined) return plain.replaceAll(/\\(.)/g, '$1') === title
    const values = toPattern(template ?? '')
      .exec(title)
      ?.slice(1)
    return values?.every((value) => source.includes(value.replaceAll('"', ''))) === true
  })
}

function toPattern(template: string): RegExp {
  const parts = template.split(/\$\{[^}]*\}/).map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('(.+)')}$`)
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8')
}
