import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { summarizeWalk } from './summarize-walk.ts'

describe('summarizeWalk', () => {
  it('counts files, functions, hops and returns, and leaves out the infrastructure', () => {
    const walk = summarizeWalk([
      { file: 'http/log.ts', line: 1 },
      { file: 'links/routes.ts', line: 10 },
      { file: 'links/create-link.ts', line: 20 },
      { file: 'storage/database.ts', line: 5 },
      { file: 'links/create-link.ts', line: 30 },
      { file: 'links/routes.ts', line: 10 },
      { file: 'links/serialize-link.ts', line: 1 },
    ])
    assert.deepEqual(walk, {
      ...{ files: 3, functions: 4, hops: 3, returns: 1 },
      path: ['links/routes.ts', 'links/create-link.ts', 'links/serialize-link.ts'],
    })
  })
})
