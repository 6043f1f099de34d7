import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path, { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it, type TestContext } from 'node:test'
import {
  createDataFolder,
  type ProcessResult,
  runMainToExit,
  startMain,
} from '../../../test/main-process.ts'
import { describePostgres } from '../../../test/postgres.ts'
import { programEnvironment, programPath } from '../../../test/program-environment.ts'
import { generateAccessToken } from '../../access/auth/access-token.ts'

const createKey = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`

/** Asserts that the exit code is 78 and that standard error contains sentences without a stack trace. */
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

const WITHOUT_BUBBLEWRAP = ['--ro-bind', '/dev/null', '/usr/bin/bwrap']

/** Starts a service on a system with these mounts; the service must not begin to listen. */
async function endMainWithMounts(
  mounts: readonly string[],
  createEnv: Record<string, string>,
): Promise<ProcessResult> {
  const bwrapArgs = ['--dev-bind', '/', '/', ...mounts, '--']
  const child = spawn('bwrap', [...bwrapArgs, process.execPath, programPath('main')], {
    env: { ...programEnvironment(), ...createEnv },
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

/** Listens on a free port until the test ends. Returns the port. */
async function occupyPort(t: TestContext): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return String((server.address() as AddressInfo).port)
}

describe('A start with unusable settings or data', () => {
  /** The data folder of a service that was started once. */
  let usedDataFolder: string
  before(async () => {
    usedDataFolder = await createDataFolder()
    await (await startMain({ after }, { LINCHPIN_DATA_DIR: usedDataFolder })).stop()
  })

  it('reports every invalid setting at once and exits 78 before it creates a file', async () => {
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
      /4 settings are invalid/,
      /PORT:/,
      /LINCHPIN_TOKEN:/,
      /LINCHPIN_KEYS:/,
      /LEVEL:/,
    )
    assert.ok(!result.stderr.includes('canary'))
    assert.deepEqual(readdirSync(folder), [])
  })

  it('exits 78 with a sentence in a clone that is not prepared', async () => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    const generated = path.resolve('packages/catalogue/generated')
    const result = await endMainWithMounts(['--tmpfs', generated], { LINCHPIN_DATA_DIR })
    assertStartRefused(result, /are missing. Run `node scripts\/prepare.mjs`/)
  })

  it('exits 78 for a wrong or missing key and leaves the data unchanged', async (t) => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    const validEnv = { LINCHPIN_DATA_DIR, LINCHPIN_KEYS: createKey('one', 1) }
    await (await startMain(t, validEnv)).stop()
    const before = hashFiles(LINCHPIN_DATA_DIR)
    assert.ok('linchpin.db' in before)
    assertStartRefused(
      await runMainToExit({ ...validEnv, LINCHPIN_KEYS: createKey('one', 2) }),
      /key/i,
    )
    assert.deepEqual(hashFiles(LINCHPIN_DATA_DIR), before)
    assertStartRefused(
      await runMainToExit({ ...validEnv, LINCHPIN_KEYS: createKey('two', 2) }),
      /key/i,
    )
    assert.deepEqual(hashFiles(LINCHPIN_DATA_DIR), before)
    const main = await startMain(t, validEnv)
    assert.equal((await main.stop()).code, 0, 'the correct key still opens the data')
  })

  it('exits 78 when the key file is missing or truncated', async (t) => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    cpSync(usedDataFolder, LINCHPIN_DATA_DIR, { recursive: true })
    const file = join(LINCHPIN_DATA_DIR, 'keys')
    const keyFileContents = readFileSync(file)
    writeFileSync(file, keyFileContents.subarray(0, 20))
    assertStartRefused(await runMainToExit({ LINCHPIN_DATA_DIR }), /key/i)
    rmSync(file)
    assertStartRefused(await runMainToExit({ LINCHPIN_DATA_DIR }), /key/i)
    assert.equal(existsSync(file), false, 'no new key is created next to existing data')
    writeFileSync(file, keyFileContents, { mode: 0o600 })
    const main = await startMain(t, { LINCHPIN_DATA_DIR })
    assert.equal((await main.stop()).code, 0, 'the key file still opens the data')
  })

  it('exits 78 for a port in use and for a host of another machine', async (t) => {
    const portInUse = { LINCHPIN_DATA_DIR: await createDataFolder(), PORT: await occupyPort(t) }
    const next = Number(portInUse.PORT) + 1
    const inUse = new RegExp(`Port ${portInUse.PORT} is in use.*PORT=${next}\\n`)
    const refused = await runMainToExit(portInUse)
    assertStartRefused(refused, inUse)
    assert.doesNotMatch(refused.stderr, /EADDRINUSE|\n {4}at /)
    const foreignHost = {
      LINCHPIN_DATA_DIR: await createDataFolder(),
      PORT: '0',
      HOST: '192.0.2.1',
    }
    assertStartRefused(await runMainToExit(foreignHost), /HOST is 192\.0\.2\.1, which is not/)
    const unknownHost = { ...foreignHost, HOST: 'no-such-host.invalid' }
    assertStartRefused(await runMainToExit(unknownHost), /HOST is a name that cannot be resolved/)
  })

  it('exits 78 for a data folder that another Linchpin uses', async (t) => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    const main = await startMain(t, { LINCHPIN_DATA_DIR })
    assertStartRefused(await runMainToExit({ LINCHPIN_DATA_DIR, PORT: '0' }), /using this folder/)
    assert.equal((await main.stop()).code, 0)
  })

  it('exits 78 for a data folder that is a file', async () => {
    const file = join(await createDataFolder(), 'file')
    writeFileSync(file, '')
    assertStartRefused(await runMainToExit({ LINCHPIN_DATA_DIR: file }), /EEXIST|ENOTDIR/)
    assertStartRefused(await runMainToExit({ LINCHPIN_DATA_DIR: join(file, 'below') }), /ENOTDIR/)
  })

  it('exits 78 for a data folder on a missing volume and names the setting', async () => {
    const LINCHPIN_DATA_DIR = join(await createDataFolder(), 'volume')
    symlinkSync('/nowhere/mounted', LINCHPIN_DATA_DIR)
    assertStartRefused(await runMainToExit({ LINCHPIN_DATA_DIR }), /LINCHPIN_DATA_DIR: ENOENT/)
  })

  it('exits 78 for a damaged database and recommends a backup', async () => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    cpSync(usedDataFolder, LINCHPIN_DATA_DIR, { recursive: true })
    writeFileSync(join(LINCHPIN_DATA_DIR, 'linchpin.db'), 'This was a database.'.repeat(400))
    assertStartRefused(await runMainToExit({ LINCHPIN_DATA_DIR }), /damaged/, /backup/)
  })

  it('exits 78 for LINCHPIN_ISOLATION=require without bubblewrap, and starts with it', async (t) => {
    const createEnv = { LINCHPIN_DATA_DIR: await createDataFolder(), LINCHPIN_ISOLATION: 'require' }
    assertStartRefused(
      await endMainWithMounts(WITHOUT_BUBBLEWRAP, createEnv),
      /LINCHPIN_ISOLATION: require needs bubblewrap/,
    )
    assert.deepEqual(readdirSync(createEnv.LINCHPIN_DATA_DIR), [], 'nothing was created')
    const main = await startMain(t, createEnv)
    assert.equal((await main.stop()).code, 0)
  })

  it('prints the path of a new token even when a later step fails', async (t) => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    const result = await runMainToExit({ LINCHPIN_DATA_DIR, PORT: await occupyPort(t) })
    assertStartRefused(result, /is in use/)
    assert.ok(result.stdout.includes(join(LINCHPIN_DATA_DIR, 'owner-token')))
  })
})

describePostgres('A start on an unusable PostgreSQL', (server) => {
  const createEnv = () => ({
    LINCHPIN_KEYS: createKey('one', 1),
    LINCHPIN_TOKEN: generateAccessToken(),
  })

  it('exits 78 for a missing database or role and names the setting', async () => {
    const url = await server().createDatabase('refused')
    const missingDatabaseUrl = url.replace(/refused/, 'nowhere')
    const unknownRoleUrl = Object.assign(new URL(url), { username: 'unknown_role' }).href
    for (const DATABASE_URL of [missingDatabaseUrl, unknownRoleUrl])
      assertStartRefused(
        await runMainToExit({ ...createEnv(), DATABASE_URL }),
        /DATABASE_URL: .*does not exist/,
      )
  })

  it('exits 78 for TLS with a server that has none', async () => {
    const url = `${await server().createDatabase('plain')}?sslmode=verify-full`
    assertStartRefused(
      await runMainToExit({ ...createEnv(), DATABASE_URL: url }),
      /DATABASE_URL: .* \(The server does not support SSL connections\)\.$/m,
    )
  })

  it('exits 78 for an sslmode that libpq does not know', async () => {
    const DATABASE_URL = 'postgres://linchpin@127.0.0.1:1/linchpin?sslmode=on'
    assertStartRefused(
      await runMainToExit({ ...createEnv(), DATABASE_URL }),
      /DATABASE_URL: sslmode must be one of disable, allow, prefer, require, verify-ca,/,
    )
  })

  it('exits 1, with a sentence, when the server cannot be reached', async () => {
    const DATABASE_URL = 'postgres://linchpin@127.0.0.1:1/linchpin'
    const { code, stderr } = await runMainToExit({ ...createEnv(), DATABASE_URL })
    assert.equal(code, 1)
    assert.match(stderr, /^Linchpin cannot start: .*unreachable.*ECONNREFUSED/)
    assert.doesNotMatch(stderr, /\n {4}at |"stack"/)
  })
})
