import type { Adapter, AdapterPayload } from 'oidc-provider'
import { hashSecret } from '../../../access/auth/access-token.ts'
import type { Actor } from '../../../platform/record/change.ts'
import type { Database, Transaction } from '../../../platform/storage/database.ts'
import { isId } from '../../../platform/storage/id.ts'
import type { AgentSessionId } from '../../agents/agent-session.ts'
import type { AgentSessionStore } from '../../agents/agent-session-store.ts'
import { endAgentSession } from '../../agents/end-agent-session.ts'
import type { OAuthServerRecord } from '../../agents/oauth-server-record.ts'
import type { OAuthServerRecordStore, UseLimit } from '../../agents/oauth-server-record-store.ts'

export interface RecordAdapterDeps {
  readonly database: Database
  readonly oauthRecords: OAuthServerRecordStore
  readonly agentSessions: Pick<AgentSessionStore, 'end' | 'extend' | 'findWithOwner'>
  readonly now: () => number
  /** Where an authorization request continues after the consent. */
  readonly buildResumeUrl: (id: string) => string
  /** Creates the error of what cannot be used any more, or for which nothing more is issued. */
  readonly createRefusal: (reason: string) => Error
  /** The request that is being answered. */
  readonly getRequest: () => Pick<Actor, 'requestId' | 'ip'>
}

/** Records of a session, with used refresh tokens, which are stored for 30 days. A client needs a new one an hour. */
const MAX_OF_SESSION = 20_000

/** A registered client that is not used for so long is deleted. */
export const CLIENT_MS = 30 * 24 * 60 * 60_000

/**
 * The storage of the authorization server. IDs are hashed, and payloads have none: the database contains no token.
 *
 * - A code can be used once, on however many nodes: the library reads it first, so two nodes could both find it unused.
 * - A refresh token can be used five times within a minute of the first, as clients lose responses and send requests twice.
 * - An assertion of a client can be used once.
 * - Any later use of a code or token ends the session, and with it all that was issued for it (RFC 6749 section 4.1.2, RFC 9700 section 4.14.2).
 */
export function createRecordAdapter(deps: RecordAdapterDeps, kind: string): Adapter {
  const { database, oauthRecords, now } = deps
  const toKey = (id: string) => ({ kind, idHash: hashSecret(id) })
  return {
    async upsert(id, payload, expiresIn) {
      // A person signs in each time, so no session of theirs is remembered.
      if (kind === 'Session') return
      const record = toRecord(toKey(id), payload, now() + getLifetimeMs(expiresIn))
      await database.transaction(async (trx) => {
        if (kind === 'ReplayDetection') return insertOnce(deps, trx, record)
        await oauthRecords.upsert(trx, record)
        if (ISSUED.has(kind)) await extendLife(deps, trx, record)
      })
    },

    async find(id) {
      if (kind === 'Session') return undefined
      const record = await oauthRecords.find(toKey(id), now())
      if (record === undefined) return undefined
      const isUsed = record.consumedAt !== null && !canBeUsed(record, LIMITS[kind] ?? ONCE, now())
      return {
        ...record.payload,
        ...(kind !== 'Client' && { jti: id }),
        ...(kind === 'Interaction' && { returnTo: deps.buildResumeUrl(id) }),
        ...(isUsed && { consumed: Math.floor((record.consumedAt ?? 0) / 1_000) }),
      }
    },

    async consume(id) {
      const key = toKey(id)
      if (await oauthRecords.consume(key, LIMITS[kind] ?? ONCE, now())) return
      const agentSessionId = (await oauthRecords.find(key, now()))?.agentSessionId
      if (agentSessionId != null) await endSession(deps, agentSessionId)
      throw deps.createRefusal('already used')
    },

    async destroy(id) {
      const key = toKey(id)
      const grant = kind === 'Grant' ? await oauthRecords.find(key, now()) : undefined
      if (grant?.agentSessionId != null) await endSession(deps, grant.agentSessionId)
      else await oauthRecords.delete(key)
    },

    async revokeByGrantId(grantId) {
      const grant = { kind: 'Grant', idHash: hashSecret(grantId) }
      const agentSessionId = (await oauthRecords.find(grant, now()))?.agentSessionId
      if (agentSessionId != null) await endSession(deps, agentSessionId)
    },

    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
  }
}

const ONCE: UseLimit = { uses: 1, graceMs: 0 }
const LIMITS: Readonly<Record<string, UseLimit>> = {
  RefreshToken: { uses: 5, graceMs: 60_000 },
}

/** What lets a client go on: a session lasts as long as the last of it. */
const ISSUED: ReadonlySet<string> = new Set(['AccessToken', 'RefreshToken'])

function canBeUsed({ consumedAt, uses }: OAuthServerRecord, limit: UseLimit, now: number): boolean {
  return uses < limit.uses && (consumedAt ?? 0) > now - limit.graceMs
}

/** Of an assertion, the client has chosen it: a fraction, even. */
function getLifetimeMs(expiresIn: number | undefined): number {
  return expiresIn === undefined ? CLIENT_MS : Math.ceil(expiresIn * 1_000)
}

/** The library reads first, so two requests with one assertion could both find it new. */
async function insertOnce(
  { oauthRecords, createRefusal }: RecordAdapterDeps,
  trx: Transaction,
  record: OAuthServerRecord,
): Promise<void> {
  if (!(await oauthRecords.insert(trx, record))) throw createRefusal('already used')
}

function toRecord(
  key: Pick<OAuthServerRecord, 'kind' | 'idHash'>,
  { jti: _, returnTo: __, ...payload }: AdapterPayload,
  expiresAt: number,
): OAuthServerRecord {
  const { accountId } = payload
  return {
    ...key,
    payload,
    agentSessionId:
      typeof accountId === 'string' && isId('ags', accountId)
        ? (accountId as AgentSessionId)
        : null,
    consumedAt: null,
    uses: 0,
    expiresAt,
  }
}

/** Of the session, and of the registration of the client. */
async function extendLife(
  { agentSessions, oauthRecords, createRefusal, now }: RecordAdapterDeps,
  trx: Transaction,
  { agentSessionId, payload, expiresAt }: OAuthServerRecord,
): Promise<void> {
  if (agentSessionId !== null) {
    if (await oauthRecords.hasAtLeast(trx, agentSessionId, MAX_OF_SESSION))
      throw createRefusal('too many tokens')
    await agentSessions.extend(trx, agentSessionId, { now: now(), expiresAt })
  }
  const client = { kind: 'Client', idHash: hashSecret(String(payload.clientId)) }
  await oauthRecords.extend(trx, client, now() + CLIENT_MS)
}

/** Ends a session on behalf of its client: what it presented was used before, or it asks for that. */
async function endSession(deps: RecordAdapterDeps, agentSessionId: AgentSessionId): Promise<void> {
  await deps.database.transaction(async (trx) => {
    const found = await deps.agentSessions.findWithOwner(trx, agentSessionId)
    if (found === undefined) return
    const { session, userId } = found
    const { workspaceId, clientId } = session
    const actor = {
      userId,
      boundWorkspaceId: workspaceId,
      tokenId: null,
      kind: 'agent' as const,
      via: 'mcp' as const,
      ...deps.getRequest(),
    }
    await endAgentSession(deps, trx, actor, userId, session, { clientId, endedBy: 'client' })
  })
}
