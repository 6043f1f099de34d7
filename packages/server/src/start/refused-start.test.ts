import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Ended, endMain, newFolder, startMain } from '../../test/main-process.ts'

const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`

/** Exit 78, in sentences on standard error, with nothing on standard output that says it listens. */
function refusedStart({ code, stdout, stderr }: Ended, ...patterns: RegExp[]): void {
  assert.equal(code, 78, stderr)
  assert.match(stderr, /^Linchpin cannot start: /)
  for (const pattern of patterns) assert.match(stderr, pattern)
  assert.doesNotMatch(stderr, /\n {4}at /, 'no stack')
  assert.doesNotMatch(stdout, /listens/)
}

function contents(folder: string): Record<string, string> {
  const files = readdirSync(folder)
    .filter((name) => !name.endsWith('-shm'))
    .sort()
  return Object.fromEntries(
    files.map((name) => [name, hash('sha256', readFileSync(join(folder, name)))]),
  )
}

describe('a start that cannot be', () => {
  it('tells every wrong setting at once and exits 78, before it makes anything', async () => {
    const folder = await newFolder()
    const ended = await endMain({
      LINCHPIN_DATA_DIR: folder,
      PORT: 'http',
      LINCHPIN_TOKEN: 'lp_canary',
      LINCHPIN_KEYS: 'canary',
      LINCHPIN_LOG_LEVEL: 'loud',
    })
    refusedStart(
      ended,
      /4 settings are wrong/,
      /PORT:/,
      /LINCHPIN_TOKEN:/,
      /LINCHPIN_KEYS:/,
      /LEVEL:/,
    )
    assert.ok(!ended.stderr.includes('canary'))
    assert.deepEqual(readdirSync(folder), [])
  })

  it('refuses a wrong key and a missing one, and leaves the data as it was', async (t) => {
    const LINCHPIN_DATA_DIR = await newFolder()
    const right = { LINCHPIN_DATA_DIR, LINCHPIN_KEYS: key('one', 1) }
    await (await startMain(t, right)).stop()
    const before = contents(LINCHPIN_DATA_DIR)
    assert.ok('linchpin.db' in before)
    refusedStart(await endMain({ ...right, LINCHPIN_KEYS: key('one', 2) }), /key/i)
    assert.deepEqual(contents(LINCHPIN_DATA_DIR), before)
    refusedStart(await endMain({ ...right, LINCHPIN_KEYS: key('two', 2) }), /key/i)
    assert.deepEqual(contents(LINCHPIN_DATA_DIR), before)
    const main = await startMain(t, right)
    assert.equal((await main.stop()).code, 0, 'the right key opens it still')
  })

  it('refuses data whose key file was lost or cut', async (t) => {
    const LINCHPIN_DATA_DIR = await newFolder()
    await (await startMain(t, { LINCHPIN_DATA_DIR })).stop()
    const file = join(LINCHPIN_DATA_DIR, 'keys')
    const whole = readFileSync(file)
    writeFileSync(file, whole.subarray(0, 20))
    refusedStart(await endMain({ LINCHPIN_DATA_DIR }), /key/i)
    rmSync(file)
    refusedStart(await endMain({ LINCHPIN_DATA_DIR }), /key/i)
    assert.equal(existsSync(file), false, 'no new key is put beside old data')
    writeFileSync(file, whole, { mode: 0o600 })
    assert.equal((await (await startMain(t, { LINCHPIN_DATA_DIR })).stop()).code, 0)
  })

  it('refuses a port that is taken, and a host that is not of this machine', async (t) => {
    const main = await startMain(t, { LINCHPIN_DATA_DIR: await newFolder() })
    const taken = { LINCHPIN_DATA_DIR: await newFolder(), PORT: new URL(main.url).port }
    refusedStart(await endMain(taken), /EADDRINUSE/)
    const elsewhere = { LINCHPIN_DATA_DIR: await newFolder(), PORT: '0', HOST: '192.0.2.1' }
    refusedStart(await endMain(elsewhere), /EADDRNOTAVAIL/)
    await main.stop()
  })

  it('refuses a folder that another Linchpin serves from', async (t) => {
    const LINCHPIN_DATA_DIR = await newFolder()
    const main = await startMain(t, { LINCHPIN_DATA_DIR })
    refusedStart(await endMain({ LINCHPIN_DATA_DIR, PORT: '0' }), /use/)
    assert.equal((await main.stop()).code, 0)
  })

  it('refuses a data folder that is a file', async () => {
    const file = join(await newFolder(), 'file')
    writeFileSync(file, '')
    refusedStart(await endMain({ LINCHPIN_DATA_DIR: file }), /EEXIST|ENOTDIR/)
    refusedStart(await endMain({ LINCHPIN_DATA_DIR: join(file, 'below') }), /ENOTDIR/)
  })
})
