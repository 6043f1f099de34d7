import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { renderFiles } from '../scripts/generate/generated-files.ts'
import { compileDeclarations, LIBRARIES, readDeclarations } from '../scripts/pack/library.ts'

const ROOT = path.join(import.meta.dirname, '..')

describe('Files that are generated and checked in', () => {
  it('are what `npm run generate` writes: otherwise run it', async () => {
    const files = Object.entries(await renderFiles())
    assert.ok(files.length > 10)
    const stale = files.filter(([file, content]) => read(file) !== content).map(([file]) => file)
    assert.deepEqual(stale, [])
  })

  for (const [name, library] of Object.entries(LIBRARIES))
    it(`are the declarations of the ${name} in published/: otherwise run npm run generate`, () => {
      const current = compileDeclarations(library)
      assert.ok(current.size > 5)
      assert.deepEqual(readDeclarations(library), current)
    })
})

function read(file: string): string | undefined {
  const location = path.join(ROOT, file)
  return existsSync(location) ? readFileSync(location, 'utf8') : undefined
}
