import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { hashSecret } from '../../src/access/auth/hash-secret.ts'
import { RATES } from '../../src/connect/connect-page/limits/rate-limits.ts'
import { describePostgres } from '../postgres.ts'
import { createDeskCredentials, defineDesk, startDeskProvider } from './desk-provider.ts'
import {
  type Connection,
  connectToEach,
  isRunning,
  killIfRunning,
  listWorkers,
  waitUntil,
} from './processes.ts'
import { createServiceSetup, type ServiceProcess, startService } from './service-process.ts'

/** A test, or the functions of a suite. */
interface Closer {
  after(close: () => unknown): void
}

interface Database {
  readonly url: string | undefined
  /** Revokes a token as another process does, such as the command line. */
  revoke(dataDir: string, token: string): Promise<void>
}

describe('LINCHPIN_WORKERS on SQLite', () => {
  itBehavesLikeOneProcess(async () => ({ url: undefined, revoke: revokeOnSqlite }))
})

describePostgres('LINCHPIN_WORKERS on PostgreSQL', (server) => {
  let count = 0
  itBehavesLikeOneProcess(async () => {
    const url = await server().createDatabase(`workers_${count++}`)
    return { url, revoke: (_dataDir, token) => revokeOnPostgres(url, token) }
  })
})

describe('LINCHPIN_WORKERS', () => {
  it('counts the rates of the node, not of each process', async (t) => {
    const { connections } = await start(t)
    const unknown = `/link/lnk_${'0'.repeat(32)}`
    const statuses: number[] = []
    for (let count = 0; count <= RATES.unknownLinks + 1; count++) {
      const connection = connections[count % connections.length] as Connection
      statuses.push((await connection.call('GET', unknown)).status)
    }
    assert.equal(statuses.indexOf(429), RATES.unknownLinks + 1)
  })

  it('replaces a worker that dies, while the others serve', async (t) => {
    const { service, setup, connections } = await start(t)
    const [main, victim, other] = connections as [Connection, Connection, Connection]
    const countBefore = await countReads(main)
    process.kill(victim.pid, 'SIGKILL')
    for (let round = 0; round < 50; round++)
      for (const connection of [main, other])
        assert.equal((await getUser(connection, setup.token)).status, 200)
    await waitUntil(() => listWorkers(service).length === 2 && !isRunning(victim.pid))
    assert.equal((await countReads(main)) - countBefore, 100, 'the counts of a dead worker remain')
    await waitUntil(() => service.recentOutput().includes('a worker died and is started again'))
    for (const connection of await connectToEach(service, setup.token))
      assert.equal((await getUser(connection, setup.token)).status, 200, String(connection.pid))
  })

  it('replaces a worker that hangs', async (t) => {
    const { service, setup, connections } = await start(t)
    const [, victim] = connections as [Connection, Connection]
    process.kill(victim.pid, 'SIGSTOP')
    await waitUntil(() => !isRunning(victim.pid) && listWorkers(service).length === 2)
    for (const connection of await connectToEach(service, setup.token))
      assert.equal((await getUser(connection, setup.token)).status, 200, String(connection.pid))
  })

  it('exits with 1 when workers keep dying', async (t) => {
    const { service } = await start(t)
    const exited = new Promise((resolve) => service.child.once('exit', resolve))
    let code: unknown
    void exited.then((value) => {
      code = value
    })
    await waitUntil(() => {
      if (code === undefined) for (const pid of listWorkers(service)) killIfRunning(pid)
      return code !== undefined
    })
    assert.equal(code, 1)
  })

  it('ends the workers when the main process dies, and leaves no socket', async (t) => {
    const { service } = await start(t)
    const findFolders = () =>
      readdirSync(tmpdir()).filter((name) => name.startsWith(`linchpin-${service.pid}-`))
    const workers = listWorkers(service)
    assert.equal(workers.length, 2)
    assert.equal(findFolders().length, 1)
    await service.kill()
    await waitUntil(() => workers.every((pid) => !isRunning(pid)))
    assert.deepEqual(findFolders(), [])
  })

  it('finishes requests in progress at SIGTERM, also when the workers receive it, and exits with 0', async (t) => {
    const { service, setup, connections } = await start(t)
    const provider = await startDeskProvider({ slowMs: 700 })
    t.after(() => provider.close())
    const definitionId = await defineDesk(service, provider)
    const body = createDeskCredentials(definitionId, provider, 'desk_slow_1')
    provider.requests.length = 0
    const checks = connections.map((connection) =>
      connection.call('POST', '/api/v1/integration_account/check', { token: setup.token, body }),
    )
    await waitUntil(() => provider.requests.length >= connections.length)
    const workers = listWorkers(service)
    for (const pid of workers) process.kill(pid, 'SIGTERM')
    const exit = service.stop()
    for (const response of await Promise.all(checks))
      assert.deepEqual([response.status, response.body.status], [200, true])
    assert.equal(await exit, 0)
    assert.ok(workers.every((pid) => !isRunning(pid)))
  })
})

function itBehavesLikeOneProcess(createDatabase: () => Promise<Database>): void {
  let database: Database
  let node: Awaited<ReturnType<typeof start>>
  let account: Awaited<ReturnType<typeof createAccount>>
  const closers: (() => unknown)[] = []
  before(async () => {
    database = await createDatabase()
    const closer: Closer = { after: (close) => closers.push(close) }
    node = await start(closer, database)
    account = await createAccount(closer, node.service)
  })
  after(async () => {
    for (const close of closers.reverse()) await close()
  })

  it('gives a retry the first response in every process', async () => {
    const { setup, connections } = node
    const options = {
      token: setup.token,
      body: { linkName: 'a' },
      idempotencyKey: crypto.randomUUID(),
    }
    const texts = new Set<string>()
    for (const [index, connection] of connections.entries()) {
      const response = await connection.call('POST', '/api/v1/link', options)
      assert.equal(response.status, 201, response.text)
      assert.equal(response.headers['idempotent-replayed'], index === 0 ? undefined : 'true')
      texts.add(response.text)
    }
    assert.equal(texts.size, 1)
  })

  it('gives the same responses in every process', async () => {
    const { service, setup, connections } = node
    const { token } = setup
    const { accountId, definitionId } = account
    const link = await service.call('POST', '/v1/link', {
      linkName: 'a',
      integrationDefinitionId: definitionId,
    })
    const paths = [
      '/user',
      `/integration_account/${accountId}`,
      '/integration_account',
      '/integration_account?limit=1&status=active',
      '/integration_account?limit=x',
      `/integration_definition/${definitionId}`,
      `/integration_definition/${definitionId}/spec`,
      '/integration_definition?limit=3',
      '/link',
      `/link/${link.body.linkId}`,
      '/integration_account/acc_none',
      '/user/token',
      '/none',
    ]
    for (const each of paths) {
      const responses = await Promise.all(
        connections.map((connection) => connection.call('GET', `/api/v1${each}`, { token })),
      )
      const seen = responses.map(({ status, headers, text }) => [
        status,
        text.replace(/"timestamp":"[^"]*"/, ''),
        Object.entries(headers)
          .filter(([name]) => !['x-request-id', 'date'].includes(name))
          .sort(),
      ])
      for (const response of seen) assert.deepEqual(response, seen[0], each)
    }
  })

  it('rejects a revoked token at the next request, whichever process revoked it', async () => {
    const { setup, connections } = node
    for (let round = 0; round < 15; round++) {
      const revoking = connections[round % connections.length] as Connection
      const minted = await revoking.call('POST', '/api/v1/user/token', {
        token: setup.token,
        body: { name: `round ${round}` },
      })
      const { token, tokenId } = minted.body
      for (let warm = 0; warm < 2; warm++)
        for (const connection of connections)
          assert.equal((await getUser(connection, token)).status, 200)
      if (round % 3 === 0) await database.revoke(setup.dataDir, token)
      else {
        const revoked = await revoking.call('DELETE', `/api/v1/user/token/${tokenId}`, {
          token: setup.token,
        })
        assert.equal(revoked.status, 200)
      }
      const after = await Promise.all(connections.map((connection) => getUser(connection, token)))
      assert.deepEqual(
        after.map(({ status, body }) => [status, body.error]),
        connections.map(() => [401, 'token_invalid']),
      )
    }
  })

  it('returns what was committed last, while every process is busy', async () => {
    const { service, setup, connections } = node
    const { token } = setup
    const accountPath = `/api/v1/integration_account/${account.accountId}`
    let isBusy = true
    const load = (await connectToEach(service, token)).map(async (connection) => {
      while (isBusy)
        await Promise.all([
          connection.call('GET', accountPath, { token }),
          connection.call('GET', '/api/v1/integration_definition?limit=50', { token }),
        ])
      connection.close()
    })
    for (let round = 0; round < 40; round++) {
      const writing = connections[round % connections.length] as Connection
      const integrationAccountName = `name ${round}`
      const updated = await writing.call('POST', accountPath, {
        token,
        body: { integrationAccountName },
      })
      assert.equal(updated.status, 200)
      const read = await Promise.all(
        connections.map((connection) => connection.call('GET', accountPath, { token })),
      )
      for (const { body } of read) assert.equal(body.integrationAccountName, integrationAccountName)
    }
    const deleted = await service.call('DELETE', accountPath.slice('/api'.length))
    assert.equal(deleted.status, 200)
    for (const connection of connections) {
      const tombstone = await connection.call('GET', accountPath, { token })
      assert.equal(tombstone.body.deleted, deleted.body.deleted)
      assert.deepEqual(
        (await connection.call('GET', '/api/v1/integration_account', { token })).body,
        [],
      )
    }
    isBusy = false
    await Promise.all(load)
  })
}

async function start(t: Closer, database?: Database) {
  const unconfigured = await createServiceSetup({ databaseUrl: database?.url })
  const setup = {
    ...unconfigured,
    settings: {
      TMPDIR: tmpdir(),
      LINCHPIN_WORKERS: '3',
      LINCHPIN_PUBLIC_URL: `http://127.0.0.1:${unconfigured.port}`,
    },
  }
  t.after(() => setup.remove())
  const service = await startService(setup)
  t.after(() => service.kill())
  await waitUntil(() => service.recentOutput().includes('Linchpin listens on'))
  const connections = await connectToEach(service, setup.token)
  t.after(() => {
    for (const connection of connections) connection.close()
  })
  assert.equal(connections.length, 3)
  return { setup, service, connections }
}

async function createAccount(t: Closer, service: ServiceProcess) {
  const provider = await startDeskProvider()
  t.after(() => provider.close())
  const definitionId = await defineDesk(service, provider)
  const response = await service.call('POST', '/v1/integration_account', {
    ...createDeskCredentials(definitionId, provider, 'desk_live_1'),
    integrationAccountName: 'first',
  })
  assert.equal(response.status, 201)
  return { accountId: String(response.body.integrationAccountId), definitionId }
}

function getUser(connection: Connection, token: string) {
  return connection.call('GET', '/api/v1/user', { token })
}

/** Successful requests for the user, in all processes. */
async function countReads(connection: Connection): Promise<number> {
  const { text } = await connection.call('GET', '/metrics')
  const series =
    'linchpin_http_request_duration_seconds_count{method="GET",route="/api/v1/user",status="200"} '
  return Number(text.split(series)[1]?.split('\n', 1)[0])
}

async function revokeOnSqlite(dataDir: string, token: string): Promise<void> {
  const database = new DatabaseSync(path.join(dataDir, 'linchpin.db'), { timeout: 5_000 })
  database
    .prepare('UPDATE tokens SET revoked_at = ? WHERE token_hash = ?')
    .run(Date.now(), hashSecret(token))
  database.close()
}

async function revokeOnPostgres(url: string, token: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('UPDATE tokens SET revoked_at = $1 WHERE token_hash = $2', [
    Date.now(),
    hashSecret(token),
  ])
  await client.end()
}
