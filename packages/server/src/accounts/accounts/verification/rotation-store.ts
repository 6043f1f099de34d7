import { hash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../../integrations/definitions/definition.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { Database } from '../../../platform/storage/database.ts'
import { createSharedClock, type SharedClock } from '../../../platform/storage/portable-sql.ts'
import type { Tables } from '../../../platform/storage/tables.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { AccountTenant } from '../credentials/account-config.ts'

/** Tokens that replaced `configuredToken`, and what they are bound to. */
export interface Rotation {
  readonly configuredToken: string
  readonly accessToken: string | undefined
  readonly refreshToken: string
  /** Undefined in rotations that an earlier version stored. */
  readonly binding: RotationBinding | undefined
}

/** What rotated tokens are bound to: the sender of the first request and its latest configuration. */
export interface RotationBinding {
  readonly sender?: string | undefined
  readonly config?: string
}

/** Where tokens may be used: each workspace, definition and auth type may have a different OAuth client. */
export interface RotationContext {
  readonly tenant: Pick<AccountTenant, 'workspaceId'>
  readonly definitionId: DefinitionId
  readonly authType: string
}

/**
 * Tokens that integrations obtained in exchange for given ones, until an account stores them, at most for an hour.
 * Encrypted, and found by a hash of the given token.
 */
export function createRotationStore(database: Database, vault: Vault, now: () => number) {
  return {
    /** The rotations of these tokens. */
    async find(context: RotationContext, tokens: readonly string[]): Promise<Rotation[]> {
      if (tokens.length === 0) return []
      const { workspaceId } = context.tenant
      const byId = new Map(tokens.map((token) => [deriveRotationId(context, token), token]))
      const rows = await database.read
        .selectFrom('rotations')
        .select(['rotation_id', 'sealed'])
        .where('rotation_id', 'in', [...byId.keys()])
        .where('workspace_id', '=', workspaceId)
        .where('expires_at', '>', now())
        .execute()
      return Promise.all(
        rows.map(async ({ rotation_id: id, sealed }) => {
          const text = await vault.openText(sealContext(workspaceId, id), sealed)
          const { access_token, refresh_token, binding } = JSON.parse(text)
          const configuredToken = byId.get(id) ?? ''
          return {
            configuredToken,
            accessToken: access_token,
            refreshToken: refresh_token,
            binding,
          }
        }),
      )
    },

    /** Replaces the rotation of the same token. */
    async store(context: RotationContext, rotation: Rotation): Promise<void> {
      const { workspaceId } = context.tenant
      const { configuredToken, accessToken, refreshToken, binding } = rotation
      const rotation_id = deriveRotationId(context, configuredToken)
      const text = JSON.stringify({
        refresh_token: refreshToken,
        access_token: accessToken,
        binding,
      })
      const sealed = await vault.seal(sealContext(workspaceId, rotation_id), text)
      const expires_at = now() + ROTATION_TTL_MS
      await database.transaction((trx) =>
        trx
          .insertInto('rotations')
          .values({ rotation_id, workspace_id: workspaceId, sealed, expires_at })
          .onConflict((oc) => oc.column('rotation_id').doUpdateSet({ sealed, expires_at }))
          .execute(),
      )
    },

    /** Call it in the transaction that stores the tokens with an account. */
    async delete(
      trx: Kysely<Tables>,
      context: RotationContext,
      tokens: readonly string[],
    ): Promise<void> {
      await trx
        .deleteFrom('rotations')
        .where(
          'rotation_id',
          'in',
          tokens.map((token) => deriveRotationId(context, token)),
        )
        .where('workspace_id', '=', context.tenant.workspaceId)
        .execute()
    },
  }
}

export type RotationStore = ReturnType<typeof createRotationStore>

/** Deletes expired rotations. Runs in the background. */
export async function sweepRotations(database: Database, now: number): Promise<void> {
  await database.transaction((trx) =>
    trx.deleteFrom('rotations').where('expires_at', '<=', now).execute(),
  )
}

/** Identifies the rotation of a token, and the lease of the check that uses the token. */
export function deriveRotationId(
  { tenant: { workspaceId }, definitionId, authType }: RotationContext,
  token: string,
): string {
  return hash('sha256', JSON.stringify([workspaceId, definitionId, authType, token]))
}

function sealContext(workspaceId: WorkspaceId, rowId: string) {
  return { table: 'rotations', column: 'sealed', workspaceId, rowId }
}

const ROTATION_TTL_MS = 60 * 60_000

/** The exclusive right to use a refresh token that no account has stored yet, by the id of its rotation. */
interface TokenLease {
  readonly rotationId: string
  readonly workspaceId: WorkspaceId
  readonly owner: string
}

/** Leases of refresh tokens, on all nodes. */
export function createTokenLeaseStore(database: Database, now: () => number) {
  const clock = createSharedClock(database, now)
  /** Number of requests in this process that wait for a lease, by rotation id. */
  const waiting = new Map<string, number>()
  return {
    /**
     * Acquires the leases of these rotations; waits while other requests hold them. Dispose of the result to release
     * them: if that fails, they expire.
     *
     * @throws ApiError `refresh_in_progress` when the wait times out or too many requests wait
     */
    async acquire(
      workspaceId: WorkspaceId,
      rotationIds: readonly string[],
    ): Promise<AsyncDisposable> {
      await using acquired = new AsyncDisposableStack()
      const owner = randomUUID()
      // In sorted order: otherwise two checks could deadlock.
      for (const rotationId of [...new Set(rotationIds)].sort()) {
        const lease = { rotationId, workspaceId, owner }
        await waitForTurn(waiting, rotationId, () =>
          poll(() => database.transaction((trx) => tryAcquire(trx, lease, clock))),
        )
        acquired.defer(() => release(database, lease).catch(() => undefined))
      }
      return acquired.move()
    },

    /** Deletes leases of processes that exited without releasing them. Runs in the background. */
    async sweep(): Promise<void> {
      await database.transaction((trx) =>
        trx.deleteFrom('token_leases').where('lease_until', '<', clock.statementTime()).execute(),
      )
    },
  }
}

export type TokenLeaseStore = ReturnType<typeof createTokenLeaseStore>

/** Returns false while another owner holds the lease. */
async function tryAcquire(
  trx: Kysely<Tables>,
  { rotationId, workspaceId, owner }: TokenLease,
  clock: SharedClock,
): Promise<boolean> {
  const lease_until = sql<number>`${clock.now()} + ${LEASE_MS}`
  const acquired = await trx
    .insertInto('token_leases')
    .values({ rotation_id: rotationId, workspace_id: workspaceId, lease_owner: owner, lease_until })
    .onConflict((oc) =>
      oc
        .column('rotation_id')
        .doUpdateSet({ lease_owner: owner, lease_until })
        .where('token_leases.workspace_id', '=', workspaceId)
        .where((eb) =>
          eb.or([
            eb('token_leases.lease_until', '<', clock.now()),
            // No lease lasts that long, so the clock was set back.
            eb('token_leases.lease_until', '>', sql<number>`${clock.now()} + ${MAX_LEASE_MS}`),
          ]),
        ),
    )
    .returning('rotation_id')
    .executeTakeFirst()
  return acquired !== undefined
}

async function release(
  database: Database,
  { rotationId, workspaceId, owner }: TokenLease,
): Promise<void> {
  await database.transaction((trx) =>
    trx
      .deleteFrom('token_leases')
      .where('rotation_id', '=', rotationId)
      .where('workspace_id', '=', workspaceId)
      .where('lease_owner', '=', owner)
      .execute(),
  )
}

/** Each attempt is a database write, so the number of waiting requests per token is bounded. */
async function waitForTurn(
  waiting: Map<string, number>,
  rotationId: string,
  work: () => Promise<void>,
): Promise<void> {
  const count = waiting.get(rotationId) ?? 0
  if (count >= MAX_WAITING) throw createTokenInUseError()
  waiting.set(rotationId, count + 1)
  try {
    await work()
  } finally {
    const remaining = (waiting.get(rotationId) ?? 1) - 1
    if (remaining > 0) waiting.set(rotationId, remaining)
    else waiting.delete(rotationId)
  }
}

async function poll(attempt: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS
  for (let waitMs = 50; performance.now() < deadline; waitMs = Math.min(waitMs * 1.3, 1_000)) {
    if (await attempt()) return
    await sleep(waitMs * (0.75 + Math.random() / 2))
  }
  throw createTokenInUseError()
}

function createTokenInUseError(): ApiError {
  return new ApiError(
    'refresh_in_progress',
    'Another request is checking the same refresh token. Retry in a moment.',
    { headers: { 'retry-after': '1' } },
  )
}

/** Longer than CHECK and IDENTITY take, including their waits and trailing token requests. */
const LEASE_MS = 120_000
const MAX_LEASE_MS = 10 * 60_000
const MAX_WAIT_MS = 20_000
const MAX_WAITING = 8
