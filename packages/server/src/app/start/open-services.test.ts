import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { openDatabase } from '../../platform/storage/open-database.ts'
import { createTemporaryFolder } from '../../platform/storage/test/test-database.ts'
import { readEnvironment } from './environment.ts'
import { openServices } from './open-services.ts'

const FIXTURE = new URL('../../../migrations/fixtures/38d70a5c.sqlite.sql', import.meta.url)
const options = { onNotice: () => {}, onFatal: () => {}, now: Date.now, exclusive: true }

it('does not migrate an older database whose keys are missing or have other bytes', async (t) => {
  const folder = await createTemporaryFolder(t)
  const file = join(folder, 'linchpin.db')
  const plain = new DatabaseSync(file)
  plain.exec(`begin; ${readFileSync(FIXTURE, 'utf8')} commit`)
  const check = plain.prepare('SELECT key_id FROM key_checks').get()
  plain.close()
  const bytes = Buffer.alloc(32, 1).toString('base64')
  for (const [keys, kind] of [
    [`other:${bytes}`, 'unknown_key'],
    [`k1:${bytes},${check?.key_id}:${bytes}`, 'wrong_key'],
  ] as const) {
    const config = readEnvironment({ LINCHPIN_DATA_DIR: folder, LINCHPIN_KEYS: keys })
    await assert.rejects(openServices(config, options), { name: 'VaultError', kind })
    const database = await openDatabase({ file })
    assert.notEqual((await database.listPendingMigrations()).length, 0)
    await database.close()
  }
})
