import { randomUUID } from 'node:crypto'
import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import { ApiError } from '../errors.ts'
import type { Database, Transaction } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import { createSharedClock } from '../storage/portable-sql.ts'
import type { IdempotencyKeyRow, Tables } from '../storage/tables.ts'
import type { IdempotencyClaim, SealedResponse } from './change.ts'

/** A request that is compared with the one that used the key first. */
export interface KeyedRequest {
  readonly operation: string
  /** A keyed hash of the operation, the path and the body. */
  readonly fingerprint: Uint8Array
  readonly scopes: readonly string[]
}

/** A key that another request has claimed, or whose request has succeeded. */
export interface StoredKey extends KeyedRequest {
  readonly state: IdempotencyKeyRow['state']
  /** Present once the response is stored. */
  readonly response: SealedResponse | undefined
}

type Key = Pick<IdempotencyClaim, 'userId' | 'boundWorkspaceId' | 'keyHash'>
type Owner = Key & Pick<IdempotencyClaim, 'owner'>
type Keys = ExpressionBuilder<Tables, 'idempotency_keys'>

/** Idempotency keys. On PostgreSQL, the clock of the database decides when a claim or a key ends. */
export function createIdempotencyKeyStore(database: Database, now: () => number) {
  const clock = createSharedClock(database, now)
  // One process uses a SQLite file, so the claims of any other have died with it.
  const ownerPrefix = database.dialect === 'sqlite' ? `${randomUUID()} ` : ''
  const inMs = (milliseconds: number) => sql<number>`${clock.now()} + ${milliseconds}`
  const isFree = (eb: Keys) =>
    eb.or([
      eb('idempotency_keys.expires_at', '<=', clock.now()),
      eb.and([
        eb('idempotency_keys.state', '=', 'running'),
        eb.or([
          eb('idempotency_keys.claim_until', '<=', clock.now()),
          // No claim lasts that long, so the clock was set back.
          eb('idempotency_keys.claim_until', '>', inMs(2 * CLAIM_MS)),
          eb('idempotency_keys.claim_owner', 'not like', `${ownerPrefix}%`),
        ]),
      ]),
    ])
  return {
    /** The owner of a new claim. */
    createOwner: () => `${ownerPrefix}${randomUUID()}`,

    /** Claims a key that is new, expired or abandoned. Otherwise returns what is stored; undefined if it is free by now. */
    claim(claim: Owner, request: KeyedRequest): Promise<'claimed' | StoredKey | undefined> {
      const values = toClaimColumns(claim, request, inMs)
      return database.transaction(async (trx) => {
        const claimed = await trx
          .insertInto('idempotency_keys')
          .values({ ...toKeyColumns(claim), ...values })
          .onConflict((conflict) =>
            conflict
              .columns(['user_id', 'bound_workspace_id', 'key_hash'])
              .doUpdateSet(values)
              .where(isFree),
          )
          .returning('claim_owner')
          .executeTakeFirst()
        if (claimed !== undefined) return 'claimed'
        const row = await trx
          .selectFrom('idempotency_keys')
          .select(STORED_COLUMNS)
          .where(isKey(claim))
          .executeTakeFirst()
        return row && toStoredKey(row)
      })
    },

    /** Extends a claim while its request runs. */
    async extend(claim: Owner): Promise<void> {
      await database.transaction((trx) =>
        trx
          .updateTable('idempotency_keys')
          .set({ claim_until: inMs(CLAIM_MS) })
          .where(isOwned(claim))
          .execute(),
      )
    },

    /** Frees the key of a request that had no effect. */
    async release(claim: Owner): Promise<void> {
      await database.transaction((trx) =>
        trx
          .deleteFrom('idempotency_keys')
          .where(isOwned(claim))
          .where('state', '=', 'running')
          .execute(),
      )
    },

    /** Stores the response of a request that has succeeded, in place of one that was stored with its effect. */
    async storeResponse(claim: Owner, response: SealedResponse): Promise<void> {
      await database.transaction((trx) =>
        trx
          .updateTable('idempotency_keys')
          .set({ state: 'done', ...toResponseColumns(response) })
          .where(isOwned(claim))
          .execute(),
      )
    },
  }
}

export type IdempotencyKeyStore = ReturnType<typeof createIdempotencyKeyStore>

/** How long a claim lasts if the process that holds it dies, in milliseconds. */
export const CLAIM_MS = 30_000
const EXPIRY_MS = 24 * 60 * 60_000

/** The effect of a request. */
export interface KeyedEffect {
  readonly workspaceId: Id<'wsp'> | null
  readonly resource: string
  /** An object, or JSON. */
  readonly response: unknown
}

/**
 * Stores with a key, in the transaction of the effect, that its request had it, and the response: either both are
 * committed, or neither.
 *
 * @throws ApiError `idempotency_in_progress` when the claim has ended and another request has the key
 */
export async function settleIdempotencyKey(
  trx: Transaction,
  claim: IdempotencyClaim,
  { workspaceId, resource, response }: KeyedEffect,
): Promise<void> {
  const settled = await trx
    .updateTable('idempotency_keys')
    .set({
      state: 'done',
      workspace_id: workspaceId,
      resource,
      ...toResponseColumns(claim.seal(response)),
    })
    .where(isOwned(claim))
    .returning('state')
    .executeTakeFirst()
  if (settled === undefined) throw createInProgressError()
}

const STORED_COLUMNS = [
  ...(['operation', 'fingerprint', 'scopes', 'state'] as const),
  ...(['status', 'sealed_response'] as const),
]

function toKeyColumns({ userId: user_id, boundWorkspaceId, keyHash: key_hash }: Key) {
  return { user_id, bound_workspace_id: boundWorkspaceId ?? ('' as const), key_hash }
}

const isKey = (key: Key) => (eb: Keys) => eb.and(toKeyColumns(key))

const isOwned = (claim: Owner) => (eb: Keys) =>
  eb.and({ ...toKeyColumns(claim), claim_owner: claim.owner })

function toClaimColumns(
  { owner }: Owner,
  { operation, fingerprint, scopes }: KeyedRequest,
  inMs: (milliseconds: number) => RawBuilder<number>,
) {
  return {
    operation,
    fingerprint,
    scopes: scopes.join(' '),
    state: 'running' as const,
    claim_owner: owner,
    claim_until: inMs(CLAIM_MS),
    expires_at: inMs(EXPIRY_MS),
    workspace_id: null,
    resource: null,
    status: null,
    response_bytes: 0,
    sealed_response: null,
  }
}

function toResponseColumns({ status, sealed }: SealedResponse) {
  return { status, sealed_response: sealed, response_bytes: sealed.length }
}

function toStoredKey(row: Pick<IdempotencyKeyRow, (typeof STORED_COLUMNS)[number]>): StoredKey {
  const { operation, fingerprint, scopes, state, status, sealed_response: sealed } = row
  return {
    operation,
    fingerprint,
    scopes: scopes.split(' '),
    state,
    response: status === null || sealed === null ? undefined : { status, sealed },
  }
}

/** Another request with the key runs. */
export function createInProgressError(): ApiError {
  return new ApiError(
    'idempotency_in_progress',
    'A request with this Idempotency-Key is running. Retry in a moment.',
    { headers: { 'retry-after': '1' } },
  )
}

/** The key belongs to another request. */
export function createKeyReusedError(): ApiError {
  return new ApiError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request. Use a new key for each request.',
  )
}

/** The response of the key has a secret, and the request comes from another token than the first. */
export function createSecretWithheldError(): ApiError {
  return new ApiError(
    'idempotency_key_reused',
    'The response to this Idempotency-Key has a secret, which is repeated only for the token of the first request. Use a new key for a new secret.',
  )
}

/** What requests with an `Idempotency-Key` were, since the start of the process. */
export interface IdempotencyCounts {
  /** The first with its key, or the first after one that failed. */
  first: number
  /** Answered with the stored response. */
  replayed: number
  /** Rejected: an earlier one had not ended. */
  in_progress: number
  /** Rejected: the key belongs to another request. */
  reused: number
}

export function createIdempotencyCounts(): IdempotencyCounts {
  return { first: 0, replayed: 0, in_progress: 0, reused: 0 }
}
