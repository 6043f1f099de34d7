import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { createSampleRequest } from '../../../test/sample-request.ts'
import { countRows, expectCreated, testContext } from '../../../test/test-context.ts'
import type { StubProviderContext } from '../../connect/oauth-flow/test/stub-provider-context.ts'
import type { Database } from '../../platform/storage/database.ts'
import { StorageError } from '../../platform/storage/storage-error.ts'
import type { Tables } from '../../platform/storage/tables.ts'

/** The table that each request adds a row to. */
const EFFECTS: Readonly<Record<string, keyof Tables>> = {
  createConnectSession: 'connect_sessions',
  createAgentSession: 'agent_sessions',
  createBulkJob: 'bulk_jobs',
  createLink: 'links',
  createToken: 'tokens',
  createUser: 'users',
  createAccount: 'accounts',
  createAccountThroughLink: 'accounts',
  createDefinition: 'definitions',
  previewDefinition: 'previews',
  startOAuth: 'oauth_sessions',
}

describeOnBothDatabases(
  'A process that dies at any write of a request with Idempotency-Key',
  (newUrl) => {
    let t: StubProviderContext
    before(async () => {
      const url = await newUrl()
      t = await testContext({ provider: true, ...(url && { url }) })
      // Creates the secret of the installation.
      const headers = { 'idempotency-key': 'first' }
      expectCreated(await t.call('POST', '/v1/workspace', { body: {}, headers }))
    })
    after(() => t.close())

    for (const [operation, table] of Object.entries(EFFECTS))
      it(`${operation}: a retry finds or makes exactly one effect`, async () => {
        let deaths = 0
        for (const moment of ['before', 'after'] as const)
          for (let write = 1; ; write += 1) {
            const { path, body } = await createSampleRequest(t, operation)
            const headers = { 'idempotency-key': crypto.randomUUID() }
            const send = () => t.call('POST', path, { body, headers })
            const count = await countRows(t, table)
            const { hasDied, revive } = dieAt(t.database, write, moment)
            const lost = await send()
            revive()
            if (!hasDied()) {
              assert.ok(lost.status < 300, lost.text)
              break
            }
            deaths += 1
            await endClaims(t.database)
            const retry = await send()
            assert.ok(retry.status < 300, retry.text)
            assert.equal(await countRows(t, table), count + 1, `${moment} the commit of ${write}`)
            assert.equal((await send()).text, retry.text)
          }
        // The claim, the effect, and usually more.
        assert.ok(deaths >= 4, String(deaths))
      })
  },
)

/**
 * Lets the nth transaction fail immediately before or after its commit, and all later ones: as if the process had died
 * there.
 */
function dieAt(database: Database, write: number, moment: 'before' | 'after') {
  const { transaction } = database
  let count = 0
  const dead = () => new StorageError('unavailable', 'the process has died')
  const dying: Database['transaction'] = async (work, options) => {
    count += 1
    if (count > write || (count === write && moment === 'before')) throw dead()
    const value = await transaction(work, options)
    if (count >= write) throw dead()
    return value
  }
  Object.assign(database, { transaction: dying })
  return {
    hasDied: () => count >= write,
    revive: () => Object.assign(database, { transaction }),
  }
}

async function endClaims(database: Database): Promise<void> {
  await database.transaction((trx) =>
    trx.updateTable('idempotency_keys').set({ claim_until: 1 }).execute(),
  )
}
