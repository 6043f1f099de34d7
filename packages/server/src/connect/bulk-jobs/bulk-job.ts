import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import {
  IdOf,
  KnownText,
  listOf,
  Nullable,
  OneOf,
  OptionalField,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { WorkspaceSealContext } from '../../platform/vault/vault.ts'

export type BulkJobId = Id<'blk'>

const ACTIONS = ['check', 'delete', 'connect_session'] as const
export type BulkAction = (typeof ACTIONS)[number]
const OUTCOMES = ['waiting', 'running', 'done', 'failed', 'skipped'] as const
export type ItemOutcome = (typeof OUTCOMES)[number]

/** Who requested a job: what it does, it does with their token. */
export interface BulkJobCreator {
  readonly userId: Id<'usr'>
  readonly personId: Id<'usr'> | null
  readonly tokenId: Id<'tok'>
  readonly via: 'console' | null
  readonly requestId: string
}

/** A job over several accounts of a workspace. Times are epoch milliseconds. */
export interface BulkJob {
  readonly bulkJobId: BulkJobId
  readonly workspaceId: WorkspaceId
  readonly action: BulkAction
  readonly creator: BulkJobCreator
  readonly createdAt: number
  readonly finishedAt: number | null
}

/** An account of a job, and what became of it. */
export interface BulkJobItem {
  readonly accountId: AccountId
  readonly definitionId: Id<'def'>
  /** Null once the account is no longer retained. */
  readonly name: string | null
  readonly accountIdentifier: string | null
  readonly outcome: ItemOutcome
  readonly code: string | null
  /** The sealed URL of its reconnect page; null without one, and an hour later. */
  readonly sealedUrl?: Uint8Array | null
}

/** The request body of Create bulk job. */
export const CreateBulkJob = StrictObject(
  {
    action: OneOf(
      ACTIONS,
      'check: as Recheck integration account; delete: as Delete integration account; connect_session: a reconnect page for each, as Create connect session.',
    ),
    integrationAccountIds: Type.Array(
      IdOf<AccountId>({ maxLength: 64, description: 'An account.' }),
      {
        minItems: 1,
        maxItems: 500,
        uniqueItems: true,
        description: 'The accounts, all of one workspace.',
      },
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Only returns what would happen. Nothing is stored.' }),
    ),
    workspaceId: OptionalField(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace of the accounts.' }),
    ),
  },
  {
    $id: 'CreateBulkJob',
    examples: [{ action: 'check', integrationAccountIds: ['acc_01kahn3m2qf3k8w9z0x1c2v3b4'] }],
  },
)
export type CreateBulkJob = Static<typeof CreateBulkJob>

const count = (description: string) => Type.Integer({ minimum: 0, description })

const RESULT_EXAMPLE = {
  integrationAccountId: 'acc_01kahn3m2qf3k8w9z0x1c2v3b4',
  integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
  integrationAccountName: 'Support desk',
  accountIdentifier: 'customer-41',
  outcome: 'failed',
  code: 'credentials_rejected',
}

const BulkJobResult = StrictObject(
  {
    integrationAccountId: IdOf<AccountId>({ description: 'The account.' }),
    integrationDefinitionId: IdOf<Id<'def'>>({ description: 'Its tool.' }),
    integrationAccountName: Nullable(
      Type.String({ description: 'Its name; null once the account is no longer retained.' }),
    ),
    accountIdentifier: Nullable(Type.String({ description: 'Its accountIdentifier, if any.' })),
    outcome: KnownText<ItemOutcome>(
      OUTCOMES,
      'waiting: not yet, and in a dry run: it would be done; done: it succeeded, for a check: the credentials work; skipped: nothing was or would be done.',
    ),
    code: Nullable(Type.String({ description: 'Why it failed or was skipped: an error code.' })),
    url: Type.Optional(
      Type.String({
        description:
          'The reconnect page, for an hour after it was created, and only for who created the job.',
      }),
    ),
  },
  {
    $id: 'BulkJobResult',
    description: 'What became of an account in a bulk job.',
    examples: [RESULT_EXAMPLE],
  },
)

/** The response of Create and Get bulk job. */
export const BulkJobResponse = StrictObject(
  {
    bulkJobId: Nullable(IdOf<BulkJobId>({ description: 'Identifier; null for a dry run.' })),
    workspaceId: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
    action: KnownText<BulkAction>(ACTIONS, 'What is done with each account.'),
    state: KnownText(
      ['planned', 'running', 'finished'],
      'planned: a dry run, nothing happens; running: it continues in the background.',
    ),
    counts: StrictObject(
      {
        total: count('All accounts.'),
        waiting: count('Accounts that it has not begun with.'),
        running: count('Accounts that it is working on.'),
        done: count('Accounts where it succeeded.'),
        failed: count('Accounts where it failed.'),
        skipped: count('Accounts where nothing was done.'),
      },
      { description: 'How many accounts have which outcome.' },
    ),
    createdAt: Timestamp('When it was created.'),
    finishedAt: Nullable(Timestamp('When it finished; null before.')),
    results: listOf(BulkJobResult, 'One per account, in the order of the request.'),
  },
  {
    $id: 'BulkJob',
    description: 'An action for many accounts, and what became of each.',
    examples: [
      {
        bulkJobId: 'blk_01kahn6t0bf5arr5d1x6z5cq3b',
        workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
        action: 'check',
        state: 'finished',
        counts: { total: 1, waiting: 0, running: 0, done: 0, failed: 1, skipped: 0 },
        createdAt: '2026-11-27T10:00:00.000Z',
        finishedAt: '2026-11-27T10:00:01.000Z',
        results: [RESULT_EXAMPLE],
      },
    ],
  },
)
export type BulkJobResponse = Static<typeof BulkJobResponse>

/** An item as the API returns it, with its opened URL. */
export type ShownItem = BulkJobItem & { readonly url?: string | undefined }

/** Serializes a job. */
export function serializeBulkJob(
  job: Omit<BulkJob, 'bulkJobId'> & { readonly bulkJobId: BulkJobId | null },
  items: readonly ShownItem[],
): BulkJobResponse {
  const counts = { total: items.length, waiting: 0, running: 0, done: 0, failed: 0, skipped: 0 }
  for (const { outcome } of items) counts[outcome] += 1
  const { bulkJobId, finishedAt } = job
  const isFinished = finishedAt !== null
  return {
    bulkJobId,
    workspaceId: job.workspaceId,
    action: job.action,
    state: bulkJobId === null ? 'planned' : isFinished ? 'finished' : 'running',
    counts,
    createdAt: toTimestamp(job.createdAt),
    finishedAt: isFinished ? toTimestamp(finishedAt) : null,
    results: items.map(({ url, ...item }) => ({
      integrationAccountId: item.accountId,
      integrationDefinitionId: item.definitionId,
      integrationAccountName: item.name,
      accountIdentifier: item.accountIdentifier,
      outcome: item.outcome,
      code: item.code,
      ...(url !== undefined && { url }),
    })),
  }
}

/** The context of the URL of a reconnect page. */
export function getUrlContext(
  { bulkJobId, workspaceId }: Pick<BulkJob, 'bulkJobId' | 'workspaceId'>,
  accountId: AccountId,
): WorkspaceSealContext {
  return {
    table: 'bulk_job_items',
    column: 'sealed_url',
    workspaceId,
    rowId: `${bulkJobId} ${accountId}`,
  }
}
