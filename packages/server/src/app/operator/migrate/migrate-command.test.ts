import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { describePostgres } from '../../../../test/postgres.ts'
import { MIGRATIONS } from '../../../platform/storage/migrate.ts'
import { createTemporaryFolder } from '../../../platform/storage/test/test-database.ts'
import { readEnvironment } from '../../start/environment.ts'
import { getExitCode } from '../../start/exit.ts'
import { openServices } from '../../start/open-services.ts'
import { runOperatorCommand } from '../run-operator-command.ts'

const KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`
const COUNT = Object.keys(MIGRATIONS).length

describe('linchpin migrate (SQLite)', () => {
  it('prints with --check what is pending, creates no file and exits with 3; then migrates', async (t) => {
    const folder = await createTemporaryFolder(t)
    const run = createRun({ LINCHPIN_DATA_DIR: join(folder, 'data') })
    await assertMigrates(run)
    assert.equal(existsSync(join(folder, 'data', 'linchpin.db')), true)
  })

  it('exits with 64 for other arguments, and opens nothing', async (t) => {
    const folder = await createTemporaryFolder(t)
    const run = createRun({ LINCHPIN_DATA_DIR: folder })
    for (const args of [['--dry-run'], ['--check', 'now']])
      assert.equal((await run.migrate(...args)).code, 64)
    assert.equal(existsSync(join(folder, 'linchpin.db')), false)
  })
})

describePostgres('linchpin migrate (PostgreSQL)', (server) => {
  it('prints with --check what is pending and exits with 3; then migrates', async () => {
    const url = await server().createDatabase('migrate_command')
    await assertMigrates(createRun({ DATABASE_URL: url }))
  })
})

/** An empty database, before, while and after it is migrated. */
async function assertMigrates({ migrate, open }: ReturnType<typeof createRun>): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) {
    const check = await migrate('--check')
    assert.equal(check.code, 3)
    assert.equal(check.lines.length, COUNT + 1)
    assert.match(check.lines[0] ?? '', /^0001-initial: older nodes cannot start afterwards$/)
    assert.match(check.lines.at(-1) ?? '', /^Migrations pending: \d+\. Nothing was changed\.$/)
  }
  await assert.rejects(open(), (error: Error) => {
    assert.match(
      error.message,
      /^The database lacks migrations \(0001-initial.*\). .*linchpin migrate/,
    )
    assert.equal(getExitCode(error), 78)
    return true
  })
  const applied = await migrate()
  assert.equal(applied.code, 0)
  assert.match(applied.lines[0] ?? '', /^0001-initial: applied after \d+ ms$/)
  assert.equal(applied.lines.at(-1), `Migrations applied: ${COUNT}.`)
  for (const args of [['--check'], []]) {
    const { code, lines } = await migrate(...args)
    assert.deepEqual({ code, lines }, { code: 0, lines: ['The database is up to date.'] })
  }
  await (await open()).database.close()
}

function createRun(settings: Record<string, string>) {
  const env = { LINCHPIN_KEYS: KEYS, LINCHPIN_MIGRATE: '0', ...settings }
  const openOptions = {
    onNotice: () => {},
    onFatal: (error: Error) => assert.fail(error),
    now: Date.now,
  }
  const config = readEnvironment(env)
  const open = () => openServices(config, { ...openOptions, exclusive: true })
  return {
    open,
    async migrate(...args: string[]) {
      const lines: string[] = []
      const output = { log: (text: string) => lines.push(text), error: () => {} }
      const context = { env, output, openOptions, open, now: Date.now, loadConfig: () => config }
      return { code: await runOperatorCommand(['migrate', ...args], context), lines }
    },
  }
}
