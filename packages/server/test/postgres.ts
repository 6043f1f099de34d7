import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openDatabase } from '../src/platform/storage/open-database.ts'
import { startPgbouncer, type TestPooler } from './pgbouncer.ts'
import { postgresAvailable, startPostgres, type TestPostgres } from './postgres-cluster.ts'

/** Returns the URL of a new PostgreSQL database, or undefined for a new SQLite file. */
export type NewDatabaseUrl = () => Promise<string | undefined>

/** How tests open PostgreSQL. LINCHPIN_TEST_POOLER=1 puts a pooler in transaction mode before it (`npm run proof -- pooler`). */
export const TEST_POSTGRES = { pooler: process.env.LINCHPIN_TEST_POOLER === '1' }

/** Where tests create databases. */
export interface PostgresDatabases {
  /** Creates an empty database whose name starts with `name`, and returns its URL. */
  createDatabase(name: string): Promise<string>
  /** Creates a database with all migrations. */
  createMigratedDatabase(): Promise<string>
}

/** On which databases `npm test` runs this process: all of them without the variable. */
const DATABASES = process.env.LINCHPIN_TEST_DATABASES ?? 'all'

/** Defines the same tests on SQLite and on PostgreSQL. */
export function describeOnBothDatabases(
  title: string,
  define: (newUrl: NewDatabaseUrl) => void,
): void {
  if (DATABASES !== 'postgres') describe(`${title} (SQLite)`, () => define(async () => undefined))
  describePostgres(`${title} (PostgreSQL)`, (server) =>
    define(() => server().createMigratedDatabase()),
  )
}

/**
 * Defines tests on PostgreSQL. They create databases on the one server of this process, whose writes are not durable.
 * Without PostgreSQL, a single test reports that these are skipped, or fails if CI=true.
 */
export function describePostgres(title: string, define: (server: () => PostgresDatabases) => void) {
  describeWithServer(title, define, { start: startSharedServer, stop: async () => {} })
}

/** As {@link describePostgres}, on a durable server that only these tests use and may kill. */
export function describeOwnPostgres(title: string, define: (server: () => TestPostgres) => void) {
  describeWithServer(title, define, { start: startPostgres, stop: (server) => server.stop() })
}

/** Starting a server takes longer than most tests: the test files of a process share one. */
let sharedServer: Promise<TestPostgres> | undefined
let sharedPooler: Promise<TestPooler> | undefined
let template: Promise<string> | undefined
let databaseCount = 0
after(async () => {
  await (await sharedPooler)?.stop()
  await (await sharedServer)?.stop()
})

async function startSharedServer(): Promise<PostgresDatabases> {
  sharedServer ??= startPostgres({ isDurable: false })
  const server = await sharedServer
  if (TEST_POSTGRES.pooler) sharedPooler ??= startPgbouncer(server.url)
  const toUrl = (await sharedPooler)?.toPoolerUrl ?? ((url: string) => url)
  return {
    createDatabase: async (name) =>
      toUrl(await server.createDatabase(`${name}_${++databaseCount}`)),
    async createMigratedDatabase() {
      template ??= createTemplate(server)
      return toUrl(await server.createDatabase(`test_${++databaseCount}`, await template))
    },
  }
}

/** Copying a database takes a quarter of the time that its migrations take. */
async function createTemplate(server: TestPostgres): Promise<string> {
  const database = await openDatabase({ url: await server.createDatabase(TEMPLATE) })
  await database.migrate()
  await database.close()
  return TEMPLATE
}

const TEMPLATE = 'migrated'

interface ServerLifecycle<Server> {
  start(): Promise<Server>
  stop(server: Server): Promise<void>
}

function describeWithServer<Server>(
  title: string,
  define: (server: () => Server) => void,
  { start, stop }: ServerLifecycle<Server>,
): void {
  if (DATABASES === 'sqlite') {
    // A file with hooks and neither tests nor suites would never end under `--test-force-exit` (Node 24).
    describe(title, { skip: 'not on PostgreSQL' }, () => {})
    return
  }
  describe(title, () => {
    if (!postgresAvailable()) {
      it('reports that PostgreSQL was not found', (t) => {
        t.diagnostic('PostgreSQL not found: skipping its tests')
        assert.notEqual(process.env.CI, 'true', 'PostgreSQL not found, and CI=true requires it')
      })
      return
    }
    let server: Server | undefined
    before(async () => {
      server = await start()
    })
    after(() => server && stop(server))
    define(() => {
      assert.ok(server, 'The server is available only while tests run')
      return server
    })
  })
}
