import assert from 'node:assert/strict'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import {
  createDataFolder,
  type MainProcess,
  runCli,
  startMain,
} from '../../../test/main-process.ts'
import { generateAccessToken, isAccessToken } from '../../access/auth/access-token.ts'

async function getUserStatus(main: MainProcess, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${main.url}/api/v1/user`, { headers })
  await response.text()
  return response.status
}

describe('A first start', () => {
  it("writes the owner's token to a private file and prints its path, never the token", async (t) => {
    const LINCHPIN_DATA_DIR = join(await createDataFolder(), 'created', 'on demand')
    const main = await startMain(t, { LINCHPIN_DATA_DIR })
    const file = join(LINCHPIN_DATA_DIR, 'owner-token')
    const token = (await readFile(file, 'utf8')).trim()
    assert.ok(isAccessToken(token))
    assert.equal(await getUserStatus(main, token), 200)
    for (const name of ['owner-token', 'keys'])
      assert.equal((await stat(join(LINCHPIN_DATA_DIR, name))).mode & 0o777, 0o600, name)
    assert.equal((await stat(LINCHPIN_DATA_DIR)).mode & 0o777, 0o700)
    const { code, stdout, stderr } = await main.stop()
    assert.equal(code, 0)
    assert.ok(stdout.includes(file), 'the path is printed')
    assert.ok(!(stdout + stderr).includes('lp_'), 'the token is not printed')
    for (const line of stdout.trim().split('\n')) assert.doesNotThrow(() => JSON.parse(line), line)
    assert.equal(stderr, '')
  })

  it('writes the address of the console to a private file and prints its path, never the code', async (t) => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    const main = await startMain(t, { LINCHPIN_DATA_DIR })
    const file = join(LINCHPIN_DATA_DIR, 'console-code')
    const address = (await readFile(file, 'utf8')).trim()
    assert.ok(address.startsWith(`${main.url}/console/open#`), address)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const { stdout, stderr } = await main.stop()
    assert.ok(stdout.includes(file), 'the path is printed')
    assert.ok(!(stdout + stderr).includes(address.split('#')[1] ?? ''), 'the code is not printed')
  })

  it('is followed by starts that leave token and keys unchanged', async (t) => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    await (await startMain(t, { LINCHPIN_DATA_DIR })).stop()
    const files = ['owner-token', 'keys'].map((name) => join(LINCHPIN_DATA_DIR, name))
    const readFiles = () => Promise.all(files.map((file) => readFile(file, 'utf8')))
    const before = await readFiles()
    const main = await startMain(t, { LINCHPIN_DATA_DIR })
    assert.deepEqual(await readFiles(), before)
    assert.equal(await getUserStatus(main, (before[0] ?? '').trim()), 200)
    await main.stop()
  })

  it('is followed by starts that warn about the file owner-token until it is deleted', async (t) => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    const file = join(LINCHPIN_DATA_DIR, 'owner-token')
    await (await startMain(t, { LINCHPIN_DATA_DIR })).stop()
    const secondRun = await (await startMain(t, { LINCHPIN_DATA_DIR })).stop()
    const lines = secondRun.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const found = lines.filter((line) => line.file === file)
    assert.deepEqual(
      found.map(({ level }) => level),
      ['warn'],
    )
    assert.match(found[0].msg, /delete the file/)
    await rm(file)
    const thirdRun = await (await startMain(t, { LINCHPIN_DATA_DIR })).stop()
    assert.ok(!thirdRun.stdout.includes('owner-token'))
  })
})

describe('LINCHPIN_TOKEN', () => {
  it("is the owner's token; a new value revokes the old one and its children for good", async (t) => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    const [one, two] = [generateAccessToken(), generateAccessToken()]
    const first = await startMain(t, { LINCHPIN_DATA_DIR, LINCHPIN_TOKEN: one })
    assert.equal(await getUserStatus(first, one), 200)
    assert.ok(!(await readdir(LINCHPIN_DATA_DIR)).includes('owner-token'))
    const tokenResponse = await fetch(`${first.url}/api/v1/user/token`, {
      method: 'POST',
      headers: { authorization: `Bearer ${one}`, 'content-type': 'application/json' },
      body: '{"name":"child"}',
    })
    const child = ((await tokenResponse.json()) as { token: string }).token
    assert.equal(await getUserStatus(first, child), 200)
    await first.stop()

    const second = await startMain(t, { LINCHPIN_DATA_DIR, LINCHPIN_TOKEN: two })
    assert.equal(await getUserStatus(second, two), 200)
    assert.deepEqual(
      [await getUserStatus(second, one), await getUserStatus(second, child)],
      [401, 401],
    )
    await second.stop()

    const third = await startMain(t, { LINCHPIN_DATA_DIR, LINCHPIN_TOKEN: one })
    assert.equal(await getUserStatus(third, one), 401, 'a revoked token stays revoked')
    assert.equal(await getUserStatus(third, two), 200)
  })
})

describe('npm run token', () => {
  it('-- --owner creates another owner token while the service runs', async (t) => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    const main = await startMain(t, { LINCHPIN_DATA_DIR })
    const { code, stdout } = await runCli(['token', '--owner'], { LINCHPIN_DATA_DIR })
    assert.equal(code, 0)
    const token = stdout.trim()
    assert.ok(isAccessToken(token))
    assert.equal(await getUserStatus(main, token), 200)
    const first = (await readFile(join(LINCHPIN_DATA_DIR, 'owner-token'), 'utf8')).trim()
    assert.notEqual(token, first)
    assert.equal(await getUserStatus(main, first), 200, 'the first token stays valid')
  })

  it('-- --owner limits the lifetime of the token by --seconds, otherwise by LINCHPIN_OWNER_TOKEN_SECONDS', async (t) => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    const main = await startMain(t, { LINCHPIN_DATA_DIR, LINCHPIN_OWNER_TOKEN_SECONDS: '86400' })
    const first = (await readFile(join(LINCHPIN_DATA_DIR, 'owner-token'), 'utf8')).trim()
    const env = { LINCHPIN_DATA_DIR, LINCHPIN_OWNER_TOKEN_SECONDS: '7200' }
    const flag = await runCli(['token', '--owner', '--seconds', '3600'], env)
    const setting = await runCli(['token', '--owner'], env)
    assert.deepEqual([flag.code, setting.code], [0, 0])
    for (const token of [first, flag.stdout.trim(), setting.stdout.trim()])
      assert.equal(await getUserStatus(main, token), 200)
    const response = await fetch(`${main.url}/api/v1/user/token`, {
      headers: { authorization: `Bearer ${first}` },
    })
    const tokens = (await response.json()) as { createdAt: string; expiresAt: string }[]
    const lifetimes = tokens.map(
      ({ createdAt, expiresAt }) => Date.parse(expiresAt) - Date.parse(createdAt),
    )
    assert.deepEqual(
      lifetimes.toSorted((a, b) => a - b),
      [3_600_000, 7_200_000, 86_400_000],
    )
  })

  for (const seconds of ['0', '-1', '1.5', '1e3', '315360001', '', 'soon'])
    it(`-- --owner refuses ${JSON.stringify(seconds)} seconds and creates no token`, async () => {
      const LINCHPIN_DATA_DIR = await createDataFolder()
      const result = await runCli(['token', '--owner', `--seconds=${seconds}`], {
        LINCHPIN_DATA_DIR,
      })
      assert.deepEqual([result.code, result.stdout], [64, ''])
      assert.match(result.stderr, /--seconds: must be a whole number/)
      assert.deepEqual(await readdir(LINCHPIN_DATA_DIR), [])
    })

  it('-- --owner exits 78 before the first start, and creates nothing', async () => {
    const LINCHPIN_DATA_DIR = await createDataFolder()
    const { code, stdout, stderr } = await runCli(['token', '--owner'], { LINCHPIN_DATA_DIR })
    assert.deepEqual([code, stdout], [78, ''])
    assert.match(stderr, /LINCHPIN_DATA_DIR: there is no database at /)
    assert.deepEqual(await readdir(LINCHPIN_DATA_DIR), [])
  })

  it('-- --owner exits 1 if there is no owner yet', async () => {
    const env = { LINCHPIN_DATA_DIR: await createDataFolder() }
    await runCli(['migrate'], env)
    const keys = { LINCHPIN_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}` }
    const { code, stderr } = await runCli(['token', '--owner'], { ...env, ...keys })
    assert.deepEqual([code, /no owner yet/.test(stderr)], [1, true])
  })

  it('-- --new prints a well-formed token; an unknown command prints the usage and exits 64', async () => {
    const { stdout } = await runCli(['token', '--new'], {})
    assert.ok(isAccessToken(stdout.trim()))
    const wrong = await runCli(['nonsense'], {})
    assert.equal(wrong.code, 64)
    assert.match(wrong.stderr, /Usage/)
  })
})
