import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { RunnerError } from '@linchpin/runner'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../../test/postgres.ts'
import type { AccountId } from '../../account.ts'
import { acquireLease } from '../acquire-lease.ts'
import { type RefreshTestContext, startRefreshTestContext } from '../test/refresh-test-context.ts'
import { type CheckCredentialsDeps, checkCredentials } from './check-credentials.ts'
import { findHealth } from './check-store.ts'

describeOnBothDatabases('The health of an account', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  let id: AccountId
  /** What happens while the provider checks the key, and its answer. */
  let meanwhile: () => Promise<unknown>
  let status: number

  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
    context.t.stubServer.serve('/check', async (_request, response) => {
      await meanwhile()
      response.writeHead(status).end('{}')
    })
  })
  after(() => context.close())
  beforeEach(async () => {
    meanwhile = async () => {}
    status = 200
    const { integrationDefinitionId } = await context.t.createDefinition()
    const config = { api_key: 'a-key', base_url: context.t.stubServer.url }
    id = (await context.t.createAccount(integrationDefinitionId, { config })).integrationAccountId
  })

  const read = () => findHealth(context.t.database.read, id)
  const check = async (overrides: Partial<CheckCredentialsDeps> = {}) => {
    const node = context.node(overrides)
    const found = await node.refreshStore.find(id)
    assert.ok(found)
    return checkCredentials(node, found.row)
  }

  it('does not change when another check of the account does not end in time', async () => {
    const before = await read()
    assert.ok(await acquireLease(context.node(), { accountId: id, credentialVersion: 1 }))
    const refreshTimeouts = { leaseMs: 30_000, providerMs: 9_000, waitMs: 20 }
    await assert.rejects(check({ refreshTimeouts }), { code: 'check_in_progress' })
    assert.deepEqual(await read(), before)
  })

  it('does not change when a check ends after another request has replaced the credentials', async () => {
    let replaced: Awaited<ReturnType<typeof read>> | undefined
    meanwhile = async () => {
      meanwhile = async () => {}
      await context.change(id, { credential_version: 2, lease_owner: null, lease_until: null })
      replaced = await read()
    }
    await assert.rejects(check(), { code: 'concurrent_update' })
    assert.deepEqual(await read(), replaced)
  })

  it('does not change when too many integrations are running', async () => {
    const before = await read()
    const { runner } = context.node()
    const run = () => Promise.reject(new RunnerError('overloaded', 'Too many.'))
    await assert.rejects(check({ runner: { ...runner, run } }), { code: 'overloaded' })
    assert.deepEqual(await read(), before)
  })

  it('has one more failure, and a later check, when the provider cannot be reached', async () => {
    const before = await read()
    status = 503
    await check().catch(() => {})
    const { failures, checkAt } = await read()
    assert.equal(failures, before.failures + 1)
    assert.ok((checkAt ?? 0) > Date.now() + 3 * 60_000)
  })
}
