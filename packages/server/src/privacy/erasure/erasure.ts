import { createHmac } from 'node:crypto'
import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import {
  IdOf,
  KnownText,
  Nullable,
  OptionalField,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { Vault, WorkspaceSealContext } from '../../platform/vault/vault.ts'

export type ErasureId = Id<'ers'>

/** What an erasure counts: rows that were deleted or scrubbed. */
const ERASED_KINDS = [
  'accounts',
  'tombstones',
  'accountChanges',
  'events',
  'auditEvents',
  'deliveryFailures',
  'oauthSessions',
  'submissions',
  'connectSessions',
  'agentSessions',
  'oauthApps',
  'attempts',
  'requests',
  'bulkJobResults',
  'previews',
] as const
export type ErasedKind = (typeof ERASED_KINDS)[number]

/** The outcomes of revocations at providers. */
const REVOCATION_KINDS = ['revoked', 'shared', 'unsupported', 'failed'] as const
export type RevocationKind = (typeof REVOCATION_KINDS)[number]

/** How many rows were erased, and how many revocations had which outcome. Absent: none. */
export type ErasureCounts = Readonly<Partial<Record<ErasedKind | RevocationKind, number>>>

/** The erasure of a customer. Times are epoch milliseconds. */
export interface Erasure {
  readonly erasureId: ErasureId
  readonly workspaceId: WorkspaceId
  readonly identifierHash: Uint8Array
  /** Null once the erasure has finished. */
  readonly sealedIdentifier: Uint8Array | null
  readonly counts: ErasureCounts
  readonly isRunning: boolean
  readonly createdAt: number
  /** When something was last erased; null until the first run has finished. */
  readonly finishedAt: number | null
}

/** A customer of a workspace: the accounts with one accountIdentifier. */
export interface Customer {
  readonly workspaceId: WorkspaceId
  readonly identifier: string
}

/** The sum of two counts. */
export function addCounts(one: ErasureCounts, other: ErasureCounts): ErasureCounts {
  const sum: Partial<Record<ErasedKind | RevocationKind, number>> = { ...one }
  for (const [kind, count] of Object.entries(other) as [ErasedKind, number][])
    if (count > 0) sum[kind] = (sum[kind] ?? 0) + count
  return sum
}

/** Names a customer in receipts and in the audit trail, for those who know the identifier and have the key ring. */
export function hashIdentifier(vault: Vault, { workspaceId, identifier }: Customer): Uint8Array {
  const hmac = createHmac('sha256', vault.deriveKey('erased customers'))
  return hmac.update(`${workspaceId}\0${identifier}`).digest()
}

/** The context of the identifier of a running erasure. */
export function getIdentifierContext({
  workspaceId,
  identifierHash,
}: Pick<Erasure, 'workspaceId' | 'identifierHash'>): WorkspaceSealContext {
  const rowId = Buffer.from(identifierHash).toString('hex')
  return { table: 'erasures', column: 'sealed_identifier', workspaceId, rowId }
}

/** What decides whose a submission of the connect page is. */
interface OwnedSubmission {
  /** The query of its page. */
  readonly return_query: string
  readonly connect_session_id: string | null
}

/**
 * Whether a submission was made for a customer on a link's page, whose query has the identifier. In a connect session, the
 * query decides nothing: the session has the identifier.
 */
export function isSubmissionOf(submission: OwnedSubmission, { identifier }: Customer): boolean {
  const { return_query, connect_session_id } = submission
  if (connect_session_id !== null) return false
  return new URLSearchParams(return_query).get('accountIdentifier') === identifier
}

/** The request body of Erase customer. */
export const EraseCustomer = StrictObject(
  {
    accountIdentifier: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The accountIdentifier of the customer.',
    }),
    workspaceId: OptionalField(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace of the customer.' }),
    ),
  },
  { $id: 'EraseCustomer', examples: [{ accountIdentifier: 'customer-41' }] },
)
export type EraseCustomer = Static<typeof EraseCustomer>

const count = (description: string) => Type.Integer({ description })

/** The response of Erase customer. */
export const ErasureReceipt = StrictObject(
  {
    erasureId: IdOf<ErasureId>({
      description: 'Identifier of the erasure, the same each time for one customer.',
    }),
    workspaceId: IdOf<WorkspaceId>({ description: 'Workspace of the customer.' }),
    status: KnownText<string>(
      ['finished', 'running'],
      '`running`: it continues in the background.',
    ),
    createdAt: Timestamp('Time of the first request.'),
    finishedAt: Nullable(Timestamp('When something was last erased; null while it runs.')),
    erased: StrictObject(
      {
        accounts: count('Accounts that were connected.'),
        tombstones: count('Accounts that had been deleted before.'),
        accountChanges: count('Entries of the history of accounts.'),
        events: count('Events whose data was scrubbed.'),
        auditEvents: count('Entries of the audit trail that were scrubbed.'),
        deliveryFailures: count('Logged responses of webhook receivers.'),
        oauthSessions: count('OAuth sessions.'),
        submissions: count('Submissions of the connect page.'),
        connectSessions: count('Connect sessions.'),
        agentSessions: count('Agent sessions.'),
        oauthApps: count('OAuth apps of the customer.'),
        attempts: count('Attempts to connect an account.'),
        requests: count('Requests in the log.'),
        bulkJobResults: count('Results in bulk jobs.'),
        previews: count('Previews of upgrades that had a result of one of the accounts.'),
      },
      { description: 'How much was erased, by kind.' },
    ),
    revocations: StrictObject(
      {
        revoked: count('Accounts whose tokens the provider revoked.'),
        shared: count('Accounts whose grant a live account may share: nothing was sent.'),
        unsupported: count('Accounts whose provider cannot revoke their tokens.'),
        failed: count('Accounts whose tokens may still be valid at the provider.'),
      },
      { description: 'What became of the tokens at their providers.' },
    ),
  },
  {
    $id: 'ErasureReceipt',
    description: 'What was erased. Contains no personal data.',
    examples: [
      {
        erasureId: 'ers_01kahn41dke3jtmrb2w3zj6t0y',
        workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
        status: 'finished',
        createdAt: '2026-11-21T10:00:00.000Z',
        finishedAt: '2026-11-21T10:00:01.000Z',
        erased: {
          accounts: 2,
          tombstones: 1,
          accountChanges: 5,
          events: 6,
          auditEvents: 4,
          deliveryFailures: 0,
          oauthSessions: 1,
          submissions: 2,
          connectSessions: 1,
          agentSessions: 0,
          oauthApps: 0,
          attempts: 3,
          requests: 12,
          bulkJobResults: 1,
          previews: 0,
        },
        revocations: { revoked: 1, shared: 0, unsupported: 0, failed: 0 },
      },
    ],
  },
)
export type ErasureReceipt = Static<typeof ErasureReceipt>

/** Serializes an erasure. */
export function serializeErasure(erasure: Erasure): ErasureReceipt {
  const { counts, finishedAt, isRunning } = erasure
  const pick = <K extends keyof typeof counts>(kinds: readonly K[]) =>
    Object.fromEntries(kinds.map((kind) => [kind, counts[kind] ?? 0])) as Record<K, number>
  return {
    erasureId: erasure.erasureId,
    workspaceId: erasure.workspaceId,
    status: isRunning ? 'running' : 'finished',
    createdAt: toTimestamp(erasure.createdAt),
    finishedAt: isRunning || finishedAt === null ? null : toTimestamp(finishedAt),
    erased: pick(ERASED_KINDS),
    revocations: pick(REVOCATION_KINDS),
  }
}

/** The response of Delete workspace. */
export const DeletedWorkspace = StrictObject(
  {
    workspaceId: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
    deleted: Timestamp('Time of deletion.'),
    status: KnownText<string>(
      ['finished', 'running'],
      '`running`: its data is erased in the background.',
    ),
  },
  {
    $id: 'DeletedWorkspace',
    description: 'A deleted workspace.',
    examples: [
      {
        workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
        deleted: '2026-11-21T10:00:00.000Z',
        status: 'finished',
      },
    ],
  },
)
export type DeletedWorkspace = Static<typeof DeletedWorkspace>

/** Serializes a deleted workspace. */
export function serializeDeletedWorkspace(workspace: {
  readonly workspaceId: WorkspaceId
  /** Epoch milliseconds. */
  readonly deletedAt: number
  readonly isRunning: boolean
}): DeletedWorkspace {
  return {
    workspaceId: workspace.workspaceId,
    deleted: toTimestamp(workspace.deletedAt),
    status: workspace.isRunning ? 'running' : 'finished',
  }
}
