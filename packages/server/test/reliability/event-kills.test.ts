import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { it } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../src/platform/storage/database.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import {
  createTemporaryFolder,
  insertSampleRows,
} from '../../src/platform/storage/test/test-database.ts'
import { describeOnBothDatabases } from '../postgres.ts'
import { EVENT_CONSISTENCY_QUERIES } from './consistency-queries.ts'

/** Per database. The full length is that of the proof `event-kills`. */
const kills = Number(process.env.EVENT_KILLS ?? 1)

describeOnBothDatabases('A process that is killed between two statements', (newUrl) => {
  it(`leaves no event without its change and no change without its event, in ${kills} kills`, async (t) => {
    const file = join(await createTemporaryFolder(t), 'linchpin.db')
    const url = await newUrl()
    const database = await openDatabase({ url, file })
    t.after(() => database.close())
    await database.migrate()
    const tables = ['users', 'workspaces', 'bundles', 'definitions'] as const
    const { users, workspaces, definitions } = await insertSampleRows(database, tables)
    const ids = {
      userId: users.user_id,
      workspaceId: workspaces.workspace_id,
      definitionId: definitions.definition_id,
    }
    const write = (killAt: number, mode = '') => runWriter(url ?? file, ids, killAt, mode)
    const statements = Number(await write(0))
    assert.ok(statements > 20, `${statements} statements`)
    assert.deepEqual(await findOrphans(database), [])
    const start = Math.floor(Math.random() * statements)
    for (let kill = 0; kill < kills; kill += 1) {
      const killAt =
        1 + ((start + Math.floor((kill * statements) / Math.min(kills, statements))) % statements)
      await write(killAt)
      assert.deepEqual(await findOrphans(database), [], `killed before statement ${killAt}`)
    }
    await write(0)
    assert.deepEqual(await findOrphans(database), [])
    const isControlFound = async () => {
      for (let killAt = 2; killAt < 12; killAt += 1) {
        await write(killAt, 'separate')
        if ((await findOrphans(database)).length > 0) return true
      }
      return false
    }
    assert.ok(
      await isControlFound(),
      'the control: a change that is recorded after its transaction',
    )
    t.diagnostic(`${kills} kills before each of ${statements} statements, from ${start + 1}`)
  })
})

async function runWriter(location: string, ids: object, killAt: number, mode: string) {
  const script = join(import.meta.dirname, 'event-writer.ts')
  const args = [script, location, JSON.stringify(ids), String(killAt), mode]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const output: Buffer[] = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  const [code, signal] = await once(child, 'close')
  assert.deepEqual([code, signal], killAt === 0 ? [0, null] : [null, 'SIGKILL'])
  return Buffer.concat(output).toString()
}

async function findOrphans(database: Database): Promise<string[]> {
  const orphans: string[] = []
  for (const [description, query] of Object.entries(EVENT_CONSISTENCY_QUERIES)) {
    const { rows } = await sql.raw(query).execute(database.read)
    if (rows.length > 0) orphans.push(`${description}: ${JSON.stringify(rows)}`)
  }
  return orphans
}
