import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { createRandom } from '../../create-random.ts'
import { defineDesk, startDeskProvider } from '../desk-provider.ts'
import { createServiceSetup, type ServiceSetup, startService } from '../service-process.ts'
import { type Answer, describeOutcome, isWrong, read, type Served } from './answers.ts'
import { fill, type Request } from './requests.ts'

const FLIPS = Number(process.env.LIVE_FLIPS ?? 20)
const SEED = Number(process.env.LIVE_FLIPS_SEED ?? Date.now() % 1_000_000)

describe('A database file that changes after the service was killed (SQLite)', () => {
  it(`gives no other rights, settings or specs: ${FLIPS} bits, seed ${SEED}`, async (t) => {
    const killed = await prepare(t)
    const random = createRandom(SEED)
    const counts = { same: 0, refused: 0, 'not started': 0, 'served what decides nothing': 0 }
    for (let flip = 0; flip < FLIPS; flip += 1) {
      const bytes = Buffer.from(killed.database)
      const bit = chooseBit(random, killed)
      bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      const served = await readAfterRestart(killed, bytes)
      const wrong = served
        .filter(({ key, answer }) => isWrong(answer, killed.answers.get(key)))
        .map(({ key, answer }) => `${key}: ${answer.status} ${answer.decisive}`)
      assert.deepEqual(wrong, [], `bit ${bit}, seed ${SEED}`)
      counts[describeOutcome(served, killed.answers)] += 1
    }
    t.diagnostic(`seed ${SEED}: ${FLIPS} bits: ${JSON.stringify(counts)}`)
    // Otherwise the bits were not where the answers come from.
    assert.ok(counts.refused > 0)
  })
})

interface Killed {
  readonly setup: ServiceSetup
  readonly database: Buffer
  /** The pages of the tables that decide, and of their indexes. */
  readonly pages: readonly number[]
  readonly requests: readonly Request[]
  readonly answers: ReadonlyMap<string, Answer>
}

/** A service with what the requests read, killed after a checkpoint of all of them. */
async function prepare(t: TestContext): Promise<Killed> {
  const setup = await createServiceSetup()
  t.after(() => setup.remove())
  const provider = await startDeskProvider()
  t.after(() => provider.close())
  const first = await startService(setup)
  t.after(() => first.kill())
  const requests = await fill(first, await defineDesk(first, provider), provider)
  assert.equal(await first.stop(), 0)
  const second = await startService(setup)
  t.after(() => second.kill())
  const answers = new Map((await read(second, requests)).map(({ key, answer }) => [key, answer]))
  await second.kill()
  const file = join(setup.dataDir, 'linchpin.db')
  const pages = listPages(file)
  return { setup, pages, database: await readFile(file), requests, answers }
}

/** The pages of what decides. Moves the log into the file first, as the service does every few seconds. */
function listPages(file: string): number[] {
  const database = new DatabaseSync(file)
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return database
      .prepare(
        `SELECT pageno FROM dbstat WHERE name IN (${TABLES}) OR name IN
          (SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name IN (${TABLES}))`,
      )
      .all()
      .map(({ pageno }) => Number(pageno))
  } finally {
    database.close()
  }
}

const TABLES = [
  ...['tokens', 'links', 'definitions', 'users', 'workspaces', 'webhook_endpoints'],
  ...['oauth_apps', 'connect_sessions', 'accounts', 'token_checksums', 'link_checksums'],
  ...['user_checksums', 'workspace_checksums', 'webhook_endpoint_checksums'],
  ...['oauth_app_checksums', 'connect_session_checksums'],
]
  .map((name) => `'${name}'`)
  .join()

/** A bit of a byte of these pages that is not free space. */
function chooseBit(random: () => number, { database, pages }: Killed): number {
  const pageSize = database.readUInt16BE(16)
  const page = pages[Math.floor(random() * pages.length)] ?? 1
  const start = (page - 1) * pageSize
  for (;;) {
    const byte = start + Math.floor(random() * pageSize)
    if (database.readUInt8(byte) !== 0) return byte * 8 + Math.floor(random() * 8)
  }
}

/** No answers if the service refuses to start, or ends because it finds the damage. */
async function readAfterRestart({ setup, requests }: Killed, database: Buffer): Promise<Served[]> {
  const file = join(setup.dataDir, 'linchpin.db')
  for (const suffix of ['.sha256', '-shm', '-wal']) await rm(`${file}${suffix}`, { force: true })
  await writeFile(file, database)
  const service = await startService(setup).catch((error: Error) => error)
  if (service instanceof Error) {
    assert.match(service.message, /exited with 78/)
    return []
  }
  try {
    return await read(service, requests)
  } catch (error) {
    // The check beside serving has found it meanwhile: the process ends.
    if (service.child.exitCode === null) await once(service.child, 'exit')
    assert.equal(service.child.exitCode, 78, `${String(error)}: ${service.recentOutput()}`)
    return []
  } finally {
    await service.kill()
  }
}
