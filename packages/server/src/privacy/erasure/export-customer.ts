import { Readable } from 'node:stream'
import Type, { type Static } from 'typebox'
import { type Caller, whileAuthenticated } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { type AccountId, serializeAccount } from '../../accounts/accounts/account.ts'

import type { TakeTurn } from '../../platform/http/pagination.ts'
import { IdOf, StrictObject, toTimestamp } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { type Customer, hashIdentifier } from './erasure.ts'
import { type ExportedPage, type ExportStore, PAGE } from './export-store.ts'

/** The query parameters of Export customer. */
export const ExportCustomerQuery = StrictObject({
  accountIdentifier: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'The accountIdentifier of the customer.',
  }),
  workspaceId: Type.Optional(
    IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace of the customer.' }),
  ),
})
export type ExportCustomerQuery = Static<typeof ExportCustomerQuery>

export interface ExportCustomerDeps {
  readonly database: Database
  readonly vault: Vault
  readonly workspaces: WorkspaceStore
  readonly customerExports: ExportStore
  readonly takeTurn: TakeTurn
  readonly now: () => number
}

export const exportCustomerOperation = defineOperation({
  id: 'exportCustomer',
  sdk: 'customers.export',
  method: 'GET',
  path: '/v1/export',
  tag: 'Erasure',
  summary: 'Export what is stored about a customer',
  description:
    'Streams JSON lines, without secrets; audit entries only with the scope audit:read. An export without the last line, of type `end`, is incomplete. The export is recorded in the audit trail.',
  scope: 'read',
  query: ExportCustomerQuery,
  response: Type.String(),
  contentType: 'application/jsonl',
  returns: 'One JSON object per line.',
  errors: [],
  audit: 'customer.exported',
  handle: (deps: ExportCustomerDeps, caller, { query }) => exportCustomer(deps, caller, query),
})

/**
 * Everything that is stored about a customer as JSON lines, without secrets, in bounded memory; audit entries only for
 * callers with the scope `audit:read`. Recorded in the audit trail before the response starts. An export without the last line, of type `end`, is incomplete.
 *
 * @throws ApiError `workspace_not_accessible`
 */
export async function exportCustomer(
  deps: ExportCustomerDeps,
  caller: Caller,
  { accountIdentifier, workspaceId: requested }: ExportCustomerQuery,
): Promise<Readable> {
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, requested)
  const customer = { workspaceId, identifier: accountIdentifier }
  const hash = Buffer.from(hashIdentifier(deps.vault, customer)).toString('hex')
  await deps.database.transaction((trx) =>
    record(trx, caller, deps.now(), {
      action: 'customer.exported',
      workspaceId,
      subject: workspaceId,
      detail: { customer: hash },
    }),
  )
  const lines = whileAuthenticated(caller, writeLines(deps, caller, customer))
  return Readable.from(lines, { objectMode: false })
}

/** A client that reads slower gets a truncated export. */
const MAX_MS = 10 * 60_000

async function* writeLines(
  deps: ExportCustomerDeps,
  caller: Caller,
  customer: Customer,
): AsyncGenerator<string> {
  const deadline = performance.now() + MAX_MS
  const { workspaceId, identifier: accountIdentifier } = customer
  const exportedAt = toTimestamp(deps.now())
  yield toLine({
    type: EXPORT_TYPE,
    version: 1,
    workspaceId,
    accountIdentifier,
    exportedAt,
    includesAuditEvents: mayReadAudit(caller),
  })
  let count = 0
  for await (const values of readAll(deps.customerExports, caller, customer)) {
    if (performance.now() > deadline) throw new Error('the client reads the export too slowly')
    if (values.length === 0) continue
    // Nothing else runs otherwise until a slow client does not take more.
    await deps.takeTurn()
    count += values.length
    yield values.map(toLine).join('')
  }
  yield toLine({ type: 'end', count })
}

/** The type of the first line of an export. */
const EXPORT_TYPE = 'linchpin-customer-export'

/** Audit entries have the addresses and the tokens of those who acted, which the scope `read` does not include. */
const mayReadAudit = (caller: Caller) => caller.scopes.has('audit:read')

type Line = Readonly<Record<string, unknown>>

async function* readAll(
  store: ExportStore,
  caller: Caller,
  customer: Customer,
): AsyncGenerator<readonly Line[]> {
  for (const isLive of [true, false]) {
    let after = { createdAt: 0, id: '' }
    for (let hasMore = true; hasMore; ) {
      const accounts = await store.listAccounts(caller, customer, isLive, after)
      for (const { account, identityId, identityLabel, lastUsedAt } of accounts) {
        const { accountId, createdAt } = account
        const lastUsed = lastUsedAt === null ? null : new Date(lastUsedAt).toISOString()
        const identity = { identityId, identityLabel, lastUsedAt: lastUsed }
        yield [{ type: 'account', account: serializeAccount(account), ...identity }]
        yield* readRecords(store, caller, customer, accountId)
        after = { createdAt, id: accountId }
      }
      hasMore = accounts.length === PAGE
    }
  }
  yield* readEvents(store, caller, customer, undefined)
  yield* readPages('oauthSession', (after) => store.listOAuthSessions(caller, customer, after))
  yield* readPages('agentSession', (after) => store.listAgentSessions(caller, customer, after))
  yield* readPages('connectSession', (after) => store.listConnectSessions(caller, customer, after))
  yield (await store.listOAuthApps(caller, customer)).map((oauthApp) => ({
    type: 'oauthApp',
    oauthApp,
  }))
  yield* readPages('attempt', (after) => store.listAttempts(caller, customer, after))
  yield* readPages('submission', (after) => store.listSubmissions(caller, customer, after))
}

/** The history and the events of an account, and its audit entries for callers who may read them. */
async function* readRecords(
  store: ExportStore,
  caller: Caller,
  customer: Customer,
  accountId: AccountId,
): AsyncGenerator<readonly Line[]> {
  const { workspaceId } = customer
  const changes = await store.listChanges(caller, workspaceId, accountId)
  yield changes.map(({ value }) => ({ type: 'accountChange', change: value }))
  yield* readEvents(store, caller, customer, accountId)
  yield* readRequests(store, caller, workspaceId, accountId)
  const results = await store.listBulkResults(caller, workspaceId, accountId)
  yield results.map(({ value }) => ({ type: 'bulkJobResult', bulkJobResult: value }))
  if (!mayReadAudit(caller)) return
  let after = { at: 0, id: '' }
  for (let hasMore = true; hasMore; ) {
    const rows = await store.listAuditEvents(caller, workspaceId, accountId, after)
    yield rows.map(({ value }) => ({ type: 'auditEvent', auditEvent: value }))
    after = rows.at(-1) ?? after
    hasMore = rows.length === PAGE
  }
}

async function* readRequests(
  store: ExportStore,
  caller: Caller,
  workspaceId: WorkspaceId,
  accountId: AccountId,
): AsyncGenerator<readonly Line[]> {
  let after = { at: 0, id: '' }
  for (let hasMore = true; hasMore; ) {
    const rows = await store.listRequests(caller, workspaceId, accountId, after)
    yield rows.map(({ value }) => ({ type: 'request', request: value }))
    after = rows.at(-1) ?? after
    hasMore = rows.length === PAGE
  }
}

async function* readEvents(
  store: ExportStore,
  caller: Caller,
  customer: Customer,
  accountId: AccountId | undefined,
): AsyncGenerator<readonly Line[]> {
  let after = 0
  for (let hasMore = true; hasMore; ) {
    const rows = await store.listEvents(caller, customer, accountId, after)
    yield rows.map(({ value }) => ({ type: 'event', event: value }))
    after = Number(rows.at(-1)?.position ?? after)
    hasMore = rows.length === PAGE
  }
}

async function* readPages(
  type: string,
  readPage: (after: string) => Promise<ExportedPage>,
): AsyncGenerator<readonly Line[]> {
  let after: string | undefined = ''
  while (after !== undefined) {
    const { values, next }: ExportedPage = await readPage(after)
    yield values.map((value) => ({ type, [type]: value }))
    after = next
  }
}

function toLine(value: Line): string {
  return `${JSON.stringify(value)}\n`
}
