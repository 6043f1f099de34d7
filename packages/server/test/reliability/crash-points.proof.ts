import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { findInconsistencies } from './consistency-queries.ts'
import { createDeskCredentials, defineDesk, startDeskProvider } from './desk-provider.ts'
import { createServiceSetup, type ServiceProcess, startService } from './service-process.ts'

/** A request, and the query that tells whether its effect is stored, or how often. */
interface Change {
  readonly method: 'POST' | 'DELETE'
  readonly path: string
  readonly body?: object
  readonly query: string
  readonly value: string
}

/** Prepares a change of something new. */
type Prepare = (service: ServiceProcess, name: string) => Promise<Change>

const provider = await startDeskProvider()
let definitionId = ''

const OPERATIONS: Readonly<Record<string, Prepare>> = {
  'create a link': async (_service, name) => ({
    ...{ method: 'POST', path: '/v1/link', body: { linkName: name } },
    ...{ query: 'SELECT count(*) AS done FROM links WHERE name = ?', value: name },
  }),
  'revoke a link': async (service, name) => {
    const { linkId } = await create(service, '/v1/link', { linkName: name })
    const query = 'SELECT revoked_at IS NOT NULL AS done FROM links WHERE link_id = ?'
    return { method: 'DELETE', path: `/v1/link/${linkId}`, query, value: linkId }
  },
  'create an account': async (_service, name) => ({
    ...{ method: 'POST', path: '/v1/integration_account', body: describeAccount(name) },
    ...{ query: 'SELECT count(*) AS done FROM accounts WHERE name = ?', value: name },
  }),
  'update credentials': async (service, name) => {
    const id = await createAccount(service, name)
    return {
      ...{ method: 'POST', path: `/v1/integration_account/${id}` },
      body: { authType: 'Api Key', config: describeAccount(`${name}-new`).config },
      query: 'SELECT credential_version >= 2 AS done FROM accounts WHERE account_id = ?',
      value: id,
    }
  },
  'delete an account': async (service, name) => {
    const id = await createAccount(service, name)
    const query = 'SELECT deleted_at IS NOT NULL AS done FROM accounts WHERE account_id = ?'
    return { method: 'DELETE', path: `/v1/integration_account/${id}`, query, value: id }
  },
  'create a token': async (_service, name) => ({
    ...{ method: 'POST', path: '/v1/user/token', body: { name, scopes: ['read'] } },
    ...{ query: 'SELECT count(*) AS done FROM tokens WHERE name = ?', value: name },
  }),
  'revoke a token': async (service, name) => {
    const { tokenId } = await create(service, '/v1/user/token', { name, scopes: ['read'] })
    const query = 'SELECT revoked_at IS NOT NULL AS done FROM tokens WHERE token_id = ?'
    return { method: 'DELETE', path: `/v1/user/token/${tokenId}`, query, value: tokenId }
  },
}

describe('kill -9 of a service before each write of a request, on SQLite', () => {
  after(() => provider.close())

  for (const [operation, prepare] of Object.entries(OPERATIONS))
    it(`${operation}: stored whole or not at all, and can be repeated`, async (t) => {
      const setup = await createServiceSetup()
      t.after(() => setup.remove())
      const killable = {
        ...setup,
        nodeArgs: ['--import', join(import.meta.dirname, 'kill-before-write.ts')],
      }
      let service = await startService(killable)
      t.after(() => service.kill())
      definitionId = await defineDesk(service, provider)
      const counts = { lost: 0, stored: 0 }
      for (let point = 1; ; point += 1) {
        const change = await prepare(service, `point-${point}-${counts.lost}`)
        const status = await send({ ...setup, service }, change, String(point))
        if (status === undefined) service = await startService(killable)
        const done = inspect(setup.dataDir, change, `killed before write ${point}`)
        if (status !== undefined) {
          assert.deepEqual([status < 300, done], [true, 1], `acknowledged: ${status}`)
          if (counts.stored > 0) break
          // Another write of the service took the place of the response: again.
          point -= 2
          continue
        }
        counts[done === 1 ? 'stored' : 'lost'] += 1
        await send({ ...setup, service }, change)
        assert.ok(Number(inspect(setup.dataDir, change, 'repeated')) >= 1)
      }
      t.diagnostic(
        `${operation}: ${counts.lost + counts.stored} kills, ${counts.stored} after the commit`,
      )
      // Kills on both sides of the commit, so the test would see a loss.
      assert.ok(counts.lost > 1 && counts.stored > 0, JSON.stringify(counts))
    })
})

/** How often the effect is stored. Fails if there are halves of transactions. */
function inspect(dataDir: string, { query, value }: Change, title: string): unknown {
  const database = new DatabaseSync(join(dataDir, 'linchpin.db'), { readOnly: true })
  try {
    assert.deepEqual(findInconsistencies(database), [], title)
    return database.prepare(query).get(value)?.done
  } finally {
    database.close()
  }
}

/** The status of the response; undefined if the service died before. */
async function send(
  { service, token }: { readonly service: ServiceProcess; readonly token: string },
  { method, path, body }: Change,
  killBefore?: string,
): Promise<number | undefined> {
  const response = await fetch(`${service.url}/api${path}`, {
    method,
    headers: {
      ...(killBefore !== undefined && { 'x-kill-before': killBefore }),
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => undefined)
  await response?.arrayBuffer().catch(() => undefined)
  return response?.status
}

async function create(service: ServiceProcess, path: string, body: object) {
  const response = await service.call('POST', path, body)
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response.body
}

async function createAccount(service: ServiceProcess, name: string): Promise<string> {
  return (await create(service, '/v1/integration_account', describeAccount(name)))
    .integrationAccountId
}

function describeAccount(name: string) {
  return {
    ...createDeskCredentials(definitionId, provider, `desk_live_${name}`),
    integrationAccountName: name,
  }
}
