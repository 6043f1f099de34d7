import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { createRandom } from '../create-random.ts'
import { createDeskCredentials, defineDesk, startDeskProvider } from './desk-provider.ts'
import {
  createServiceSetup,
  type ServiceProcess,
  type ServiceSetup,
  startService,
} from './service-process.ts'

const FLIPS = Number(process.env.LIVE_FLIPS ?? 20)
const SEED = Number(process.env.LIVE_FLIPS_SEED ?? Date.now() % 1_000_000)
const LINKS = 20

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

/** What a request is answered with. */
interface Answer {
  readonly status: number
  /** What decides: rights, settings of links, specs. */
  readonly decisive: string
  /** The whole body. */
  readonly text: string
}

interface Killed {
  readonly setup: ServiceSetup
  readonly database: Buffer
  /** The pages of the tables that decide, and of their indexes. */
  readonly pages: readonly number[]
  readonly requests: readonly Request[]
  readonly answers: ReadonlyMap<string, Answer>
}

interface Request {
  readonly key: string
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly token?: string
  readonly select: (body: Record<string, unknown>) => unknown
}

/** The settings of a link. */
const SETTINGS = [
  ...['linkId', 'linkName', 'canExpire', 'expiresIn', 'preferOAuth', 'category', 'workspaceId'],
  ...['integrationDefinitionIds', 'maxAccounts', 'maxAccountsPerIdentifier', 'allowedOrigins'],
  ...['redirectURLs', 'sessionsOnly', 'createdAt'],
]

interface Served {
  readonly key: string
  readonly answer: Answer
}

/** A service with links, tokens, an account and a definition, killed after a checkpoint of all of them. */
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

const TABLES = `'tokens', 'links', 'definitions'`

async function fill(
  service: ServiceProcess,
  definitionId: string,
  provider: { readonly url: string },
): Promise<Request[]> {
  const create = async (path: string, body: object) => {
    const response = await service.call('POST', path, body)
    assert.equal(response.status, 201, JSON.stringify(response.body))
    return response.body
  }
  const requests: Request[] = [
    get(`/v1/integration_definition/${definitionId}/spec`, (body) => body),
    get(`/v1/integration_definition/${definitionId}`, () => null),
  ]
  for (let index = 0; index < LINKS; index += 1) {
    const settings = { allowedOrigins: ['https://app.example'], maxAccounts: 100 }
    const { linkId } = await create('/v1/link', { linkName: `Link ${index}`, ...settings })
    const { tokenId, token } = await create('/v1/user/token', {
      ...{ name: `Token ${index}`, scopes: ['read'] },
    })
    requests.push(get(`/v1/link/${linkId}`, (body) => SETTINGS.map((name) => body[name])))
    requests.push({ ...get('/v1/workspace', () => null), key: `read ${tokenId}`, token })
    // Refused, because the token may only read.
    requests.push({
      ...get('/v1/link', () => null),
      key: `write ${tokenId}`,
      method: 'POST',
      token,
    })
  }
  const { integrationAccountId } = await create('/v1/integration_account', {
    ...createDeskCredentials(definitionId, provider, 'desk_live_flips'),
    integrationAccountName: 'Account',
  })
  requests.push(get(`/v1/integration_account/${integrationAccountId}`, () => null))
  return requests
}

function get(path: string, select: Request['select']): Request {
  return { key: path, path, method: 'GET', select }
}

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

/** No answers if the service refuses to start. */
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
  } finally {
    await service.kill()
  }
}

async function read(service: ServiceProcess, requests: readonly Request[]): Promise<Served[]> {
  const served: Served[] = []
  for (const { key, method, path, token, select } of requests) {
    const response = await service.call(method, path, method === 'GET' ? undefined : {}, token)
    const isOk = response.status < 300
    const text = isOk ? JSON.stringify(response.body) : String(response.body.error)
    const decisive = isOk ? JSON.stringify(select(response.body)) : ''
    served.push({ key, answer: { status: response.status, decisive, text } })
  }
  return served
}

/** Whether more is allowed than before, or decided by something else. A refusal is never wrong. */
function isWrong(answer: Answer, expected: Answer | undefined): boolean {
  assert.ok(expected)
  if (answer.status === expected.status) return answer.decisive !== expected.decisive
  return ![401, 404, 503].includes(answer.status)
}

function describeOutcome(served: readonly Served[], answers: ReadonlyMap<string, Answer>) {
  if (served.length === 0) return 'not started'
  const changed = served.filter(({ key, answer }) => answer.text !== answers.get(key)?.text)
  if (changed.length === 0) return 'same'
  return changed.every(({ answer }) => answer.status >= 400)
    ? 'refused'
    : 'served what decides nothing'
}
