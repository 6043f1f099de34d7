import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { LAYERS } from '../../scripts/layers.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

describe('the one-way street', () => {
  it('stands in README as the check holds it', () => {
    const line = LAYERS.map((names) => names.join(', ')).join(' > ')
    assert.ok(read('README.md').includes(`\`${line}\``), line)
  })

  it('has a place for every folder of the server, and no place for one that is gone', () => {
    const actual = globSync('packages/server/src/*', { cwd: ROOT })
      .map((file) => path.basename(file, '.ts'))
      .filter((name) => !name.endsWith('.test'))
    assert.ok(actual.length >= 20, `${actual.length} were found`)
    assert.deepEqual(LAYERS.flat().toSorted(), actual.toSorted())
  })

  it('is passed in AGENTS.md by a map that names every folder of the server and every package', () => {
    const map = read('AGENTS.md').split('\n## Map\n')[1]?.split('\n## ')[0] ?? ''
    const folders = globSync('packages/server/src/*/', { cwd: ROOT }).map((one) =>
      path.basename(one),
    )
    const packages = globSync('packages/*/', { cwd: ROOT }).map((one) => path.basename(one))
    assert.ok(folders.length >= 20 && packages.length >= 5)
    const missing = [...folders, ...packages].filter((name) => !map.includes(`${name}/`))
    assert.deepEqual(missing, [])
  })
})
