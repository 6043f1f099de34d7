import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
} from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database } from '../../platform/storage/database.ts'
import { CATALOGUE_WORKSPACE_ID } from '../../platform/storage/id.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { createCatalogueStore } from './catalogue-store.ts'

/** A key pair of this installation, as it is stored. */
export interface SealedInstanceKey {
  readonly name: string
  /** Base64url. */
  readonly publicKey: string
  /** The private key as PKCS #8, sealed for the workspace of the catalogue. */
  readonly sealed: Uint8Array
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Stores the key pairs of this installation, which belong to no tenant. */
export function createInstanceKeyStore(database: Database) {
  return {
    async find(name: string): Promise<SealedInstanceKey | undefined> {
      const row = await database.read
        .selectFrom('instance_keys')
        .selectAll()
        .where('name', '=', name)
        .executeTakeFirst()
      return (
        row && { name, publicKey: row.public_key, sealed: row.sealed, createdAt: row.created_at }
      )
    },

    /** Inserts a key pair unless another node has already done so. */
    async insert(trx: Kysely<Tables>, key: SealedInstanceKey): Promise<void> {
      await trx
        .insertInto('instance_keys')
        .values({
          name: key.name,
          public_key: key.publicKey,
          sealed: key.sealed,
          created_at: key.createdAt,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    /** Whether the workspace that owns shared definitions has a data key. */
    async hasDataKey(): Promise<boolean> {
      const row = await database.read
        .selectFrom('workspace_keys')
        .select('workspace_id')
        .where('workspace_id', '=', CATALOGUE_WORKSPACE_ID)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

export interface InstanceKeyDeps {
  readonly database: Database
  readonly vault: Vault
  readonly now: () => number
}

/** An Ed25519 key pair of this installation (RFC 8037): one signs its registry document. */
export interface InstanceKey {
  /** The 32 bytes of the public key in base64url: the format of `LINCHPIN_REGISTRY_KEY` and of `x` in a JWK. */
  readonly publicKey: string
  /** The JWK thumbprint (RFC 7638). */
  readonly keyId: string
  sign(bytes: Uint8Array): Uint8Array
}

/**
 * Returns a function that loads the key pair, or creates it if there is none. The pair is stored encrypted in the
 * database, so all nodes of a database share it. The result is cached after the first success.
 */
export function createInstanceKeyReader(
  deps: InstanceKeyDeps,
  name: InstanceKeyName = 'registry',
): () => Promise<InstanceKey> {
  let reading: Promise<InstanceKey> | undefined
  return () => {
    reading ??= loadInstanceKey(deps, name).catch((error) => {
      reading = undefined
      throw error
    })
    return reading
  }
}

/** Creates an InstanceKey from a private key. */
export function toInstanceKey(privateKey: KeyObject): InstanceKey {
  const publicKey = createPublicKey(privateKey).export({ format: 'jwk' }).x ?? ''
  return {
    publicKey,
    keyId: hash(
      'sha256',
      JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x: publicKey }),
      'base64url',
    ),
    sign: (bytes) => sign(null, bytes, privateKey),
  }
}

/** What a key signs: each has a key of its own. */
export type InstanceKeyName = 'registry' | 'audit'

const createSealContext = (name: InstanceKeyName) => ({
  table: 'instance_keys',
  column: 'sealed',
  workspaceId: CATALOGUE_WORKSPACE_ID,
  rowId: name,
})

async function loadInstanceKey(deps: InstanceKeyDeps, name: InstanceKeyName): Promise<InstanceKey> {
  const store = createInstanceKeyStore(deps.database)
  const existing = await store.find(name)
  if (existing === undefined) await createInstanceKey(deps, name)
  // Read again: another node may have inserted its key first.
  const stored = existing ?? (await store.find(name))
  if (stored === undefined) throw new Error('the instance key was not stored')
  const der = Buffer.from(await deps.vault.open(createSealContext(name), stored.sealed))
  return toInstanceKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
}

async function createInstanceKey(deps: InstanceKeyDeps, name: InstanceKeyName): Promise<void> {
  const { database, vault, now } = deps
  await ensureDataKey(deps)
  const { privateKey } = generateKeyPairSync('ed25519')
  const { publicKey } = toInstanceKey(privateKey)
  const der = privateKey.export({ format: 'der', type: 'pkcs8' })
  const sealed = await vault.seal(createSealContext(name), der)
  const key = { name, publicKey, sealed, createdAt: now() }
  await database.transaction((trx) => createInstanceKeyStore(database).insert(trx, key))
}

/** Creates the data key that seals the keys of this installation, unless there is one. */
export async function ensureDataKey({ database, vault, now }: InstanceKeyDeps): Promise<void> {
  const store = createInstanceKeyStore(database)
  if (await store.hasDataKey()) return
  try {
    await database.transaction(async (trx) => {
      await createCatalogueStore(database).ensureOwner(trx, now())
      await vault.createWorkspaceKey(trx, CATALOGUE_WORKSPACE_ID)
    })
  } catch (error) {
    // Ignore the error if another node has created the key.
    if (!(await store.hasDataKey())) throw error
  }
}
