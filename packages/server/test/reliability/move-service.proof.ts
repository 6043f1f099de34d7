import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { generateAccessToken } from '../../src/access/auth/access-token.ts'
import { newId } from '../../src/platform/storage/id.ts'
import { IMPORT_TABLE } from '../../src/platform/storage/transfer/transfer-source.ts'
import {
  createDataFolder,
  type ProcessResult,
  runCli,
  runMainToExit,
  startMain,
} from '../main-process.ts'
import { describePostgres } from '../postgres.ts'
import { programEnvironment, programPath } from '../program-environment.ts'

describePostgres('A service that moves', (server) => {
  const LINCHPIN_KEYS = `k1:${randomBytes(32).toString('base64')}`
  const LINCHPIN_TOKEN = generateAccessToken()
  const headers = { authorization: `Bearer ${LINCHPIN_TOKEN}`, 'content-type': 'application/json' }
  const secrets = { LINCHPIN_KEYS, LINCHPIN_TOKEN }

  it('SQLite → PostgreSQL: serves what it had, after an import that was killed', async (t) => {
    const folder = await createDataFolder()
    const source = { ...secrets, LINCHPIN_DATA_DIR: folder }
    const main = await startMain(t, source)
    const created = await createWorkspace(main.url)
    const file = join(folder, 'moved')
    addUsers(join(folder, 'linchpin.db'), 30_000)
    expectDone(await runCli(['db', 'export', file], { LINCHPIN_DATA_DIR: folder }))
    await main.stop()
    assert.equal(statSync(file).mode & 0o777, 0o600)

    const target = {
      ...secrets,
      LINCHPIN_DATA_DIR: await createDataFolder(),
      DATABASE_URL: await server().createDatabase('moved_service'),
    }
    const wrong = { ...target, LINCHPIN_KEYS: `k1:${randomBytes(32).toString('base64')}` }
    const refused = await runCli(['db', 'import', file], wrong)
    assert.deepEqual([refused.code, refused.stderr.includes('different bytes')], [78, true])
    await killDuringImport(t, file, target)
    const start = await runMainToExit(target)
    assert.equal(start.code, 78)
    assert.match(start.stderr, /An import into this database has not finished/)
    expectDone(await runCli(['db', 'import', file], target))
    const moved = await startMain(t, target)
    assert.deepEqual(await listWorkspaces(moved.url), created)
    assert.ok((await createWorkspace(moved.url)).length > created.length)
    await moved.stop()
  })

  it('into SQLite: needs the key ring first, creates none, and refuses a folder in use', async (t) => {
    const folder = await createDataFolder()
    const main = await startMain(t, { LINCHPIN_DATA_DIR: folder })
    expectDone(await runCli(['db', 'export', folder], { LINCHPIN_DATA_DIR: folder }))
    const file = join(folder, 'linchpin.export')
    const inUse = await runCli(['db', 'import', folder], { LINCHPIN_DATA_DIR: folder })
    assert.deepEqual([inUse.code, inUse.stderr.includes('using this folder')], [78, true])
    await main.stop()
    const LINCHPIN_DATA_DIR = await createDataFolder()
    const withoutKeys = await runCli(['db', 'import', file], { LINCHPIN_DATA_DIR })
    assert.equal(withoutKeys.code, 78)
    assert.match(withoutKeys.stderr, /LINCHPIN_KEYS: is not set/)
    assert.equal(existsSync(join(LINCHPIN_DATA_DIR, 'keys')), false)
    const again = await runCli(['db', 'export', file], { LINCHPIN_DATA_DIR: folder })
    assert.deepEqual([again.code, again.stderr.includes('exists already')], [73, true])
  })

  async function createWorkspace(url: string) {
    const body = JSON.stringify({})
    const response = await fetch(`${url}/api/v1/workspace`, { method: 'POST', headers, body })
    assert.ok(response.ok, await response.text())
    return listWorkspaces(url)
  }

  async function listWorkspaces(url: string): Promise<unknown[]> {
    const response = await fetch(`${url}/api/v1/workspace`, { headers })
    return (await response.json()) as unknown[]
  }
})

/** So many that an import takes a moment. */
function addUsers(file: string, count: number): void {
  const database = new DatabaseSync(file, { timeout: 5_000 })
  const insert = database.prepare(
    `INSERT INTO users (user_id, email, email_key, firstname, lastname, created_at, updated_at)
      VALUES (?, ?, ?, '', '', 1, 1)`,
  )
  database.exec('BEGIN')
  for (let index = 0; index < count; index += 1)
    insert.run(newId('usr', 1), `${index}@example.com`, `${index}@example.com`)
  database.exec('COMMIT')
  database.close()
}

async function killDuringImport(t: TestContext, file: string, env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [programPath('cli'), 'db', 'import', file], {
    env: { ...programEnvironment(), ...env },
    stdio: 'ignore',
  })
  t.after(() => child.kill('SIGKILL'))
  const client = new pg.Client(env.DATABASE_URL)
  await client.connect()
  const hasStarted = () =>
    client.query(`SELECT count(*) AS n FROM users`).then(
      ({ rows }) => Number(rows[0]?.n) > 0,
      () => false,
    )
  while (child.exitCode === null && !(await hasStarted())) await sleep(5)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const { rows } = await client.query(`SELECT to_regclass('${IMPORT_TABLE}') AS name`)
  await client.end()
  assert.ok(rows[0]?.name, 'the import was killed before its end')
}

function expectDone({ code, stderr }: ProcessResult): void {
  assert.equal(code, 0, stderr)
}
