import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, connectToEach, waitUntil } from './processes.ts'
import { createServiceSetup, startService } from './service-process.ts'

const LIMIT = 100
/** What the processes may accept before they know of each other. */
const UNREPORTED = 20

describe('LINCHPIN_WORKERS=2', () => {
  it('limits the reads of a token for the node as a whole', async (t) => {
    const { connections, createToken } = await start(t, { LINCHPIN_RATES: `reads=${LIMIT}` })
    const { token } = await createToken()
    const accepted = await countAccepted(
      connections.map((connection) => readUser(connection, token)),
    )
    assertLimited(accepted)
  })

  it('limits the requests of a workspace for the node as a whole: its reads in one process, its writes in another', async (t) => {
    const { connections, createToken } = await start(t, { LINCHPIN_RATES: `workspace=${LIMIT}` })
    const [main, worker] = connections as [Connection, Connection]
    const { token: readToken } = await createToken()
    const { token: writeToken } = await createToken()
    const write = () =>
      main.call('POST', '/api/v1/link', { token: writeToken, body: { linkName: 'a' } })
    assertLimited(await countAccepted([readUser(worker, readToken), write]))
  })

  it('records the requests that a worker refused, in one entry per token and code', async (t) => {
    const { service, setup, connections, createToken } = await start(t, {})
    const [main, worker] = connections as [Connection, Connection]
    const narrow = await createToken({ scopes: ['credentials:read'] })
    const revoked = await createToken()
    const path = `/api/v1/user/token/${revoked.tokenId}`
    assert.equal((await main.call('DELETE', path, { token: setup.token })).status, 200)
    for (let count = 0; count < 3; count++)
      assert.equal((await worker.call('GET', '/api/v1/link', narrow)).status, 403)
    for (let count = 0; count < 2; count++)
      assert.equal((await worker.call('GET', '/api/v1/link', revoked)).status, 401)
    assert.equal(await service.stop(), 0)
    assert.deepEqual(listRefusals(setup.dataDir), [
      [narrow.tokenId, '127.0.0.1', 'insufficient_scope', 3],
      [revoked.tokenId, '127.0.0.1', 'token_invalid', 2],
    ])
  })
})

async function start(t: TestContext, settings: Readonly<Record<string, string>>) {
  const unconfigured = await createServiceSetup({ databaseUrl: undefined })
  const setup = {
    ...unconfigured,
    settings: { TMPDIR: tmpdir(), LINCHPIN_WORKERS: '2', ...settings },
  }
  t.after(() => setup.remove())
  const service = await startService(setup)
  t.after(() => service.kill())
  await waitUntil(() => service.recentOutput().includes('Linchpin listens on'))
  const connections = await connectToEach(service, setup.token)
  t.after(() => {
    for (const connection of connections) connection.close()
  })
  assert.equal(connections.length, 2)
  const workspaceId = (await service.call('GET', '/v1/user')).body.Workspace[0].workspaceId
  const createToken = async (fields: object = {}) => {
    const { status, body } = await service.call('POST', '/v1/user/token', {
      name: 'a',
      workspaceId,
      ...fields,
    })
    assert.equal(status, 201)
    return body as { readonly token: string; readonly tokenId: string }
  }
  return { service, setup, connections, createToken }
}

type Send = () => Promise<{ readonly status: number; readonly body: { readonly error?: string } }>

const readUser =
  (connection: Connection, token: string): Send =>
  () =>
    connection.call('GET', '/api/v1/user', { token })

/** Sends three times the limit, each time another request, slowly enough for the processes to report. */
async function countAccepted(requests: readonly Send[]): Promise<number> {
  await waitForRoomInMinute()
  let accepted = 0
  for (let count = 0; count < 3 * LIMIT; count++) {
    const { status, body } = await (requests[count % requests.length] as Send)()
    if (status < 300) accepted += 1
    else assert.equal(body.error, 'rate_limited')
    await sleep(10)
  }
  return accepted
}

/** At its end, the window forgets what was sent at its start. */
async function waitForRoomInMinute(): Promise<void> {
  const rest = 60_000 - (Date.now() % 60_000)
  if (rest < 25_000) await sleep(rest)
}

function assertLimited(accepted: number): void {
  assert.ok(accepted > LIMIT - UNREPORTED && accepted < LIMIT + UNREPORTED, String(accepted))
}

function listRefusals(dataDir: string): unknown[] {
  const database = new DatabaseSync(path.join(dataDir, 'linchpin.db'), { readOnly: true })
  const rows = database
    .prepare(
      "SELECT token_id, ip, detail FROM audit_events WHERE action = 'request.refused' ORDER BY detail",
    )
    .all()
  database.close()
  return rows.map(({ token_id, ip, detail }) => {
    const { code, count } = JSON.parse(String(detail))
    return [token_id, ip, code, count]
  })
}
