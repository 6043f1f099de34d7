import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { Database, Transaction } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import { createDataKeys, type RotateOptions, rotateKeys } from './data-keys.ts'
import type { KeyRing, RingKey } from './key-ring.ts'
import { createKeyStore, type KeyStore } from './key-store.ts'
import { openBox, readKeyId, type SealContext, sealBox, VaultError } from './sealed-box.ts'

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

/**
 * Verifies the key ring against the database and stores a check value for every new key. If verification fails, the
 * database is unchanged.
 *
 * @throws VaultError `wrong_key` for known ids with different bytes, `unknown_key` for missing keys
 */
async function verifyKeys(store: KeyStore, keys: KeyRing, now: () => number): Promise<void> {
  assertNoneMissing(await store.listKeyIds(), keys)
  const knownIds = await assertKeysMatch(store, keys)
  const newKeys = keys.filter(({ id }) => !knownIds.has(id))
  if (newKeys.length === 0) return
  const checks = newKeys.map((key) => ({
    keyId: key.id,
    sealed: sealBox(key.key, key.id, checkContext(key), Buffer.from(CHECK_TEXT)),
  }))
  await store.insertChecks(checks, now())
  // Re-check: another node may have stored a different key with the same id concurrently.
  await assertKeysMatch(store, keys)
}

/** Verifies the key ring against a database of an older schema, and stores nothing. @throws VaultError as `verifyKeys` */
async function verifyKeysOfOlderSchema(store: KeyStore, keys: KeyRing): Promise<void> {
  assertNoneMissing(await store.listCurrentKeyIds(), keys)
  await assertKeysMatch(store, keys)
}

/**
 * Verifies that a key ring opens data from elsewhere.
 *
 * @param checks the check value of each key that the data needs, in base64; empty if there is none
 * @throws VaultError
 */
export function assertOpensData(keys: KeyRing, checks: Readonly<Record<string, string>>): void {
  const byId = new Map(keys.map((key) => [key.id, key]))
  for (const [id, check] of Object.entries(checks)) {
    const key = byId.get(id)
    if (key === undefined)
      throw new VaultError(
        'unknown_key',
        `The key ring lacks ${id}, which protects secrets of the export. Add it to LINCHPIN_KEYS.`,
      )
    if (check !== '' && !canOpen(key, Buffer.from(check, 'base64')))
      throw new VaultError(
        'wrong_key',
        `The key ring has different bytes for ${id} than the exported installation.`,
      )
  }
}

const CHECK_TEXT = 'linchpin'

function checkContext({ id }: RingKey): SealContext {
  return { table: 'key_checks', column: 'sealed', workspaceId: '', rowId: id }
}

function assertNoneMissing(neededIds: readonly string[], keys: KeyRing): void {
  const ids = new Set(keys.map(({ id }) => id))
  const missing = neededIds.filter((id) => !ids.has(id))
  if (missing.length === 0) return
  throw new VaultError(
    'unknown_key',
    `The key ring lacks ${missing.join(', ')}, which still protects secrets of this database. Add it to LINCHPIN_KEYS (it may be the last one) or restore the key file, and start again. If it is lost for good, stop every node and run \`linchpin keys forget ${missing[0]} --accept-loss\`.`,
  )
}

/** Returns the ids of the keys that have a check value; throws if a key does not match its own. */
async function assertKeysMatch(store: KeyStore, keys: KeyRing): Promise<Set<string>> {
  const checks = await store.listChecks(keys.map(({ id }) => id))
  const sealedBy = new Map(checks.map(({ keyId, sealed }) => [keyId, sealed]))
  const mismatched = keys.filter((key) => {
    const sealed = sealedBy.get(key.id)
    return sealed !== undefined && !canOpen(key, sealed)
  })
  if (mismatched.length === 0) return new Set(sealedBy.keys())
  throw new VaultError(
    'wrong_key',
    `The key ring has different bytes for ${mismatched.map(({ id }) => id).join(', ')} than those used with this database. Restore the original key under this id, or give a new key a new id.`,
  )
}

function canOpen(key: RingKey, sealed: Uint8Array): boolean {
  try {
    return Buffer.from(openBox(key.key, checkContext(key), sealed)).toString() === CHECK_TEXT
  } catch (error) {
    if (error instanceof VaultError) return false
    throw error
  }
}
