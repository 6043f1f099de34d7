import type { Cause } from '../../platform/record/change.ts'
import type { AuditEventRow } from '../../platform/storage/tables.ts'
import { type ChainedEntry, getSubjectType, type PersonalDigest } from './audit-entry.ts'

/** The entry of a row that was chained. */
export function toChainedEntry(row: AuditEventRow): ChainedEntry {
  const { ip_salt, ip_digest, detail_salt, detail_digest } = row
  const isErased = detail_salt === null && detail_digest !== null
  return {
    auditId: row.event_id,
    at: row.at,
    workspaceId: row.workspace_id,
    sequence: Number(row.sequence),
    ...getActor(row),
    // Earlier versions stored empty strings.
    userId: row.user_id || null,
    tokenId: row.token_id || null,
    ip: row.ip,
    action: row.action,
    outcome: row.outcome === 'refused' ? 'refused' : 'done',
    subject: row.subject,
    subjectType: getSubjectType(row.subject),
    detail: isErased ? undefined : JSON.parse(row.detail),
    requestId: row.request_id || null,
    hash: row.hash ?? '',
    personal: {
      ip: toPersonalDigest(ip_salt, ip_digest),
      detail: toPersonalDigest(detail_salt, detail_digest) ?? { salt: null, digest: '' },
    },
  }
}

/** Who and how. Earlier versions did not store it. */
function getActor({ actor_kind, via, user_id, token_id }: AuditEventRow): {
  kind: ChainedEntry['kind']
  via: Cause['via']
} {
  if (actor_kind !== null && via !== null)
    return { kind: actor_kind as ChainedEntry['kind'], via: via as Cause['via'] }
  if (!user_id) return { kind: 'system', via: 'background' }
  return token_id ? { kind: 'token', via: 'api' } : { kind: 'person', via: 'page' }
}

function toPersonalDigest(salt: string | null, digest: string | null): PersonalDigest | null {
  return digest === null ? null : { salt, digest }
}
