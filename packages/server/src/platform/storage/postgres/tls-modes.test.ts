import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import pg from 'pg'
import { describeOwnPostgres } from '../../../../test/postgres.ts'
import { startPostgres, type TestPostgres } from '../../../../test/postgres-cluster.ts'
import { openPoozleSource } from '../../../app/poozle-import/poozle-source-store.ts'
import { createSelfSignedCert } from '../../../connect/oauth-flow/test/create-self-signed-cert.ts'
import { StorageRefusedError, toStorageError } from '../storage-error.ts'
import { PostgresClient } from './postgres-pool.ts'

type Outcome = 'TLS' | 'plain' | 'refused'

describeOwnPostgres('sslmode of a connection URI', () => {
  const cert = createSelfSignedCert()
  const other = createSelfSignedCert()
  const servers: TestPostgres[] = []
  const folder = mkdtempSync(join(tmpdir(), 'linchpin-tls-'))
  const roots = { own: join(folder, 'own.pem'), foreign: join(folder, 'foreign.pem') }
  before(async () => {
    servers.push(await startPostgres({ isDurable: false }))
    servers.push(await startPostgres({ isDurable: false, tls: cert }))
    writeFileSync(roots.own, cert.cert)
    writeFileSync(roots.foreign, other.cert)
  })
  after(async () => {
    for (const server of servers) await server.stop()
    rmSync(folder, { recursive: true })
  })

  const connectBy = async (connect: () => Promise<pg.ClientBase>): Promise<Outcome> => {
    try {
      const client = await connect()
      const { rows } = await client.query(
        'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      )
      return rows[0].ssl ? 'TLS' : 'plain'
    } catch (error) {
      assert.ok(toStorageError(error) instanceof StorageRefusedError, String(error))
      return 'refused'
    }
  }
  const outcome = async (server: TestPostgres | undefined, query: string, host: string) => {
    const url = `${server?.url.replace('127.0.0.1', host)}?${query}`
    const client = new PostgresClient({ connectionString: url })
    const pool = new pg.Pool({ connectionString: url, Client: PostgresClient })
    client.on('error', () => {})
    pool.on('error', () => {})
    try {
      const alone = await connectBy(async () => {
        await client.connect()
        return client
      })
      const pooled = await connectBy(async () => {
        const taken = await pool.connect()
        taken.release()
        return taken
      })
      assert.equal(alone, pooled)
      return alone
    } finally {
      await client.end().catch(() => {})
      await pool.end()
    }
  }

  const cases: readonly (readonly [string, Outcome, Outcome, string?])[] = [
    ['', 'plain', 'plain'],
    ['sslmode=disable', 'plain', 'plain'],
    ['sslmode=allow', 'plain', 'TLS'],
    ['sslmode=prefer', 'plain', 'TLS'],
    ['application_name=x&sslmode=prefer&connect_timeout=5', 'plain', 'TLS'],
    ['sslmode=require', 'refused', 'TLS'],
    ['sslmode=no-verify', 'refused', 'TLS'],
    ['sslmode=require&sslrootcert=OWN', 'refused', 'TLS'],
    ['sslmode=require&sslrootcert=FOREIGN', 'refused', 'refused'],
    ['sslmode=verify-ca&sslrootcert=OWN', 'refused', 'TLS'],
    ['sslmode=verify-ca&sslrootcert=FOREIGN', 'refused', 'refused'],
    ['sslmode=verify-full', 'refused', 'refused'],
    ['sslmode=verify-full&sslrootcert=OWN', 'refused', 'refused'],
    ['sslmode=verify-full&sslrootcert=OWN', 'refused', 'TLS', 'localhost'],
  ]
  for (const [query, withoutTls, withTls, host = '127.0.0.1'] of cases)
    it(`means what it means to libpq: ${query || 'absent'} at ${host}`, async () => {
      const filled = query.replace('OWN', roots.own).replace('FOREIGN', roots.foreign)
      assert.equal(await outcome(servers[0], filled, host), withoutTls)
      assert.equal(await outcome(servers[1], filled, host), withTls)
    })

  it('is that of Prisma for Poozle, whose own URL has sslmode=prefer', async () => {
    for (const server of servers) {
      const source = await openPoozleSource(`${server.url}?schema=public&sslmode=prefer`)
      await source.close()
    }
    await assert.rejects(openPoozleSource(`${servers[0]?.url}?sslmode=require`), {
      message:
        /^The database of Poozle cannot be opened: The server does not support SSL connections$/,
    })
    await assert.rejects(openPoozleSource(`${servers[0]?.url}?sslmode=sometimes`), {
      message: /^The URL of the database of Poozle: sslmode must be one of disable, allow, /,
    })
  })
})
