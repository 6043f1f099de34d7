import type { Kysely } from 'kysely'
import type { Database } from '../storage/database.ts'
import type { Tables } from '../storage/tables.ts'
import { createDataKeys } from './data-keys.ts'
import type { KeyRing } from './key-ring.ts'
import { type RotateOptions, rotateKeys } from './rotate-keys.ts'
import { openBox, readKeyId, type SealContext, sealBox } from './sealed-box.ts'
import { VaultError } from './vault-error.ts'
import { verifyKeys } from './verify-keys.ts'

/**
 * Seals secrets for storage: AES-256-GCM under a data key per workspace, itself wrapped by the key ring,
 * which never is in the database. A sealed value opens only in the place it was sealed for.
 */
export interface Vault {
  /** Makes a workspace's data key, in the transaction that makes the workspace. */
  createWorkspaceKey(trx: Kysely<Tables>, workspaceId: string): Promise<void>
  /** Seals for this place. The workspace must be committed. @throws {VaultError} `unknown_key` */
  seal(context: SealContext, plaintext: string | Uint8Array): Promise<Uint8Array>
  /** The bytes that were sealed for this place. @throws {VaultError} */
  open(context: SealContext, sealed: Uint8Array): Promise<Uint8Array>
  /** The text that was sealed for this place. @throws {VaultError} */
  openText(context: SealContext, sealed: Uint8Array): Promise<string>
  /** Proves the key ring at start; see `verifyKeys`. @throws {VaultError} and changes nothing then */
  verify(): Promise<void>
  /** Brings every workspace under the first key; see `rotateKeys`. Answers how many it changed. */
  rotateKeys(options?: RotateOptions): Promise<number>
}

/** What the vault needs. */
export interface VaultDeps {
  database: Database
  keys: KeyRing
  /** Epoch milliseconds. */
  now: () => number
}

/** A vault on this database. Call `verify` before anything else. */
export function createVault({ database, keys, now }: VaultDeps): Vault {
  const dataKeys = createDataKeys(database, keys, now)

  async function open(context: SealContext, sealed: Uint8Array): Promise<Uint8Array> {
    if (readKeyId(sealed) !== DATA_KEY) {
      throw new VaultError('tampered', 'A sealed value was changed or belongs elsewhere')
    }
    return openBox(await dataKeys.get(context.workspaceId), context, sealed)
  }

  return {
    createWorkspaceKey: dataKeys.create,
    seal: async (context, plaintext) => {
      const bytes = typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext
      return sealBox(await dataKeys.get(context.workspaceId), DATA_KEY, context, bytes)
    },
    open,
    openText: async (context, sealed) => Buffer.from(await open(context, sealed)).toString('utf8'),
    verify: () => verifyKeys(database, keys, now),
    rotateKeys: (options) => rotateKeys(database, keys, now, options),
  }
}

// A workspace has one data key as yet; a second one would bear another id.
const DATA_KEY = '1'
