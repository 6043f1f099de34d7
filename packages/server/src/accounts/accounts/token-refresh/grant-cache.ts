import { createSecretKey, randomBytes } from 'node:crypto'
import type { OAuthApp } from '../../../integrations/oauth-apps/oauth-app.ts'
import { openBox, sealBox } from '../../../platform/vault/sealed-box.ts'
import type { Account, AccountId } from '../account.ts'

/** The headers of an account. `until`: epoch milliseconds of the shared clock; infinite if they last as long as the credentials. */
export interface CachedHeaders {
  readonly headers: Readonly<Record<string, string>> | null
  readonly until: number
}

/** What was decrypted or computed for one version of an account. */
export interface CachedGrant {
  readonly config: Readonly<Record<string, unknown>>
  readonly app: OAuthApp | undefined
  readonly clientSecret: string | undefined
  readonly headers: CachedHeaders
}

/** Which content of an account something was made of: its row, and all definitions and OAuth apps. */
export interface ContentVersion {
  readonly row: Account
  /** The epoch of definitions. */
  readonly epoch: string
}

/**
 * The decrypted credentials and the headers of accounts, for the next requests of this process. An entry is valid for exactly
 * the row and the epoch of definitions that it was made of, both of which every use reads: a change of credentials, definition,
 * pin or OAuth app ends it on every node with the commit. Entries are sealed with a key that only this process has.
 */
export class GrantCache {
  readonly #key = createSecretKey(randomBytes(32))
  readonly #entries = new Map<AccountId, Entry>()
  #bytes = 0

  /** What is cached for this version of an account. */
  find({ row, epoch }: ContentVersion): CachedGrant | undefined {
    const entry = this.#entries.get(row.accountId)
    if (entry === undefined) return undefined
    if (entry.epoch !== epoch || !isSameContent(entry.row, row)) {
      this.#remove(row.accountId, entry)
      return undefined
    }
    const { headers, ...secrets } = JSON.parse(
      Buffer.from(openBox(this.#key, createContext(row), entry.sealed)).toString('utf8'),
    ) as Sealed
    return { ...secrets, app: entry.app, headers: { headers, until: entry.until } }
  }

  /** Replaces what is cached for the account. Does nothing with what is too large. */
  store({ row, epoch }: ContentVersion, { config, app, clientSecret, headers }: CachedGrant): void {
    const content: Sealed = { config, clientSecret, headers: headers.headers }
    const plaintext = Buffer.from(JSON.stringify(content))
    const previous = this.#entries.get(row.accountId)
    if (previous !== undefined) this.#remove(row.accountId, previous)
    if (plaintext.length > MAX_ENTRY_BYTES) return
    const sealed = sealBox(this.#key, 'process', createContext(row), plaintext)
    const entry = { row, epoch, app, sealed, until: headers.until }
    this.#entries.set(row.accountId, entry)
    this.#bytes += measureEntry(entry)
    for (const [accountId, oldest] of this.#entries) {
      if (this.#bytes <= MAX_BYTES && this.#entries.size <= MAX_ENTRIES) return
      this.#remove(accountId, oldest)
    }
  }

  #remove(accountId: AccountId, entry: Entry): void {
    this.#entries.delete(accountId)
    this.#bytes -= measureEntry(entry)
  }
}

interface Entry extends ContentVersion {
  readonly app: OAuthApp | undefined
  readonly sealed: Uint8Array
  readonly until: number
}

/** What is encrypted. */
interface Sealed extends Pick<CachedGrant, 'config' | 'clientSecret'> {
  readonly headers: CachedHeaders['headers']
}

/** Entries also hold the bytes of the row that they are compared with. */
function measureEntry({ row, sealed }: Entry): number {
  return sealed.length + (row.sealedConfig?.length ?? 0) + (row.sealedHeaders?.length ?? 0)
}

/** In all, several accounts per tenant; the oldest entries go first. */
const MAX_ENTRIES = 10_000
const MAX_BYTES = 32 * 1024 * 1024
const MAX_ENTRY_BYTES = 128 * 1024

function createContext({ workspaceId, accountId }: Account) {
  return { table: 'accounts', column: 'grant_cache', workspaceId, rowId: accountId }
}

/** Whether two rows of an account have the same credentials. Bytes that were sealed again differ. */
function isSameContent(one: Account, other: Account): boolean {
  return (
    one.credentialVersion === other.credentialVersion &&
    one.authType === other.authType &&
    one.oauthAppId === other.oauthAppId &&
    one.definitionId === other.definitionId &&
    one.workspaceId === other.workspaceId &&
    isSameBytes(one.sealedConfig, other.sealedConfig) &&
    isSameBytes(one.sealedHeaders, other.sealedHeaders)
  )
}

function isSameBytes(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : Buffer.compare(one, other) === 0
}
