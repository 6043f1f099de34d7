import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createRandom } from '../../../test/create-random.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectOk, testContext, waitUntilChained } from '../../../test/test-context.ts'
import {
  type PlantContext,
  type PlantedCustomer,
  type PlantedIds,
  plantCustomer,
} from './test/plant-customer.ts'

describeOnBothDatabases('Customers with hostile identifiers', defineTests)

const seed = Number(process.env.ERASURE_SEED ?? randomInt(2 ** 31))

/** Words of JSON, of URLs and of SQL, and pairs that differ in little. */
const FIXED = [
  ...['https', 'acme', 'false', 'true', 'null', 'name', 'tags', '0', '1', '%', '_', '"', '\\'],
  ...['{', '[]', '.', '%25', "' or '1'='1", 'customer', 'customer-4', 'customer-41', 'Customer-41'],
  ...['nora@example.com', 'example.com', 'é', 'e\u0301', ' ', 'a b', 'a+b', 'a%20b', '\u{1F600}'],
  'x'.repeat(255),
  'x'.repeat(254),
]
const FRAGMENTS = ['"', '\\', '{', '}', ',', ':', '%', '_', '*', '&', '=', '?', '/', 'a', 'A', 'é']

interface Planted extends PlantedCustomer {
  readonly ids: PlantedIds
}

type Row = Readonly<Record<string, unknown>>

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: PlantContext
  before(async () => {
    t = await testContext({ provider: { revocation: true }, pages: true, url: await newUrl() })
  })
  after(() => t.close())

  it('each: the export has its rows and no others, the erasure erases them and leaves all others as they are', async (test) => {
    test.diagnostic(`ERASURE_SEED=${seed}`)
    const random = createRandom(seed)
    const customers: Planted[] = []
    for (const [index, identifier] of chooseIdentifiers(random).entries()) {
      const customer = { identifier, mark: `plant${index}x7f3` }
      customers.push({ ...customer, ids: await plantCustomer(t, customer) })
    }
    const linkId = await createHostileLink()
    customers.push(await plantWithIdentifier(linkId), await plantWithIdentifier('prefix'))
    for (const customer of customers) assertExport(customer, await readExport(customer), customers)
    for (const customer of shuffle(customers, random)) await assertErasure(customer)
  })

  const plantWithIdentifier = async (identifier: string): Promise<Planted> => {
    const customer = { identifier, mark: `plant${identifier.slice(0, 8)}x7f3` }
    return { ...customer, ids: await plantCustomer(t, customer) }
  }

  async function createHostileLink(): Promise<string> {
    const path = await t.link({
      linkName: 'https acme false name customer-41 1 %',
      redirectURLs: ['https://acme.example/name?customer=customer-41&x=false'],
    })
    return path.slice('/link/'.length)
  }

  async function readExport({ identifier }: PlantedCustomer): Promise<string> {
    const query = new URLSearchParams({ accountIdentifier: identifier })
    const { status, text } = await t.call('GET', `/v1/export?${query}`)
    assert.equal(status, 200, text)
    return text
  }

  async function assertErasure(customer: Planted): Promise<void> {
    const label = `${JSON.stringify(customer.identifier)}, ERASURE_SEED=${seed}`
    const before = await readRows(t)
    const body = { accountIdentifier: customer.identifier }
    let receipt = expectOk(await t.call('POST', '/v1/erasure', { body }))
    while (receipt.status === 'running')
      receipt = expectOk(await t.call('POST', '/v1/erasure', { body }))
    const { accounts, tombstones, connectSessions, oauthSessions } = receipt.erased
    const { submissions, previews } = receipt.erased
    const counts = [accounts, tombstones, connectSessions, oauthSessions, submissions, previews]
    assert.deepEqual(counts, [3, 1, 1, 2, 2, 1], label)
    const rows = await readRows(t)
    const present = new Set(rows.map(toText))
    const others = before.filter((row) => !isOf(row, customer)).map(toText)
    assert.deepEqual(
      // A customer's own OAuth app starts another epoch of the workspace.
      others.filter((row) => !present.has(row) && !row.includes('"definition_epochs"')),
      [],
      `rows of others: ${label}`,
    )
    const traces = rows.filter(
      (row) =>
        toText(row).includes(customer.mark) || row.account_identifier === customer.identifier,
    )
    assert.deepEqual(traces, [], `traces: ${label}`)
    assert.equal((await readExport(customer)).trimEnd().split('\n').length, 2, label)
  }
}

/** Some of the fixed ones, among them always those that start the list, and some of random fragments, each once. */
function chooseIdentifiers(random: () => number): string[] {
  const pick = () => FRAGMENTS[Math.floor(random() * FRAGMENTS.length)] ?? ''
  const made = Array.from({ length: 1 }, () =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, pick).join(''),
  )
  const others = shuffle(FIXED.slice(ALWAYS), random).slice(0, 3)
  return [...new Set([...FIXED.slice(0, ALWAYS), ...others, ...made])]
}

const ALWAYS = 6

function shuffle<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, rank: random() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ value }) => value)
}

/** Every kind of row, nothing of another customer, and the identifier where the column is exported. */
function assertExport(
  { identifier, mark, ids }: Planted,
  text: string,
  customers: readonly Planted[],
): void {
  const label = `${JSON.stringify(identifier)}, ERASURE_SEED=${seed}`
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const counts = Map.groupBy(lines, (line) => line.type)
  const count = (type: string) => counts.get(type)?.length ?? 0
  assert.equal(count('account'), 4, label)
  assert.equal(count('oauthSession'), 2, label)
  assert.equal(count('connectSession'), 1, label)
  assert.equal(count('submission'), 2, label)
  for (const type of ['accountChange', 'event', 'auditEvent', 'attempt'])
    assert.ok(count(type) > 0, `${type}: ${label}`)
  assert.ok(text.includes(mark) && ids.every((id) => text.includes(id)), label)
  for (const other of customers)
    if (other.mark !== mark)
      assert.ok(![other.mark, ...other.ids].some((value) => text.includes(value)), label)
}

function isOf(row: Row, { identifier, mark, ids }: Planted): boolean {
  const text = toText(row)
  return (
    row.account_identifier === identifier ||
    row.expected_identifier === identifier ||
    [mark, ...ids].some((value) => text.includes(value)) ||
    isSubmissionQuery(row.return_query, identifier)
  )
}

const isSubmissionQuery = (query: unknown, identifier: string) =>
  typeof query === 'string' && new URLSearchParams(query).get('accountIdentifier') === identifier

/** All rows, without what background work changes meanwhile and what counts requests. */
async function readRows(t: PlantContext): Promise<Row[]> {
  await waitUntilChained(t)
  const { database } = t
  const all: Row[] = []
  for (const { name } of await database.read.introspection.getTables()) {
    if (VOLATILE_TABLES.has(name)) continue
    const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(database.read)
    for (const row of rows)
      all.push({
        table: name,
        ...Object.fromEntries(
          Object.entries(row).filter(([column]) => !VOLATILE_COLUMNS.has(column)),
        ),
      })
  }
  return all
}

const VOLATILE_TABLES = new Set([
  ...['audit_chains', 'event_sequences', 'erasures', 'rate_usage', 'deliveries'],
  ...['webhook_endpoints', 'webhook_endpoint_checksums', 'connect_failures'],
])
const VOLATILE_COLUMNS = new Set([
  ...['sequence', 'hash', 'ip_salt', 'ip_digest', 'detail_salt', 'detail_digest'],
  'subject_type',
  ...['last_used_at', 'claim_owner', 'claim_until'],
])

const toText = (row: Row) =>
  JSON.stringify(row, (_name, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  )
