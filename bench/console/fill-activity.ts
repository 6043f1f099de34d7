import pg from 'pg'
import { SYSTEM_ACTOR } from '../../packages/server/src/platform/record/change.ts'
import { insertAttempt, record } from '../../packages/server/src/platform/record/record-store.ts'
import type { Database, Transaction } from '../../packages/server/src/platform/storage/database.ts'
import { type Id, newId } from '../../packages/server/src/platform/storage/id.ts'
import { openDatabase } from '../../packages/server/src/platform/storage/open-database.ts'
import type { RequestLogRow } from '../../packages/server/src/platform/storage/rows/request-rows.ts'
import type { DatabaseLocation } from './console-visit.ts'

/** What activity to add to the database of a stopped service. */
export interface ActivityOptions extends DatabaseLocation {
  readonly workspaceId: Id<'wsp'>
  readonly definitionId: Id<'def'>
  /** Whose activity it is, in turn. */
  readonly accountIds: readonly Id<'acc'>[]
}

/** As many as the log retains. */
const REQUESTS = 100_000
const ATTEMPTS = 20_000
const CHANGES = 10_000
const BATCH = 500
/** Between two of a kind. */
const STEP_MS = 1_000
const CODES = ['credentials_rejected', 'provider_unreachable', 'invalid_config'] as const
/** Failures of the provider, which are all newer than those with a status from 400 on. */
const NEWER_FAILURES = 30_000

/** Adds a full request log, attempts, and changes with their events and audit entries. */
export async function fillActivity(options: ActivityOptions): Promise<void> {
  const database = await openDatabase(options)
  try {
    const now = Date.now()
    await addInBatches(database, REQUESTS, async (trx, from) => {
      const rows = Array.from({ length: BATCH }, (_, offset) =>
        createRequest(options, now, from + offset),
      )
      await trx.insertInto('request_log').values(rows).execute()
    })
    await addInBatches(database, ATTEMPTS, async (trx, from) => {
      for (let index = from; index < from + BATCH; index += 1)
        await addAttempt(trx, options, now - index * STEP_MS, index)
    })
    await addInBatches(database, CHANGES, async (trx, from) => {
      for (let index = from; index < from + BATCH; index += 1)
        await addChange(trx, options, now - (CHANGES - index) * STEP_MS, index)
    })
  } finally {
    await database.close()
  }
  // As autovacuum does in time.
  if (options.url !== undefined) await vacuum(options.url)
}

async function addInBatches(
  database: Database,
  count: number,
  add: (trx: Transaction, from: number) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < count; from += BATCH)
    await database.transaction((trx) => add(trx, from))
}

/** One of five goes to a provider. The newest failures are all the provider's. */
function createRequest(options: ActivityOptions, now: number, index: number): RequestLogRow {
  const isApi = index % 5 > 0
  const hasFailed = index % 3 === 0
  const failure = index < 3 * NEWER_FAILURES ? 502 : 404
  const status = hasFailed ? failure : 200
  const at = now - index * STEP_MS
  return {
    request_log_id: newId('req', at),
    at,
    workspace_id: options.workspaceId,
    kind: isApi ? 'api' : 'provider',
    operation: isApi ? 'getAccount' : 'proxy',
    method: 'GET',
    host: isApi ? null : 'desk.example.com',
    path: isApi ? '/v1/integration_account/:integrationAccountId' : '/api/tickets',
    status,
    status_class: Math.floor(status / 100),
    failed: Number(hasFailed),
    code: hasFailed ? (status === 502 ? 'provider_unreachable' : 'not_found') : null,
    duration_ms: index % 40,
    request_id: `req-${index}`,
    account_id: pick(options.accountIds, index),
    definition_id: options.definitionId,
    token_id: null,
    user_id: null,
    via: null,
    represents: 1,
  }
}

function addAttempt(
  trx: Transaction,
  { workspaceId, definitionId, accountIds }: ActivityOptions,
  at: number,
  index: number,
): Promise<void> {
  const hasFailed = index % 4 === 0
  return insertAttempt(trx, { requestId: `attempt-${index}` }, at, {
    workspaceId,
    definitionId,
    authType: 'Api Key',
    via: 'link',
    outcome: hasFailed ? 'failed' : 'connected',
    code: hasFailed ? pick(CODES, index / 4) : null,
    providerStatus: hasFailed ? 401 : 200,
    accountId: hasFailed ? null : pick(accountIds, index),
    linkId: null,
    connectSessionId: null,
    accountIdentifier: `customer-${index % 1_000}`,
  })
}

function addChange(
  trx: Transaction,
  { workspaceId, accountIds }: ActivityOptions,
  at: number,
  index: number,
): Promise<void> {
  const accountId = pick(accountIds, index)
  return record(trx, SYSTEM_ACTOR, at, {
    action: 'account.updated',
    workspaceId,
    subject: accountId,
    account: { accountId, status: 'active', statusReason: null },
    event: {
      type: 'account.updated',
      subject: accountId,
      accountIdentifier: `customer-${index % 1_000}`,
      data: { account: { integrationAccountId: accountId, status: 'active' } },
    },
  })
}

function pick<T>(values: readonly T[], index: number): T {
  return values[Math.floor(index) % values.length] as T
}

async function vacuum(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('vacuum analyze').finally(() => client.end())
}
