import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compileDeclarations, LIBRARIES, readDeclarations } from './library.ts'

describe('The declarations in published/', () => {
  for (const [name, library] of Object.entries(LIBRARIES))
    it(`of the ${name} are those of its sources: otherwise run npm run sdk:types`, () => {
      const current = compileDeclarations(library)
      assert.ok(current.size > 5)
      assert.deepEqual(readDeclarations(library), current)
    })
})
