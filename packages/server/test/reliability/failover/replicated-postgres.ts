import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres, type TestPostgres } from '../../postgres-cluster.ts'

/** A primary with its synchronous standby, which are replaced at each failover. */
export interface ReplicatedPostgres {
  primary(): TestPostgres
  /** Promotes the standby, and returns the old primary, which still runs unless it was killed. */
  promote(): Promise<TestPostgres>
  /** Starts another standby, and resolves when commits wait for it. */
  addStandby(): Promise<void>
  stop(): Promise<void>
}

/** Starts both. Commits of the primary wait for the standby. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const servers = [await startPostgres()]
  let [primary] = servers as [TestPostgres]
  let standby: TestPostgres | undefined
  async function addStandby() {
    standby = await startPostgres({ standbyOf: primary.url })
    servers.push(standby)
    await querySql(primary.url, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await querySql(primary.url, 'SELECT pg_reload_conf()')
    const isSynchronous = `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`
    while ((await querySql(primary.url, isSynchronous)).length === 0) await sleep(25)
  }
  await addStandby()
  return {
    primary: () => primary,
    async promote() {
      if (standby === undefined) throw new Error('There is no standby')
      const old = primary
      await querySql(standby.url, 'SELECT pg_promote()')
      primary = standby
      standby = undefined
      return old
    },
    addStandby,
    async stop() {
      for (const server of servers) await server.stop()
    },
  }
}

/** Runs a statement on a connection of its own. */
export async function querySql(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
