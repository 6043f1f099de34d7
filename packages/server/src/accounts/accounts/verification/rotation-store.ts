import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../../integrations/definitions/definition.ts'
import type { Database } from '../../../platform/storage/database.ts'
import type { Tables } from '../../../platform/storage/tables.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { AccountTenant } from '../credentials/check-params.ts'

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
