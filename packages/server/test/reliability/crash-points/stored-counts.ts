import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { AUDIT_ENTRIES, findInconsistencies } from '../consistency-queries.ts'
import type { ServiceSetup } from '../service-process.ts'
import type { Operation } from './operations.ts'

/** How often the effect of a kind of requests is stored, and its audit entry. */
export interface StoredCounts {
  readonly effects: number
  readonly entries: number
  /** Of any type: a request causes none but its own. */
  readonly events: number
}

/** Reads the database directly, whether its service runs or not. Fails if there are halves of transactions. */
export async function readCounts(
  setup: Pick<ServiceSetup, 'dataDir' | 'databaseUrl'>,
  { effects, action }: Pick<Operation, 'effects' | 'action'>,
): Promise<StoredCounts> {
  const { select, close } = await connect(setup)
  try {
    assert.deepEqual(await findInconsistencies(select), [])
    const count = async (sql: string) => Number((await select(sql))[0]?.count)
    return {
      effects: await count(effects),
      entries: await count(
        `SELECT count(*) AS count FROM ${AUDIT_ENTRIES} WHERE action = '${action}' AND outcome = 'done'`,
      ),
      events: await count('SELECT count(*) AS count FROM events'),
    }
  } finally {
    await close()
  }
}

interface Connection {
  readonly select: (sql: string) => Promise<Record<string, unknown>[]>
  readonly close: () => unknown
}

async function connect({
  dataDir,
  databaseUrl,
}: Pick<ServiceSetup, 'dataDir' | 'databaseUrl'>): Promise<Connection> {
  if (databaseUrl === undefined) {
    const database = new DatabaseSync(join(dataDir, 'linchpin.db'), { readOnly: true })
    return {
      select: async (sql) =>
        database
          .prepare(sql)
          .all()
          .map((row) => ({ ...row })),
      close: () => database.close(),
    }
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  return { select: async (sql) => (await client.query(sql)).rows, close: () => client.end() }
}
