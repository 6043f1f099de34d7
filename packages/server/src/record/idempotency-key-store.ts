import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { ApiError } from '../errors.ts'
import type { Database, Transaction } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import { createSharedClock } from '../storage/shared-clock.ts'
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

/** Idempotency keys. On PostgreSQL, the clock of the database decides when a claim or a key ends. */
export function createIdempotencyKeyStore(database: Database, now: () => number) {
  const clock = createSharedClock(database, now)
  const inMs = (milliseconds: number) => sql<number>`${clock.now()} + ${milliseconds}`
  const isFree = (eb: ExpressionBuilder<Tables, 'idempotency_keys'>) =>
    eb.or([
      eb('idempotency_keys.expires_at', '<=', clock.now()),
      eb.and([
        eb('idempotency_keys.state', '=', 'running'),
        eb.or([
          eb('idempotency_keys.claim_until', '<=', clock.now()),
          // No claim lasts that long, so the clock was set back.
          eb('idempotency_keys.claim_until', '>', inMs(2 * CLAIM_MS)),
        ]),
      ]),
    ])
  return {
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
          .select(['operation', 'fingerprint', 'scopes', 'state', 'status', 'sealed_response'])
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
          .where(isKey(claim))
          .where('claim_owner', '=', claim.owner)
          .execute(),
      )
    },

    /** Frees the key of a request that had no effect. */
    async release(claim: Owner): Promise<void> {
      await database.transaction((trx) =>
        trx
          .deleteFrom('idempotency_keys')
          .where(isKey(claim))
          .where('claim_owner', '=', claim.owner)
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
          .where(isKey(claim))
          .where('claim_owner', '=', claim.owner)
          .execute(),
      )
    },

    /** Deletes at most `limit` expired keys and returns how many. */
    deleteExpired(limit: number): Promise<number> {
      return deleteFirst(database, limit, (eb) => eb('expires_at', '<=', clock.statementTime()))
    },

    /** The number of a user's keys and the size of their responses. */
    async measure(userId: Id<'usr'>): Promise<{ keys: number; bytes: number }> {
      const { keys, bytes } = await database.read
        .selectFrom('idempotency_keys')
        .select((eb) => [eb.fn.countAll().as('keys'), eb.fn.sum('response_bytes').as('bytes')])
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow()
      return { keys: Number(keys), bytes: Number(bytes) }
    },

    /** Deletes the `limit` oldest keys of a user, except those of running requests, and returns how many. */
    deleteOldest(userId: Id<'usr'>, limit: number): Promise<number> {
      return deleteFirst(database, limit, (eb) => eb.and({ user_id: userId, state: 'done' }))
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
    .where(isKey(claim))
    .where('claim_owner', '=', claim.owner)
    .returning('state')
    .executeTakeFirst()
  if (settled === undefined) throw createInProgressError()
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

/** What a user's keys to delete are about. */
export type IdempotencyKeyFilter =
  | { readonly resources: readonly string[] }
  | { readonly workspaceId: Id<'wsp'> }

/**
 * Deletes the keys of a user whose requests created or changed these resources, or anything in this workspace, with the
 * stored responses. Reads all keys of the user, of which there is a limited number.
 */
export async function deleteIdempotencyKeys(
  trx: Transaction,
  { userId }: Pick<Key, 'userId'>,
  filter: IdempotencyKeyFilter,
): Promise<void> {
  await trx
    .deleteFrom('idempotency_keys')
    .where('user_id', '=', userId)
    .where((eb) =>
      'resources' in filter
        ? eb('resource', 'in', filter.resources)
        : eb.or([
            eb('workspace_id', '=', filter.workspaceId),
            eb('bound_workspace_id', '=', filter.workspaceId),
          ]),
    )
    .execute()
}

function toKeyColumns({ userId, boundWorkspaceId, keyHash }: Key) {
  return {
    user_id: userId,
    bound_workspace_id: boundWorkspaceId ?? ('' as const),
    key_hash: keyHash,
  }
}

const isKey = (key: Key) => (eb: ExpressionBuilder<Tables, 'idempotency_keys'>) =>
  eb.and(toKeyColumns(key))

const KEY_COLUMNS = ['user_id', 'bound_workspace_id', 'key_hash'] as const

/** Deletes the first keys to expire, of those that match, and returns how many. */
function deleteFirst(
  database: Database,
  limit: number,
  matches: (eb: ExpressionBuilder<Tables, 'idempotency_keys'>) => Expression<SqlBool>,
): Promise<number> {
  return database.transaction(async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('idempotency_keys')
      .where((eb) =>
        eb(
          eb.refTuple(...KEY_COLUMNS),
          'in',
          eb
            .selectFrom('idempotency_keys')
            .select(KEY_COLUMNS)
            .where(matches)
            .orderBy('expires_at')
            .limit(limit)
            .$asTuple(...KEY_COLUMNS),
        ),
      )
      // Again: on PostgreSQL, a request may have claimed an expired key since the selection.
      .where(matches)
      .executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  })
}

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

function toStoredKey(
  row: Pick<
    IdempotencyKeyRow,
    'operation' | 'fingerprint' | 'scopes' | 'state' | 'status' | 'sealed_response'
  >,
): StoredKey {
  const { operation, fingerprint, scopes, state, status, sealed_response: sealed } = row
  return {
    operation,
    fingerprint,
    scopes: scopes.split(' '),
    state,
    response: status === null || sealed === null ? undefined : { status, sealed },
  }
}
