import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { createSampleRequest } from '../../../test/sample-request.ts'
import { expectOk, testContext } from '../../../test/test-context.ts'
import { createWorkMetrics } from '../../app/observability/metrics/work-metrics.ts'
import type { Database } from '../../platform/storage/database.ts'

type Moment = 'found' | 'transaction'

/** Those that seal something, refer to something, or insert a row. */
const OPERATIONS = [
  'createConnectSession',
  'createLink',
  'createDefinition',
  'previewDefinition',
  'createAccount',
  'createAccountThroughLink',
  'updateAccount',
  'importAccount',
  'createOAuthApp',
  'updateOAuthApp',
  'startOAuth',
  'createWebhookEndpoint',
  'rotateWebhookSecret',
]

/** Those whose transaction reads what the deletion removes. */
const AT_TRANSACTION = ['createConnectSession', 'createAccountThroughLink', 'updateAccount']

type Hook = () => Promise<void>

/** A database that calls the hook once: when a request has found a workspace, or before its first transaction. */
function createHookedDatabase(moment: Moment) {
  let hook: Hook | undefined
  const callHook = async () => {
    const run = hook
    hook = undefined
    await run?.()
  }
  const observeDatabase = (database: Database): Database => ({
    ...database,
    prepare: (build, types) => {
      const query = database.prepare(build, types)
      const first: typeof query.first = async (params) => {
        const row = await query.first(params)
        if (moment === 'found' && Object.hasOwn(Object(row), 'slug')) await callHook()
        return row
      }
      return { ...query, first }
    },
    transaction: async (work, options) => {
      if (moment === 'transaction') await callHook()
      return database.transaction(work, options)
    },
  })
  const arm = (next: Hook) => {
    hook = next
  }
  return { observeDatabase, arm }
}

describeOnBothDatabases('A request whose workspace is deleted while it runs', (newUrl) => {
  const cases: readonly (readonly [string, Moment])[] = [
    ...OPERATIONS.map((operation) => [operation, 'found'] as const),
    ...AT_TRANSACTION.map((operation) => [operation, 'transaction'] as const),
  ]
  for (const [operation, moment] of cases)
    it(`${operation}: succeeds or is refused with 4xx (${moment})`, async (test) => {
      const { observeDatabase, arm } = createHookedDatabase(moment)
      const workMetrics = { ...createWorkMetrics(Date.now), observeDatabase }
      const t = await testContext({ provider: true, workMetrics, url: await newUrl() })
      test.after(() => t.close())
      const sample = await createSampleRequest(t, operation)
      arm(async () => {
        expectOk(await t.call('DELETE', `/v1/workspace/${t.workspaceId}`))
      })
      const { status, text } = await t.call('POST', sample.path, { body: sample.body })
      assert.ok(status < 500, text)
      if (status >= 400)
        assert.match(
          JSON.parse(text).error,
          /not_found|not_accessible|unknown_reference|concurrent|revoked/,
        )
    })
})
