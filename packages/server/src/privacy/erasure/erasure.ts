import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Id } from '../../platform/storage/id.ts'

export type ErasureId = Id<'ers'>

/** What an erasure counts: rows that were deleted or scrubbed. */
export const ERASED_KINDS = [
  'accounts',
  'tombstones',
  'accountChanges',
  'events',
  'auditEvents',
  'deliveryFailures',
  'oauthSessions',
  'submissions',
  'connectSessions',
  'attempts',
  'previews',
] as const
export type ErasedKind = (typeof ERASED_KINDS)[number]

/** The outcomes of revocations at providers. */
export const REVOCATION_KINDS = ['revoked', 'shared', 'unsupported', 'failed'] as const
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
