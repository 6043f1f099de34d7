import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { Database, Transaction } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import { createDataKeys, type RotateOptions, rotateKeys } from './data-keys.ts'
import type { KeyRing } from './key-ring.ts'
import { createKeyStore } from './key-store.ts'
import { openBox, readKeyId, type SealContext, sealBox } from './sealed-box.ts'
import { verifyKeys, verifyKeysOfOlderSchema } from './verify-keys.ts'

/**
 * Encrypts secrets for storage: AES-256-GCM with a data key per workspace, which is wrapped by the key ring. The key
 * ring is never stored in the database. A sealed value can be opened only with the context it was sealed for.
 */
export interface Vault {
  /** Creates the data key of a workspace, in the transaction that creates the workspace. */
  createWorkspaceKey(trx: Transaction, workspaceId: Id<'wsp'>): Promise<void>
  /** Destroys the data key of a workspace: nothing that was sealed for it can be opened again. */
  destroyWorkspaceKey(trx: Transaction, workspaceId: Id<'wsp'>): Promise<void>
  /** Encrypts a value for this context. The workspace must be committed. @throws VaultError `no_data_key` */
  seal(context: WorkspaceSealContext, plaintext: string | Uint8Array): Promise<Uint8Array>
  /** Decrypts bytes that were sealed for this context. @throws VaultError */
  open(context: WorkspaceSealContext, sealed: Uint8Array): Promise<Uint8Array>
  /** Decrypts text that was sealed for this context. @throws VaultError */
  openText(context: WorkspaceSealContext, sealed: Uint8Array): Promise<string>
  /** The ID of the key that encrypts data keys: the first of the ring. */
  readonly encryptionKeyId: string
  /** Verifies the key ring at start; see `verifyKeys`. @throws VaultError, leaving the database unchanged */
  verify(): Promise<void>
  /** Verifies the key ring before the database is migrated, which cannot be undone. @throws VaultError */
  verifyOlderSchema(): Promise<void>
  /** A key for one purpose, derived from the first key of the ring (HKDF-SHA-256, RFC 5869). */
  deriveKey(purpose: string): KeyObject
  /** Rewraps every data key with the first key; see `rotateKeys`. Returns the number of changed workspaces. */
  rotateKeys(options?: RotateOptions): Promise<number>
}

/** The context of a value that belongs to a workspace. */
export interface WorkspaceSealContext extends SealContext {
  workspaceId: Id<'wsp'>
}

/** Dependencies of the vault. */
export interface VaultDeps {
  database: Database
  keys: KeyRing
  /** Epoch milliseconds. */
  now: () => number
  /** After this time a process notices that another one has replaced a data key. Default: a minute. */
  dataKeyMaxAgeMs?: number | undefined
}

/** Creates a vault. Call `verify` before any other method. */
export function createVault({ database, keys, now, dataKeyMaxAgeMs }: VaultDeps): Vault {
  const store = createKeyStore(database)
  const dataKeys = createDataKeys(store, keys, now, dataKeyMaxAgeMs)

  async function open(context: WorkspaceSealContext, sealed: Uint8Array): Promise<Uint8Array> {
    const key = await dataKeys.find(context.workspaceId, readKeyId(sealed))
    return openBox(key, context, sealed)
  }

  return {
    createWorkspaceKey: dataKeys.create,
    destroyWorkspaceKey: dataKeys.destroy,
    seal: async (context, plaintext) => {
      const bytes = typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext
      const { id, key } = await dataKeys.get(context.workspaceId)
      return sealBox(key, id, context, bytes)
    },
    open,
    openText: async (context, sealed) => Buffer.from(await open(context, sealed)).toString('utf8'),
    encryptionKeyId: keys[0].id,
    verify: () => verifyKeys(store, keys, now),
    verifyOlderSchema: () => verifyKeysOfOlderSchema(store, keys),
    deriveKey: (purpose) =>
      createSecretKey(new Uint8Array(hkdfSync('sha256', keys[0].key, '', purpose, 32))),
    rotateKeys: (options) => rotateKeys({ database, store, keys }, now, options),
  }
}
