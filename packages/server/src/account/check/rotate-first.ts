import { hash } from 'node:crypto'
import type { Database } from '../../storage/database.ts'
import type { Vault } from '../../vault/vault.ts'
import type { PreparedConfig } from '../config/prepare-config.ts'
import { configText } from '../renewal/grant/open-grant.ts'
import { type RotateByHeadersDeps, rotateByHeaders } from './rotate-by-headers.ts'
import type { RotationStore } from './rotation-store.ts'

export interface RotateFirstDeps extends RotateByHeadersDeps {
  readonly database: Database
  readonly vault: Vault
  readonly rotations: RotationStore
}

/** A configuration with the tokens that its bundle got by itself. */
export interface RotatedConfig {
  readonly config: Readonly<Record<string, unknown>>
  /** Whether the bundle has replaced the tokens just now: proof that they worked. */
  readonly isRotated: boolean
  /** When the access token ends, in epoch milliseconds; null when unknown. */
  readonly expiresAt: number | null
  /** Under which the tokens are kept until an account has them: whoever stores them has to forget it. */
  readonly rotationId: string | undefined
}

/**
 * Runs HEADERS of a bundle that may renew tokens by itself, before anything else could use up the refresh token. What it
 * got is kept for an hour under the token that was given, so that whoever gives that again, to create after a check or to
 * try once more, goes on with the newest.
 */
export async function rotateFirst(
  deps: RotateFirstDeps,
  workspaceId: string,
  prepared: PreparedConfig,
): Promise<RotatedConfig> {
  const given = configText(prepared.config, 'refresh_token')
  const asGiven = { config: prepared.config, isRotated: false, expiresAt: null }
  if (!prepared.hasTokenUrl || given === undefined) return { ...asGiven, rotationId: undefined }
  const place = placeOf(workspaceId, prepared, given)
  const { rowId: rotationId } = place
  const kept = await deps.rotations.find(workspaceId, rotationId, deps.now())
  const tokens = kept === undefined ? {} : JSON.parse(await deps.vault.openText(place, kept.sealed))
  const config = { ...prepared.config, ...tokens }
  const rotated = await rotateByHeaders(deps, { ...prepared, config })
  if (rotated === undefined)
    return { ...asGiven, config, rotationId: kept === undefined ? undefined : rotationId }
  const { refreshToken, accessToken, expiresAt } = rotated
  const fresh = {
    refresh_token: refreshToken,
    ...(accessToken === undefined ? {} : { access_token: accessToken }),
  }
  const sealed = await deps.vault.seal(place, JSON.stringify(fresh))
  const row = { rotation_id: rotationId, workspace_id: workspaceId, sealed }
  await deps.database.transaction((trx) =>
    deps.rotations.keep(trx, { ...row, expires_at: deps.now() + KEPT_MS }),
  )
  return {
    config: { ...config, ...fresh },
    isRotated: true,
    expiresAt: expiresAt ?? null,
    rotationId,
  }
}

/** Another definition, auth type or workspace is another client, as far as anybody can tell. */
function placeOf(workspaceId: string, { definitionId, authType }: PreparedConfig, given: string) {
  const rowId = hash('sha256', JSON.stringify([workspaceId, definitionId, authType, given]))
  return { table: 'rotations', column: 'sealed', workspaceId, rowId }
}

const KEPT_MS = 60 * 60_000
