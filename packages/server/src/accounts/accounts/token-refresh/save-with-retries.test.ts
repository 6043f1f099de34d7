import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Database } from '../../../platform/storage/database.ts'
import { StorageError } from '../../../platform/storage/storage-error.ts'
import { getValidCredentials } from './get-valid-credentials.ts'
import { createRefreshCounts } from './refresh-deps.ts'
import { type RefreshTestContext, startRefreshTestContext } from './test/refresh-test-context.ts'

describe('Tokens that the database could not store at first', () => {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext()
  })
  after(() => context.close())
  beforeEach(() => {
    context.provider.calls.length = 0
  })

  for (const kind of ['unavailable', 'full'] as const)
    it(`are stored once it is no longer ${kind}, with one token request`, async () => {
      const { id, family } = await context.account({ row: { token_expires_at: Date.now() - 1 } })
      const node = context.node({ database: failAfterRequest({ kind, times: 3 }) })
      const { grant } = await getValidCredentials(node, id)
      assert.equal(grant.config.access_token, family.accessToken)
      assert.equal((await context.config(id)).refresh_token, family.refreshToken)
      assert.equal(context.provider.calls.length, 1)
    })

  it('are not taken for lost if the reply to the commit was', async () => {
    const { id, family } = await context.account({ row: { token_expires_at: Date.now() - 1 } })
    const refreshCounts = createRefreshCounts()
    const database = failAfterRequest({ kind: 'unavailable', times: 1, commits: true })
    await getValidCredentials(context.node({ database, refreshCounts }), id)
    assert.equal((await context.config(id)).refresh_token, family.refreshToken)
    assert.equal((await context.row(id)).credential_version, 2)
    const { refreshed, discarded } = refreshCounts.read()
    assert.deepEqual([refreshed, discarded], [1, 0])
  })

  it('are given up when the lease ends, and at once for other errors', async () => {
    const { id } = await context.account({ row: { token_expires_at: Date.now() - 1 } })
    const refreshTimeouts = { leaseMs: 700, providerMs: 200, waitMs: 200 }
    const database = failAfterRequest({ kind: 'unavailable', times: Number.POSITIVE_INFINITY })
    const startedAt = performance.now()
    await assert.rejects(getValidCredentials(context.node({ database, refreshTimeouts }), id))
    assert.ok(performance.now() - startedAt < 20_000)
    const other = await context.account({ row: { token_expires_at: Date.now() - 1 } })
    context.provider.calls.length = 0
    const broken = failAfterRequest({ kind: 'fatal', times: 1 })
    await assert.rejects(getValidCredentials(context.node({ database: broken }), other.id), {
      kind: 'fatal',
    })
  })

  /** The database of a node whose transactions fail once the provider has issued tokens. */
  function failAfterRequest(failure: {
    readonly kind: StorageError['kind']
    readonly times: number
    /** Whether the transactions commit all the same. */
    readonly commits?: boolean
  }): Database {
    let left = failure.times
    const { database } = context.t
    return {
      ...database,
      async transaction(work, options) {
        if (context.provider.calls.length === 0 || left === 0)
          return database.transaction(work, options)
        left -= 1
        if (failure.commits) await database.transaction(work, options)
        throw new StorageError(failure.kind, 'away')
      },
    }
  }
})
