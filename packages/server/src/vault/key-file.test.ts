import assert from 'node:assert/strict'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createTemporaryFolder } from '../storage/test/test-database.ts'
import { loadOrCreateKeyFile } from './key-file.ts'
import { parseKeys } from './key-ring.ts'

describe('the key file', () => {
  it('is made once, whole, for its owner only, and read from then on', async (t) => {
    const folder = await createTemporaryFolder(t)
    const path = join(folder, 'keys')
    const created = await loadOrCreateKeyFile(path)
    assert.equal(created.isNew, true)
    assert.equal(created.notice, undefined)
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.deepEqual(await readdir(folder), ['keys'])
    const [{ id, key }] = parseKeys((await readFile(path, 'utf8')).trim())
    assert.equal(id, created.keys[0].id)
    assert.ok(key.equals(created.keys[0].key))

    const reloaded = await loadOrCreateKeyFile(path)
    assert.equal(reloaded.isNew, false)
    assert.ok(reloaded.keys[0].key.equals(key))
  })

  it('ends up as one key when several processes make it at once', async (t) => {
    const path = join(await createTemporaryFolder(t), 'keys')
    const files = await Promise.all(Array.from({ length: 8 }, () => loadOrCreateKeyFile(path)))
    assert.equal(new Set(files.map(({ keys }) => keys[0].id)).size, 1)
    assert.equal(files.filter(({ isNew }) => isNew).length, 1)
  })

  it('says so when others can read it', async (t) => {
    const path = join(await createTemporaryFolder(t), 'keys')
    await loadOrCreateKeyFile(path)
    await chmod(path, 0o644)
    const { notice } = await loadOrCreateKeyFile(path)
    assert.match(notice ?? '', /644.*chmod 600/)
  })

  it('refuses an empty or truncated file and leaves it as it is', async (t) => {
    const path = join(await createTemporaryFolder(t), 'keys')
    await loadOrCreateKeyFile(path)
    const content = await readFile(path, 'utf8')
    for (const text of ['', content.slice(0, 20)]) {
      await writeFile(path, text)
      await assert.rejects(loadOrCreateKeyFile(path), /keys: key 1 .*Put the right file back/)
      assert.equal(await readFile(path, 'utf8'), text)
    }
  })

  it('takes several keys, one per line', async (t) => {
    const path = join(await createTemporaryFolder(t), 'keys')
    const { keys } = await loadOrCreateKeyFile(path)
    const newer = Buffer.alloc(32, 1).toString('base64')
    await writeFile(path, `newer:${newer}\n${await readFile(path, 'utf8')}`)
    const ids = (await loadOrCreateKeyFile(path)).keys.map(({ id }) => id)
    assert.deepEqual(ids, ['newer', keys[0].id])
  })
})
