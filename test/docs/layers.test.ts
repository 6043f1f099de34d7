import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { LAYERS } from '../../scripts/layers.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

describe('The layers of the server', () => {
  it('are listed in docs/architecture.md as scripts/layers.ts has them', () => {
    const line = LAYERS.map((names) => names.join(', ')).join(' > ')
    assert.ok(read('docs/architecture.md').includes(`\`${line}\``), line)
  })

  it('contain every folder of the server and no missing one', () => {
    const actual = globSync('packages/server/src/*', { cwd: ROOT })
      .map((file) => path.basename(file, '.ts'))
      .filter((name) => !name.endsWith('.test'))
    assert.ok(actual.length >= 20, `${actual.length} were found`)
    assert.deepEqual(LAYERS.flat().toSorted(), actual.toSorted())
  })

  it('and all packages are in the map of AGENTS.md', () => {
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
