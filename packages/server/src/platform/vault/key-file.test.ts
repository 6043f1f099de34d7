import assert from 'node:assert/strict'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createTemporaryFolder } from '../storage/test/test-database.ts'
import { loadOrCreateKeyFile, parseKeys } from './key-ring.ts'

describe('Key file', () => {
  it('the key file is created once, with mode 0600, and read from then on', async (t) => {
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

  it('the key file contains one key when several processes create it simultaneously', async (t) => {
    const path = join(await createTemporaryFolder(t), 'keys')
    const files = await Promise.all(Array.from({ length: 8 }, () => loadOrCreateKeyFile(path)))
    assert.equal(new Set(files.map(({ keys }) => keys[0].id)).size, 1)
    assert.equal(files.filter(({ isNew }) => isNew).length, 1)
  })

  it('the key file causes a notice if other users can read it', async (t) => {
    const path = join(await createTemporaryFolder(t), 'keys')
    await loadOrCreateKeyFile(path)
    await chmod(path, 0o644)
    const { notice } = await loadOrCreateKeyFile(path)
    assert.match(notice ?? '', /644.*chmod 600/)
  })

  it('an empty or truncated key file is rejected and left unchanged', async (t) => {
    const path = join(await createTemporaryFolder(t), 'keys')
    await loadOrCreateKeyFile(path)
    const content = await readFile(path, 'utf8')
    for (const text of ['', content.slice(0, 20)]) {
      await writeFile(path, text)
      await assert.rejects(loadOrCreateKeyFile(path), /keys: key 1 .*Restore the original file/)
      assert.equal(await readFile(path, 'utf8'), text)
    }
  })

  it('the key file may contain several keys, one per line', async (t) => {
    const path = join(await createTemporaryFolder(t), 'keys')
    const { keys } = await loadOrCreateKeyFile(path)
    const newer = Buffer.alloc(32, 1).toString('base64')
    await writeFile(path, `newer:${newer}\n${await readFile(path, 'utf8')}`)
    const ids = (await loadOrCreateKeyFile(path)).keys.map(({ id }) => id)
    assert.deepEqual(ids, ['newer', keys[0].id])
  })
})
