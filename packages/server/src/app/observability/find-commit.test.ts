import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createTemporaryFolder } from '../../platform/storage/test/test-database.ts'
import { findCommit } from './metrics.ts'

it('The commit of the running code is that of the release, of the clone, or unknown', async (t) => {
  const folder = await createTemporaryFolder(t)
  const root = pathToFileURL(`${folder}/`)
  assert.equal(findCommit(root), 'unknown')
  mkdirSync(join(folder, '.git/refs/heads'), { recursive: true })
  writeFileSync(join(folder, '.git/HEAD'), `${'a'.repeat(40)}\n`)
  assert.equal(findCommit(root), 'a'.repeat(40))
  writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/main\n')
  assert.equal(findCommit(root), 'unknown')
  writeFileSync(join(folder, '.git/refs/heads/main'), `${'b'.repeat(40)}\n`)
  assert.equal(findCommit(root), 'b'.repeat(40))
  writeFileSync(join(folder, 'release.json'), JSON.stringify({ commit: 'c'.repeat(40) }))
  assert.equal(findCommit(root), 'c'.repeat(40))
})
