import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { summarizeWalk } from './summarize-walk.ts'

describe('summarizeWalk', () => {
  it('counts files, functions, hops and returns, and leaves out the infrastructure', () => {
    const walk = summarizeWalk([
      { file: 'platform/http/log.ts', line: 1 },
      { file: 'connect/links/routes.ts', line: 10 },
      { file: 'connect/links/create-link.ts', line: 20 },
      { file: 'platform/storage/database.ts', line: 5 },
      { file: 'connect/links/create-link.ts', line: 30 },
      { file: 'connect/links/routes.ts', line: 10 },
      { file: 'connect/links/serialize-link.ts', line: 1 },
    ])
    assert.deepEqual(walk, {
      files: 3,
      functions: 4,
      hops: 3,
      returns: 1,
      path: [
        'connect/links/routes.ts',
        'connect/links/create-link.ts',
        'connect/links/serialize-link.ts',
      ],
    })
  })
})
