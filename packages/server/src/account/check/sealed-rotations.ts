import { hash } from 'node:crypto'
import { type ObservedTokens, refreshTokensIn, textsIn } from '@linchpin/runner'
import type { Transaction } from '../../storage/transaction.ts'
import type { PreparedConfig } from '../config/prepare-config.ts'
import type { CheckConfigDeps } from './check-config.ts'
import type { Binding } from './rotation-binding.ts'
import type { NewerTokens } from './with-observed-tokens.ts'

interface StoredTokens extends NewerTokens {
  readonly refreshToken: string
  readonly binding: Binding | undefined
}

/** The sealed rows of one configuration. */
export function rotationsOf(deps: CheckConfigDeps, workspaceId: string, prepared: PreparedConfig) {
  const texts = textsIn(prepared.config).map(([, text]) => text)
  const given = [...new Set(texts.filter((text) => text.length >= LEAST_TOKEN))].slice(
    0,
    MOST_TOKENS,
  )
  const byId = new Map(
    [...refreshTokensIn(prepared.config), ...given].map((text) => [
      rotationId(workspaceId, prepared, text),
      text,
    ]),
  )
  const placeOf = (rowId: string) => ({ table: 'rotations', column: 'sealed', workspaceId, rowId })
  return {
    async open(): Promise<StoredTokens[]> {
      const rows = await deps.rotations.find(workspaceId, [...byId.keys()], deps.now())
      return Promise.all(
        rows.map(async ({ rotation_id: id, sealed }) => {
          const opened = JSON.parse(await deps.vault.openText(placeOf(id), sealed))
          const { access_token: accessToken, refresh_token: refreshToken, binding } = opened
          return { given: byId.get(id) ?? '', accessToken, refreshToken, binding }
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
      const sealed = await deps.vault.seal(placeOf(rotation_id), JSON.stringify(tokens))
      const row = { rotation_id, workspace_id: workspaceId, sealed }
      await deps.database.transaction((trx) =>
        deps.rotations.store(trx, { ...row, expires_at: deps.now() + STORED_MS }),
      )
    },
    delete: (trx: Transaction) => deps.rotations.delete(trx, workspaceId, [...byId.keys()]),
  }
}

/** Another definition, auth type or workspace may be another client. */
export function rotationId(
  workspaceId: string,
  { definitionId, authType }: PreparedConfig,
  token: string,
): string {
  return hash('sha256', JSON.stringify([workspaceId, definitionId, authType, token]))
}

const STORED_MS = 60 * 60_000
export const MOST_TOKENS = 20
/** Shorter texts are no refresh tokens, unless their field says so. */
const LEAST_TOKEN = 12
