import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  createDataFolder,
  type ProcessResult,
  runMainToExit,
  startMain,
} from '../../test/main-process.ts'
import { describePostgres } from '../../test/postgres.ts'
import { newAccessToken } from '../auth/access-token.ts'

const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`

/** Exit 78, in sentences on standard error, with nothing on standard output that says it listens. */
function assertStartRefused({ code, stdout, stderr }: ProcessResult, ...patterns: RegExp[]): void {
  assert.equal(code, 78, stderr)
  assert.match(stderr, /^Linchpin cannot start: /)
  for (const pattern of patterns) assert.match(stderr, pattern)
  assert.doesNotMatch(stderr, /\n {4}at /, 'no stack')
  assert.doesNotMatch(stdout, /listens/)
}

function hashFiles(folder: string): Record<string, string> {
  const files = readdirSync(folder)
    .filter((name) => !name.endsWith('-shm'))
    .sort()
  return Object.fromEntries(
    files.map((name) => [name, hash('sha256', readFileSync(join(folder, name)))]),
  )
}

/** Runs `node src/main.ts` where `bwrap` is no program. */
async function endMainWithoutBubblewrap(env: Record<string, string>): Promise<ProcessResult> {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const bwrapArgs = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/usr/bin/bwrap', '--']
  const child = spawn('bwrap', [...bwrapArgs, process.execPath, main], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  })
  const [code, stdout, stderr] = await Promise.all([
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, stdout, stderr }
}

describe('a start that cannot be', () => {
  it('tells every wrong setting at once and exits 78, before it makes anything', async () => {
    const folder = await createDataFolder()
    const result = await runMainToExit({
      LINCHPIN_DATA_DIR: folder,
      PORT: 'http',
      LINCHPIN_TOKEN: 'lp_canary',
      LINCHPIN_KEYS: 'canary',
      LINCHPIN_LOG_LEVEL: 'loud',
    })
    assertStartRefused(
      result,
      /4 settings are wrong/,
      /PORT:/,
      /LINCHPIN_TOKEN:/,
      /LINCHPIN_KEYS:/,
      /LEVEL:/,
    )
    assert.ok(!result.stderr.includes('canary'))
    assert.deepEqual(readdirSync(folder), [])
  })

  it('refuses a wrong key and a missing one, and leaves the data as it was', async (t) => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    const validEnv = { LINCHPIN_DATA_DIR, LINCHPIN_KEYS: key('one', 1) }
    await (await startMain(t, validEnv)).stop()
    const before = hashFiles(LINCHPIN_DATA_DIR)
    assert.ok('linchpin.db' in before)
    assertStartRefused(await runMainToExit({ ...validEnv, LINCHPIN_KEYS: key('one', 2) }), /key/i)
    assert.deepEqual(hashFiles(LINCHPIN_DATA_DIR), before)
    assertStartRefused(await runMainToExit({ ...validEnv, LINCHPIN_KEYS: key('two', 2) }), /key/i)
    assert.deepEqual(hashFiles(LINCHPIN_DATA_DIR), before)
    const main = await startMain(t, validEnv)
    assert.equal((await main.stop()).code, 0, 'the right key opens it still')
  })

  it('refuses data whose key file was lost or cut', async (t) => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    await (await startMain(t, { LINCHPIN_DATA_DIR })).stop()
    const file = join(LINCHPIN_DATA_DIR, 'keys')
    const keyFileContents = readFileSync(file)
    writeFileSync(file, keyFileContents.subarray(0, 20))
    assertStartRefused(await runMainToExit({ LINCHPIN_DATA_DIR }), /key/i)
    rmSync(file)
    assertStartRefused(await runMainToExit({ LINCHPIN_DATA_DIR }), /key/i)
    assert.equal(existsSync(file), false, 'no new key is put beside old data')
    writeFileSync(file, keyFileContents, { mode: 0o600 })
    assert.equal((await (await startMain(t, { LINCHPIN_DATA_DIR })).stop()).code, 0)
  })

  it('refuses a port that is taken, and a host that is not of this machine', async (t) => {
    const main = await startMain(t, { LINCHPIN_DATA_DIR: await createDataFolder() })
    const portInUse = { LINCHPIN_DATA_DIR: await createDataFolder(), PORT: new URL(main.url).port }
    assertStartRefused(await runMainToExit(portInUse), /EADDRINUSE/)
    const foreignHost = {
      LINCHPIN_DATA_DIR: await createDataFolder(),
      PORT: '0',
      HOST: '192.0.2.1',
    }
    assertStartRefused(await runMainToExit(foreignHost), /EADDRNOTAVAIL/)
    await main.stop()
  })

  it('refuses a folder that another Linchpin serves from', async (t) => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    const main = await startMain(t, { LINCHPIN_DATA_DIR })
    assertStartRefused(await runMainToExit({ LINCHPIN_DATA_DIR, PORT: '0' }), /use/)
    assert.equal((await main.stop()).code, 0)
  })

  it('refuses a data folder that is a file', async () => {
    const file = join(await createDataFolder(), 'file')
    writeFileSync(file, '')
    assertStartRefused(await runMainToExit({ LINCHPIN_DATA_DIR: file }), /EEXIST|ENOTDIR/)
    assertStartRefused(await runMainToExit({ LINCHPIN_DATA_DIR: join(file, 'below') }), /ENOTDIR/)
  })

  it('refuses a data folder on a volume that is not there, and names the setting', async () => {
    const LINCHPIN_DATA_DIR = join(await createDataFolder(), 'volume')
    symlinkSync('/nowhere/mounted', LINCHPIN_DATA_DIR)
    assertStartRefused(await runMainToExit({ LINCHPIN_DATA_DIR }), /LINCHPIN_DATA_DIR: ENOENT/)
  })

  it('refuses a damaged database, and says what to do', async (t) => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    await (await startMain(t, { LINCHPIN_DATA_DIR })).stop()
    writeFileSync(join(LINCHPIN_DATA_DIR, 'linchpin.db'), 'This was a database.'.repeat(400))
    assertStartRefused(await runMainToExit({ LINCHPIN_DATA_DIR }), /damaged/, /backup/)
  })

  it('LINCHPIN_JAIL=require exits 78 without bubblewrap, and starts with it', async (t) => {
    const env = { LINCHPIN_DATA_DIR: await createDataFolder(), LINCHPIN_JAIL: 'require' }
    assertStartRefused(
      await endMainWithoutBubblewrap(env),
      /LINCHPIN_JAIL: require needs bubblewrap/,
    )
    assert.deepEqual(readdirSync(env.LINCHPIN_DATA_DIR), [], 'before it makes anything')
    const main = await startMain(t, env)
    assert.equal((await main.stop()).code, 0)
  })

  it('has told where the token is, when it made one', async (t) => {
    const main = await startMain(t, { LINCHPIN_DATA_DIR: await createDataFolder() })
    const LINCHPIN_DATA_DIR = await createDataFolder()
    const result = await runMainToExit({ LINCHPIN_DATA_DIR, PORT: new URL(main.url).port })
    assertStartRefused(result, /EADDRINUSE/)
    assert.ok(result.stdout.includes(join(LINCHPIN_DATA_DIR, 'owner-token')))
    await main.stop()
  })
})

describePostgres('a start on PostgreSQL that cannot be', (server) => {
  const env = () => ({ LINCHPIN_KEYS: key('one', 1), LINCHPIN_TOKEN: newAccessToken() })

  it('refuses a database and a role that are not there, and names the setting', async () => {
    const url = await server().createDatabase('refused')
    const missingDatabaseUrl = url.replace(/refused/, 'nowhere')
    const unknownRoleUrl = Object.assign(new URL(url), { username: 'stranger' }).href
    for (const DATABASE_URL of [missingDatabaseUrl, unknownRoleUrl])
      assertStartRefused(
        await runMainToExit({ ...env(), DATABASE_URL }),
        /DATABASE_URL: .*does not exist/,
      )
  })

  it('says in a sentence that nobody answers, and that another start may help', async () => {
    const DATABASE_URL = 'postgres://linchpin@127.0.0.1:1/linchpin'
    const { code, stderr } = await runMainToExit({ ...env(), DATABASE_URL })
    assert.equal(code, 1)
    assert.match(stderr, /^Linchpin cannot start: .*cannot be reached.*ECONNREFUSED/)
    assert.doesNotMatch(stderr, /\n {4}at |"stack"/)
  })
})
