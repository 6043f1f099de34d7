import { hash } from 'node:crypto'
import { findRefreshTokens, type ObservedTokens, stringEntries } from '@linchpin/runner'
import type { Database } from '../../storage/database.ts'
import type { Transaction } from '../../storage/transaction.ts'
import type { Vault } from '../../vault/vault.ts'
import type { PreparedConfig } from '../credentials/prepare-config.ts'
import type { Binding } from './rotation-binding.ts'
import type { RotationStore } from './rotation-store.ts'
import type { NewerTokens } from './with-observed-tokens.ts'

export interface EncryptedRotationsDeps {
  readonly database: Database
  readonly vault: Vault
  readonly rotations: RotationStore
  readonly now: () => number
}

interface StoredTokens extends NewerTokens {
  readonly refreshToken: string
  readonly binding: Binding | undefined
}

/** The encrypted `rotations` rows of one configuration. */
export function createEncryptedRotations(
  deps: EncryptedRotationsDeps,
  workspaceId: string,
  prepared: PreparedConfig,
) {
  const texts = stringEntries(prepared.config).map(([, text]) => text)
  const candidates = [...new Set(texts.filter((text) => text.length >= MIN_TOKEN_LENGTH))].slice(
    0,
    MAX_TOKENS,
  )
  const byId = new Map(
    [...findRefreshTokens(prepared.config), ...candidates].map((text) => [
      rotationId(workspaceId, prepared, text),
      text,
    ]),
  )
  const sealContext = (rowId: string) => ({
    table: 'rotations',
    column: 'sealed',
    workspaceId,
    rowId,
  })
  return {
    async open(): Promise<StoredTokens[]> {
      const rows = await deps.rotations.find(workspaceId, [...byId.keys()], deps.now())
      return Promise.all(
        rows.map(async ({ rotation_id: id, sealed }) => {
          const decrypted = JSON.parse(await deps.vault.openText(sealContext(id), sealed))
          const { access_token: accessToken, refresh_token: refreshToken, binding } = decrypted
          return { configuredToken: byId.get(id) ?? '', accessToken, refreshToken, binding }
        }),
      )
    },
    async store(
      token: string,
      { accessToken, refreshToken }: ObservedTokens,
      binding: Binding,
    ): Promise<void> {
      const rotation_id = rotationId(workspaceId, prepared, token)
      const tokens = { refresh_token: refreshToken, access_token: accessToken, binding }
      const sealed = await deps.vault.seal(sealContext(rotation_id), JSON.stringify(tokens))
      const row = { rotation_id, workspace_id: workspaceId, sealed }
      await deps.database.transaction((trx) =>
        deps.rotations.store(trx, { ...row, expires_at: deps.now() + ROTATION_TTL_MS }),
      )
    },
    delete: (trx: Transaction) => deps.rotations.delete(trx, workspaceId, [...byId.keys()]),
  }
}

/** Includes the definition, auth type and workspace: each of them may use a different OAuth client. */
export function rotationId(
  workspaceId: string,
  { definitionId, authType }: PreparedConfig,
  token: string,
): string {
  return hash('sha256', JSON.stringify([workspaceId, definitionId, authType, token]))
}

const ROTATION_TTL_MS = 60 * 60_000
export const MAX_TOKENS = 20
/** Shorter strings are not taken for refresh tokens unless the name of their field says so. */
const MIN_TOKEN_LENGTH = 12
