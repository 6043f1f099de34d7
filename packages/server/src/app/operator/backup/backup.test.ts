import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createDataFolder,
  runCli,
  runMainToExit,
  startMain,
} from '../../../../test/main-process.ts'
import { programEnvironment, programPath } from '../../../../test/program-environment.ts'
import { generateAccessToken } from '../../../access/auth/access-token.ts'
import { connectSqlite } from '../../../platform/storage/sqlite-connection.ts'

const TOKEN = generateAccessToken()

describe('npm run linchpin -- backup and restore', () => {
  let source: string
  let backup: string
  let acknowledged: string[]
  let env: Record<string, string>
  before(async () => {
    source = await createDataFolder()
    backup = join(await createDataFolder(), 'one.db')
    env = { LINCHPIN_DATA_DIR: source, LINCHPIN_TOKEN: TOKEN }
    acknowledged = []
    const { url, stop } = await startMain({ after: () => undefined }, env)
    const writing = new AbortController()
    const writer = writeLinks(url, acknowledged, writing.signal)
    while (acknowledged.length < 50) await sleep(5)
    const known = [...acknowledged]
    const result = await runCli(['backup', backup], env)
    writing.abort()
    await writer
    await stop()
    assert.deepEqual([result.code, result.stderr], [0, ''])
    assert.match(
      result.stdout,
      /^Backed up 0 accounts to .+, and checked it.\nIt needs the key k\w+ of /,
    )
    acknowledged = known
  })

  it('back up a service that writes: all that it had acknowledged, in a file of its owner only', () => {
    assert.equal(statSync(backup).mode & 0o777, 0o600)
    const links = listLinks(backup)
    assert.deepEqual(
      acknowledged.filter((id) => !links.has(id)),
      [],
    )
  })

  it('restore into an empty folder, from which a service starts', async (t) => {
    const folder = await createDataFolder()
    cpSync(join(source, 'keys'), join(folder, 'keys'))
    const target = { ...env, LINCHPIN_DATA_DIR: folder }
    const { code, stdout } = await runCli(['restore', backup], target)
    assert.equal(code, 0)
    assert.match(stdout, /^Restored 0 accounts to /)
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('.restored')),
      [],
    )
    const { url } = await startMain(t, target)
    const headers = { authorization: `Bearer ${TOKEN}` }
    const response = await fetch(`${url}/api/v1/link/${acknowledged[0]}`, { headers })
    assert.equal(response.status, 200)
    const running = await runCli(['restore', backup, '--replace'], target)
    assert.equal(running.code, 78)
    assert.match(running.stderr, /^restore: Another Linchpin is using this folder/)
  })

  it('set an existing database aside only with --replace', async () => {
    const folder = await copyFolder(source)
    const target = { ...env, LINCHPIN_DATA_DIR: folder }
    const before = listLinks(join(folder, 'linchpin.db'))
    const refused = await runCli(['restore', backup], target)
    assert.equal(refused.code, 73)
    assert.match(refused.stderr, /^restore: there is a database already\. With --replace it is set/)
    assert.deepEqual(listLinks(join(folder, 'linchpin.db')), before)
    const { code, stdout } = await runCli(['restore', backup, '--replace'], target)
    assert.equal(code, 0)
    const previous = /The previous database is (.+)\. Delete/.exec(stdout)?.[1] ?? ''
    assert.deepEqual(listLinks(previous), before)
    assert.equal(statSync(join(folder, 'linchpin.db')).mode & 0o777, 0o600)
  })

  it('refuse what is not sound, and change nothing', async () => {
    const folder = await copyFolder(source)
    const target = { ...env, LINCHPIN_DATA_DIR: folder }
    const files = readdirSync(folder).sort()
    const damaged = join(folder, '..', `${Date.now()}.db`)
    cpSync(backup, damaged)
    truncateSync(damaged, statSync(damaged).size - 8_192)
    writeFileSync(`${damaged}.txt`, 'not a database')
    const foreign = connectSqlite(`${damaged}.other`, { readOnly: false, busyTimeout: 0 })
    foreign.exec('CREATE TABLE others (id)')
    foreign.close()
    const keys = { LINCHPIN_KEYS: `k2:${Buffer.alloc(32, 2).toString('base64')}` }
    const trials = [
      [damaged, {}, 65, /damaged/],
      [`${damaged}.txt`, {}, 65, /is empty or not a SQLite database/],
      [`${damaged}.other`, {}, 65, /is not a database of Linchpin/],
      [`${damaged}.none`, {}, 66, /there is no file/],
      [backup, keys, 78, /The key ring lacks k\w+/],
      [backup, { DATABASE_URL: 'postgres://localhost/x', ...keys }, 78, /pg_restore/],
    ] as const
    for (const [file, more, expected, pattern] of trials) {
      const { code, stderr } = await runCli(['restore', file, '--replace'], { ...target, ...more })
      assert.deepEqual([code, pattern.test(stderr)], [expected, true], `${file}: ${stderr}`)
    }
    assert.deepEqual(
      readdirSync(folder).sort(),
      [...new Set([...files, 'linchpin.db.lock'])].sort(),
    )
  })

  it('never replace a file by a backup, and leave none behind that failed', async () => {
    const folder = await createDataFolder()
    const existing = await runCli(['backup', backup], env)
    assert.deepEqual([existing.code, /this file exists/.test(existing.stderr)], [73, true])
    const none = await runCli(['backup', join(folder, 'no', 'a.db')], env)
    assert.deepEqual([none.code, /cannot be created/.test(none.stderr)], [73, true])
    const empty = { ...env, LINCHPIN_DATA_DIR: folder }
    assert.equal((await runCli(['backup', join(folder, 'b.db')], empty)).code, 66)
    assert.deepEqual(readdirSync(folder), [])
  })

  it('can be killed: a folder starts with the old or the restored data, or says that a restore was interrupted', async () => {
    const folder = await copyFolder(source)
    const target = { ...env, LINCHPIN_DATA_DIR: folder, LINCHPIN_LOG_LEVEL: 'silent' }
    const file = join(folder, 'linchpin.db')
    for (const isReached of [
      () => existsSync(`${file}.restored`),
      () => existsSync(`${file}.restoring`),
      () => readdirSync(folder).some((name) => name.includes('.replaced-')),
    ]) {
      await killRestore(target, isReached)
      if (existsSync(`${file}.restoring`)) {
        const { code, stderr } = await runMainToExit(target)
        assert.deepEqual(
          [code, /A restore into this folder was interrupted/.test(stderr)],
          [78, true],
        )
      } else assert.ok(listLinks(file).size >= acknowledged.length)
      assert.equal((await runCli(['restore', backup, '--replace'], target)).code, 0)
      assert.ok(!existsSync(`${file}.restoring`))
      assert.deepEqual(listLinks(file), listLinks(backup))
    }
  })

  async function killRestore(target: Record<string, string>, isReached: () => boolean) {
    for (const name of readdirSync(target.LINCHPIN_DATA_DIR ?? ''))
      assert.ok(!name.endsWith('.partial'))
    const args = [programPath('cli'), 'restore', backup, '--replace']
    const options = { env: { ...programEnvironment(), ...target }, stdio: 'ignore' } as const
    const child = spawn(process.execPath, args, options)
    const exited = once(child, 'exit')
    while (child.exitCode === null && !isReached()) await new Promise(setImmediate)
    child.kill('SIGKILL')
    await exited
  }
})

async function writeLinks(url: string, ids: string[], signal: AbortSignal): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  while (!signal.aborted) {
    const body = JSON.stringify({ linkName: 'a' })
    const response = await fetch(`${url}/api/v1/link`, { method: 'POST', headers, body })
    assert.equal(response.status, 201)
    ids.push(((await response.json()) as { linkId: string }).linkId)
  }
}

async function copyFolder(source: string): Promise<string> {
  const folder = await createDataFolder()
  for (const name of ['keys', 'linchpin.db']) cpSync(join(source, name), join(folder, name))
  return folder
}

function listLinks(file: string): Set<string> {
  const connection = connectSqlite(file, { readOnly: true, busyTimeout: 1_000 })
  const { rows } = connection.query('SELECT link_id FROM links', [])
  connection.close()
  return new Set(rows.map((row) => (row as { link_id: string }).link_id))
}
