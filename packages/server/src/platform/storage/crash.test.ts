import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeOwnPostgres } from '../../../test/postgres.ts'
import type { Database } from './database.ts'
import { openDatabase } from './open-database.ts'
import { createTemporaryFolder } from './test/test-database.ts'

const ROUNDS = 5

describe('A crash on SQLite', () => {
  it('loses no acknowledged write and leaves no partial one after repeated kill -9', async (t) => {
    const file = join(await createTemporaryFolder(t), 'linchpin.db')
    const acknowledged: string[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const child = startWriter(file)
      await child.waitForOutput('ack ')
      await sleep(20 + Math.random() * 60)
      acknowledged.push(...(await child.kill()))
      await assertConsistent(await openDatabase({ file }), acknowledged)
    }
    assert.ok(acknowledged.length > ROUNDS * 8)
    t.diagnostic(`${acknowledged.length} acknowledged writes over ${ROUNDS} kills`)
  })

  it('a migration that was killed at any point completes at the next start', async (t) => {
    const folder = await createTemporaryFolder(t)
    for (let round = 0; round < 6; round += 1) {
      const file = join(folder, `${round}.db`)
      const child = startWriter(file)
      await child.waitForOutput('opened')
      await sleep(round * 2)
      const acknowledged = await child.kill()
      const database = await openDatabase({ file })
      await database.migrate()
      await assertConsistent(database, acknowledged)
    }
  })

  it('no write is acknowledged after the disk fails, and no earlier one is lost', async (t) => {
    const file = join(await createTemporaryFolder(t), 'linchpin.db')
    const child = startWriter(file, ['sh', '-c', 'ulimit -f 3000 && exec "$0" "$@"'])
    const acknowledged = await child.ended
    assert.match(child.output(), /^fatal fatal$/m)
    assert.match(child.output(), /^failed fatal$/m)
    assert.match(child.output(), /^healthy false$/m)
    // There is space again by now, but the content of the disk is unknown until the next start.
    assert.match(child.output(), /^later fatal$/m)
    assert.ok(acknowledged.length > 0)
    await assertConsistent(await openDatabase({ file }), acknowledged)
  })
})

describeOwnPostgres('a crash on PostgreSQL', (server) => {
  it('loses no acknowledged write when this process is killed', async () => {
    const url = await server().createDatabase('crash')
    const child = startWriter(url)
    await child.waitForOutput('ack ')
    await sleep(100)
    await assertConsistent(await openDatabase({ url }), await child.kill())
  })

  it('loses no acknowledged write when the server crashes', async () => {
    const url = await server().createDatabase('server_crash')
    const child = startWriter(url)
    await child.waitForOutput('ack ')
    await sleep(100)
    await server().kill()
    const acknowledged = await child.ended
    assert.match(child.output(), /^failed unavailable$/m)
    await server().restart()
    await assertConsistent(await openDatabase({ url }), acknowledged)
  })
})

function startWriter(
  location: string,
  [command = process.execPath, ...commandArgs]: string[] = [],
) {
  const script = join(import.meta.dirname, 'test/crash-writer.ts')
  const node = command === process.execPath ? [] : [process.execPath]
  const child = spawn(command, [...commandArgs, ...node, script, location], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const acknowledgedOnExit = once(child, 'close').then(() =>
    [...output.matchAll(/^ack (.*)\n/gm)].map(([, key]) => key ?? ''),
  )
  return {
    ended: acknowledgedOnExit,
    waitForOutput: async (expectedText: string) => {
      while (!output.includes(expectedText)) {
        assert.equal(child.exitCode, null, `The writer ended early: ${output}`)
        await Promise.race([once(child.stdout, 'data'), acknowledgedOnExit])
      }
    },
    output: () => output,
    kill: () => {
      child.kill('SIGKILL')
      return acknowledgedOnExit
    },
  }
}

/** Asserts that every acknowledged row is stored, that every row has its twin, and that the database closes. */
async function assertConsistent(
  database: Database,
  acknowledged: readonly string[],
): Promise<void> {
  const rows = await database.read.selectFrom('key_checks').select('key_id').execute()
  await database.close()
  const keys = new Set(rows.map((row) => row.key_id))
  const lostKeys = acknowledged.filter((key) => !keys.has(key))
  assert.deepEqual(lostKeys, [])
  for (const key of keys) if (!key.endsWith('-twin')) assert.ok(keys.has(`${key}-twin`), key)
  assert.equal(keys.size % 2, 0)
}
