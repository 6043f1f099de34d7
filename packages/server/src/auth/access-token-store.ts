import { crc32 } from 'node:zlib'
import type { Database } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import type { MaybePromise, Param } from '../storage/prepared-query.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { TokenRow } from '../storage/tables.ts'

/** The stored columns of a token that authentication reads. */
export interface StoredToken {
  readonly token_id: Id<'tok'>
  readonly user_id: Id<'usr'>
  readonly workspace_id: Id<'wsp'> | null
  readonly scopes: string
  readonly expires_at: number | null
  readonly last_used_at: number | null
  readonly origin: 'owner' | 'environment' | 'minted' | 'user'
  readonly reads_per_minute: number | null
  readonly writes_per_minute: number | null
  /** The accounts that it is bound to, separated by single spaces; null for all. */
  readonly account_ids: string | null
}

/** Looks up tokens by hash. Takes no WorkspaceAccess, because the WorkspaceAccess is derived from the token. */
export function createAccessTokenStore(database: Database) {
  const byHash = database.prepare(
    (db, param: Param<{ hash: Uint8Array }>) =>
      db
        .selectFrom('tokens')
        .select(['token_id', 'user_id', 'workspace_id', 'scopes', 'expires_at', 'last_used_at'])
        .select(['origin', 'reads_per_minute', 'writes_per_minute', 'account_ids'])
        .select(['parent_token_id', 'created_at', 'row_checksum'])
        .where('token_hash', '=', param('hash'))
        .where('revoked_at', 'is', null),
    { hash: 'bytea' },
  )
  return {
    /**
     * The token with this hash, expired or not; undefined when it is unknown or revoked.
     * @throws {StorageError} `corrupt` if it has changed on the disk, or if the index leads to another token
     */
    findByHash(hash: Uint8Array): MaybePromise<StoredToken | undefined> {
      const verify = (row: FoundToken | undefined) => {
        if (row !== undefined) assertTokenChecksum({ ...row, token_hash: hash })
        return row
      }
      const found: MaybePromise<FoundToken | undefined> = byHash.firstDirect({ hash })
      return found instanceof Promise ? found.then(verify) : verify(found)
    },

    /** See `Database`. */
    readDataVersion: () => database.readDataVersion(),

    async touchLastUsed(tokenId: Id<'tok'>, now: number): Promise<void> {
      await database.transaction((trx) =>
        trx
          .updateTable('tokens')
          .set({ last_used_at: now })
          .where('token_id', '=', tokenId)
          .execute(),
      )
    },
  }
}

export type AccessTokenStore = ReturnType<typeof createAccessTokenStore>

/** What never changes in a token. */
type TokenContent = Omit<
  TokenRow,
  'name' | 'revoked_at' | 'last_used_at' | 'expiry_recorded' | 'row_checksum'
>

type FoundToken = Omit<TokenContent, 'token_hash'> & StoredToken & Pick<TokenRow, 'row_checksum'>

/** The CRC-32 of what never changes in a token. It finds accidents, not forgery. */
export function computeTokenChecksum(row: TokenContent): number {
  return crc32(
    JSON.stringify([
      ...[row.token_id, Buffer.from(row.token_hash).toString('base64'), row.user_id],
      ...[row.workspace_id, row.parent_token_id, row.scopes, row.origin, row.created_at],
      ...[row.expires_at, row.reads_per_minute, row.writes_per_minute, row.account_ids],
    ]),
  )
}

/**
 * Verifies a token that has a checksum: those of earlier versions have none.
 *
 * @throws {StorageError} `corrupt`
 */
export function assertTokenChecksum(row: TokenContent & Pick<TokenRow, 'row_checksum'>): void {
  if (!isTokenDamaged(row)) return
  throw new StorageError('corrupt', `The row tokens/${row.token_id} is damaged`)
}

/** Whether a token that has a checksum has changed on the disk. */
export function isTokenDamaged(row: TokenContent & Pick<TokenRow, 'row_checksum'>): boolean {
  return row.row_checksum !== null && row.row_checksum !== computeTokenChecksum(row)
}
