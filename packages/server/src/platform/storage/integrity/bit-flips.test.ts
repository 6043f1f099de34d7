import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { before, describe, it, type TestContext } from 'node:test'
import { createRandom } from '../../../../test/create-random.ts'
import { createDataFolder, runMainToExit, startMain } from '../../../../test/main-process.ts'
import { programEnvironment } from '../../../../test/program-environment.ts'
import { restoreBackup, writeBackup } from '../backup.ts'
import { openDatabase } from '../open-database.ts'
import { createTemporaryFolder } from '../test/test-database.ts'

const FLIPS = Number(process.env.BIT_FLIPS ?? 30)
const SEED = Number(process.env.BIT_FLIPS_SEED ?? Date.now() % 1_000_000)

describe('A database file that a service has closed', () => {
  /** The data folder of a service that has started with the built-in integrations and stopped. */
  let folder: string
  let closed: Buffer
  before(async () => {
    folder = await createDataFolder()
    const service = await startMain({ after: () => {} }, environment(folder))
    const stopped = await service.stop()
    assert.equal(stopped.code, 0, stopped.stderr)
    closed = readFileSync(path.join(folder, 'linchpin.db'))
  })

  it(`is refused with any one bit flipped: ${FLIPS} bits, seed ${SEED}`, async (t) => {
    const file = await copy(t)
    const random = createRandom(SEED)
    for (let flip = 0; flip < FLIPS; flip += 1) {
      const bit = Math.floor(random() * closed.length * 8)
      const bytes = Buffer.from(closed)
      bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      writeFileSync(file, bytes)
      const refused = {
        kind: 'corrupt',
        message: /^The database file is damaged: since the service closed it/,
      }
      await assert.rejects(openDatabase({ file, exclusive: true }), refused, `bit ${bit}`)
      await assert.rejects(openDatabase({ file }), refused, `a command, bit ${bit}`)
      await assert.rejects(writeBackup(file, `${file}.backup`), refused, `a backup, bit ${bit}`)
    }
    writeFileSync(file, closed)
    await (await openDatabase({ file, exclusive: true })).close()
  })

  it('is refused by the service each time, with exit code 78 and what to do', async (t) => {
    const file = await copy(t)
    const bytes = Buffer.from(closed)
    // Within a text, where no structure is.
    const at = bytes.indexOf('https://')
    assert.ok(at > 0)
    bytes.writeUInt8(bytes.readUInt8(at + 1) ^ 1, at + 1)
    writeFileSync(file, bytes)
    for (let start = 0; start < 2; start += 1) {
      const { code, stderr } = await runMainToExit(environment(path.dirname(file)))
      assert.equal(code, 78)
      assert.match(stderr, /damaged: since the service closed it/)
      assert.match(stderr, /linchpin\.db\.sha256 \(delete that file if/)
    }
  })

  async function copy(t: TestContext): Promise<string> {
    const file = path.join(await createTemporaryFolder(t), 'linchpin.db')
    for (const suffix of ['', '.sha256'])
      writeFileSync(`${file}${suffix}`, readFileSync(path.join(folder, `linchpin.db${suffix}`)))
    writeFileSync(path.join(path.dirname(file), 'keys'), readFileSync(path.join(folder, 'keys')), {
      mode: 0o600,
    })
    return file
  }
})

describe('The checksum of a database file', () => {
  it('exists, with mode 0600, only while no process can write', async (t) => {
    const file = await createClosed(t)
    assert.equal(statSync(`${file}.sha256`).mode & 0o777, 0o600)
    assert.match(readFileSync(`${file}.sha256`, 'utf8'), /^[\da-f]{64} {2}linchpin\.db\n$/)
    const service = await openDatabase({ file, exclusive: true })
    assert.ok(!existsSync(`${file}.sha256`))
    await service.close()
    const command = await openDatabase({ file })
    assert.ok(!existsSync(`${file}.sha256`))
    await command.migrate()
    await command.close()
    // A command does not hold the lock, so it cannot know that nothing else writes.
    assert.ok(!existsSync(`${file}.sha256`))
    await (await openDatabase({ file, exclusive: true })).close()
  })

  it('is not stored while another process has the file open', async (t) => {
    const file = await createClosed(t)
    const service = await openDatabase({ file, exclusive: true })
    const command = await openDatabase({ file })
    await service.close()
    assert.ok(!existsSync(`${file}.sha256`))
    await command.close()
  })

  it('is ignored if it was not written to its end', async (t) => {
    const file = await createClosed(t)
    writeFileSync(`${file}.sha256`, '00')
    await (await openDatabase({ file, exclusive: true })).close()
  })

  it('does not apply to a new database or a restored one', async (t) => {
    const file = await createClosed(t)
    const backup = `${file}.backup`
    await writeBackup(file, backup)
    const options = { file, backup, replaces: true, verify: async () => {}, now: Date.now }
    await restoreBackup(options)
    const restored = await openDatabase({ file, exclusive: true })
    await restored.migrate()
    await restored.close()
    assert.ok(existsSync(`${file}.sha256`))
    rmSync(file)
    await (await openDatabase({ file, exclusive: true })).close()
  })
})

async function createClosed(t: TestContext): Promise<string> {
  const file = path.join(await createTemporaryFolder(t), 'linchpin.db')
  const database = await openDatabase({ file, exclusive: true })
  await database.migrate()
  await database.close()
  return file
}

function environment(folder: string): Record<string, string> {
  return { ...programEnvironment(), LINCHPIN_DATA_DIR: folder }
}
