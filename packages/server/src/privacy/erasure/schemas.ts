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
import { ERASED_KINDS, type Erasure, type ErasureId, REVOCATION_KINDS } from './erasure.ts'

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
        attempts: count('Attempts to connect an account.'),
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
          attempts: 3,
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
