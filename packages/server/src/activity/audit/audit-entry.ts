import type { Cause } from '../../platform/record/change.ts'
import type { Id } from '../../platform/storage/id.ts'

export type AuditId = Id<'aud' | 'evt'>

/** An entry of the audit trail, after it was chained. */
export interface AuditEntry {
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
  tok: 'token',
  usr: 'user',
  whe: 'webhook_endpoint',
  wsp: 'workspace',
}
