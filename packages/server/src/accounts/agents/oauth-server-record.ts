import {
  bytes,
  defineResource,
  id,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  time,
  type ValuesOf,
} from '../../platform/storage/define-resource.ts'
import type { AgentSessionId } from './agent-session.ts'

/** What an authorization server has to remember. */
const fields = {
  /** SHA-256 of the ID. An opaque token is its ID, so nothing stored is one. */
  idHash: { column: 'id_hash', type: bytes('hash') },
  /** Such as `AccessToken` or `AuthorizationCode`. */
  kind: { column: 'kind', type: text('none'), sample: 'AccessToken' },
  payload: { column: 'payload', type: json<RecordPayload>('operator', {}), sample: {} },
  /** The session that the record ends with; null before there is one, and of clients. */
  agentSessionId: { column: 'agent_session_id', type: nullable(id<AgentSessionId>()) },
  /** When it was used first; null until then. */
  consumedAt: { column: 'consumed_at', type: nullable(time()) },
  uses: { column: 'uses', type: integer() },
  expiresAt: { column: 'expires_at', type: time() },
} as const

export type RecordPayload = Readonly<Record<string, unknown>>

export const OAUTH_SERVER_RECORD = defineResource(fields)

/** A code, a token, a grant, an authorization request or a registered client. Times are epoch milliseconds. */
export type OAuthServerRecord = ValuesOf<typeof fields>

declare module '../../platform/storage/tables.ts' {
  interface Tables {
    oauth_server_records: RowOf<typeof fields>
  }
}
