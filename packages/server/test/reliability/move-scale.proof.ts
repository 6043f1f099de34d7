import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { ensureDataKey } from '../../src/integrations/catalogue/instance-key-store.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { createSampleRows } from '../../src/platform/storage/test/sample-rows.ts'
import { parseKeys } from '../../src/platform/vault/key-ring.ts'
import { createVault } from '../../src/platform/vault/vault.ts'
import { createDataFolder } from '../main-process.ts'
import { describePostgres } from '../postgres.ts'
import { programEnvironment, programPath } from '../program-environment.ts'

const ACCOUNTS = Number(process.env.MOVE_ACCOUNTS ?? 1_000_000)

describePostgres(`db export and db import with ${ACCOUNTS} accounts`, (server) => {
  it('SQLite → PostgreSQL → SQLite: the hashes are equal, and memory is bounded', async (t) => {
    const LINCHPIN_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`
    const folder = await createDataFolder()
    const sqlite = { LINCHPIN_KEYS, LINCHPIN_DATA_DIR: folder }
    await fill(join(folder, 'linchpin.db'), LINCHPIN_KEYS)
    const postgres = {
      LINCHPIN_KEYS,
      LINCHPIN_DATA_DIR: await createDataFolder(),
      DATABASE_URL: await server().createDatabase('scale'),
    }
    const back = { LINCHPIN_KEYS, LINCHPIN_DATA_DIR: await createDataFolder() }
    const files = [join(folder, 'there'), join(folder, 'back')] as const
    const steps = [
      ['SQLite: db export', ['db', 'export', files[0]], sqlite],
      ['PostgreSQL: db import', ['db', 'import', files[0]], postgres],
      ['PostgreSQL: db export', ['db', 'export', files[1]], postgres],
      ['SQLite: db import', ['db', 'import', files[1]], back],
    ] as const
    const hashes: (string | undefined)[] = []
    for (const [name, args, env] of steps) {
      const startedAt = performance.now()
      const limited = { ...env, NODE_OPTIONS: '--max-old-space-size=128' }
      const stdout = await runWithoutTimeout(args, limited)
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
      t.diagnostic(`${name}: ${seconds} s`)
      hashes.push(/^accounts .* rows {2}(\w+)/m.exec(stdout)?.[1])
    }
    t.diagnostic(`the export has ${Math.round(statSync(files[0]).size / 1e6)} MB`)
    assert.equal(new Set(hashes).size, 1, 'every step prints the same hash')
  })
})

/** `runCli` gives a command a minute. */
async function runWithoutTimeout(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const options = { env: { ...programEnvironment(), ...env } }
  const command = [programPath('cli'), ...args]
  return (await promisify(execFile)(process.execPath, command, options)).stdout
}

async function fill(file: string, ring: string): Promise<void> {
  const keys = parseKeys(ring)
  const database = await openDatabase({ file })
  await database.migrate()
  const vault = createVault({ database, keys, now: Date.now })
  await vault.verify()
  await ensureDataKey({ database, vault, now: Date.now })
  const { users, workspaces, bundles, definitions, links, accounts } = createSampleRows()
  const sealed_config = Buffer.alloc(220, 9)
  await database.transaction(async (trx) => {
    await trx.insertInto('users').values(users).execute()
    await trx.insertInto('workspaces').values(workspaces).execute()
    await vault.createWorkspaceKey(trx, workspaces.workspace_id)
    await trx.insertInto('bundles').values(bundles).execute()
    await trx.insertInto('definitions').values(definitions).execute()
    await trx.insertInto('links').values(links).execute()
    await trx
      .insertInto('accounts')
      .values({ ...accounts, sealed_config })
      .execute()
  })
  await database.close()
  const direct = new DatabaseSync(file)
  const columns = direct
    .prepare('PRAGMA table_info(accounts)')
    .all()
    .map(({ name }) => String(name))
  const values = columns.map((name) => (name === 'account_id' ? "'acc_' || n" : name))
  direct.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ACCOUNTS - 1})
    INSERT INTO accounts (${columns.join()}) SELECT ${values.join()} FROM accounts, numbers
      WHERE account_id = '${accounts.account_id}'`)
  direct.close()
}
