import Type, { type Static } from 'typebox'
import {
  KnownText,
  Nullable,
  OpenObject,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import type { Cause } from '../../platform/record/change.ts'
import type { Id } from '../../platform/storage/id.ts'

export type AuditId = Id<'aud' | 'evt'>

/** An entry of the audit trail, after it was chained. */
interface AuditEntry {
  readonly auditId: AuditId
  /** Epoch milliseconds. */
  readonly at: number
  /** Null for entries that belong to no workspace. */
  readonly workspaceId: Id<'wsp'> | null
  /** Counts the entries of the workspace: 1, 2, 3 and so on, without gaps. */
  readonly sequence: number
  /** `unknown`: a client without a valid token. */
  readonly kind: Cause['kind'] | 'unknown'
  readonly via: Cause['via']
  readonly userId: string | null
  readonly tokenId: string | null
  /** The client's address; null if there is none, or if it was erased. */
  readonly ip: string | null
  readonly action: string
  readonly outcome: 'done' | 'refused'
  readonly subject: string | null
  readonly subjectType: string | null
  /** Undefined if it was erased. */
  readonly detail: Readonly<Record<string, unknown>> | undefined
  readonly requestId: string | null
}

/** What the chain contains instead of a personal value: without the salt, the value cannot be guessed from it. */
export interface PersonalDigest {
  /** Base64url; null once the value was erased. */
  readonly salt: string | null
  /** SHA-256 in base64url, of the salt and the value's canonical JSON. */
  readonly digest: string
}

/** An entry and its place in the chain of its workspace. */
export interface ChainedEntry extends AuditEntry {
  /** SHA-256 in base64url, of the previous entry's hash and this entry. */
  readonly hash: string
  readonly personal: {
    readonly ip: PersonalDigest | null
    readonly detail: PersonalDigest
  }
}

/** The kind of resource that an id names; null for other subjects. */
export function getSubjectType(subject: string | null): string | null {
  return SUBJECT_TYPES[subject?.slice(0, 3) ?? ''] ?? null
}

const SUBJECT_TYPES: Readonly<Record<string, string>> = {
  acc: 'account',
  def: 'definition',
  lnk: 'link',
  oap: 'oauth_app',
  mbr: 'member',
  tok: 'token',
  usr: 'user',
  whe: 'webhook_endpoint',
  wsp: 'workspace',
}

/** An entry of the audit trail. */
export const AuditEvent = StrictObject(
  {
    auditId: Type.String({ description: 'Identifies the entry.' }),
    timestamp: Timestamp('When it happened.'),
    workspaceId: Nullable(
      Type.Unsafe<Id<'wsp'>>(
        Type.String({ description: 'Its workspace; null if it belongs to none.' }),
      ),
    ),
    sequence: Type.Integer({
      description: 'Counts the entries of the workspace without gaps, in the order of the chain.',
    }),
    actor: StrictObject(
      {
        kind: KnownText<string>(
          ['token', 'person', 'agent', 'system', 'unknown'],
          'Who: unknown for refused requests without a valid token.',
        ),
        via: KnownText<string>(['api', 'mcp', 'console', 'page', 'background', 'cli'], 'How.'),
        userId: Nullable(
          Type.String({
            description: 'The user; for a person on a page, the owner of the workspace.',
          }),
        ),
        tokenId: Nullable(Type.String({ description: 'The access token.' })),
        ip: Nullable(
          Type.String({ description: 'The address of the client; null: not recorded, or erased.' }),
        ),
      },
      { description: 'Who did it, and from where.' },
    ),
    action: Type.String({ description: 'What happened, such as `account.created`.' }),
    outcome: KnownText<string>(['done', 'refused'], 'How it ended.'),
    subject: Nullable(Type.String({ description: 'The id of the resource.' })),
    subjectType: Nullable(Type.String({ description: 'The kind of resource.' })),
    detail: Nullable(
      OpenObject({ description: 'More about it; null: erased. Contains no secrets.' }),
    ),
    requestId: Nullable(Type.String({ description: 'The `x-request-id` of the request.' })),
  },
  {
    $id: 'AuditEvent',
    examples: [
      {
        auditId: 'aud_01kahn5s9kf5arr5d1x6z5cq3b',
        timestamp: '2026-11-22T10:00:00.000Z',
        workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
        sequence: 1842,
        actor: {
          kind: 'token',
          via: 'api',
          userId: 'usr_01kahn2s6ke2vb7gq4yq1c0m9s',
          tokenId: 'tok_01kahn2s6kf5arr5d1x6z5cq3b',
          ip: '192.0.2.17',
        },
        action: 'account.credentials_read',
        outcome: 'done',
        subject: 'acc_01kahn41dke3jtmrb2w3zj6t0y',
        subjectType: 'account',
        detail: {},
        requestId: '0f8fad5b-d9cb-469f-a165-70867728950e',
      },
    ],
  },
)
export type AuditEvent = Static<typeof AuditEvent>

/** Serializes an entry. The chain contains exactly these members, with digests in place of `actor.ip` and `detail`. */
export function serializeAuditEntry(entry: AuditEntry): AuditEvent {
  const { auditId, workspaceId, sequence, kind, via, userId, tokenId, ip } = entry
  const { action, outcome, subject, subjectType, detail = null, requestId } = entry
  return {
    auditId,
    timestamp: toTimestamp(entry.at),
    workspaceId,
    sequence,
    actor: { kind, via, userId, tokenId, ip },
    action,
    outcome,
    subject,
    subjectType,
    detail,
    requestId,
  }
}
