import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import {
  createInstanceKeyStore,
  ensureDataKey,
  type InstanceKeyDeps,
} from '../../integrations/catalogue/instance-key-store.ts'
import type { IdempotencyClaim } from '../../platform/record/change.ts'
import { CATALOGUE_WORKSPACE_ID } from '../../platform/storage/id.ts'
import { openBox, sealBox } from '../../platform/vault/sealed-box.ts'

/** Whose key it is. */
export type StoredKeyPlace = Pick<IdempotencyClaim, 'userId' | 'boundWorkspaceId' | 'keyHash'>

/**
 * What is derived from a secret of this installation. Bodies contain credentials, and a plain hash of one could be
 * guessed; responses contain tokens.
 */
export interface IdempotencySecrets {
  hashKey(key: string): Uint8Array
  /** A keyed hash of a request. */
  fingerprint(operation: string, path: string, body: unknown): Uint8Array
  seal(place: StoredKeyPlace, response: string): Uint8Array
  /** @throws VaultError */
  open(place: StoredKeyPlace, sealed: Uint8Array): string
}

/** Returns a function that loads the secret, or creates it if there is none. The result is cached after the first success. */
export function createSecretsReader(deps: InstanceKeyDeps): () => Promise<IdempotencySecrets> {
  let reading: Promise<IdempotencySecrets> | undefined
  return () => {
    reading ??= loadSecret(deps)
      .then(deriveSecrets)
      .catch((error) => {
        reading = undefined
        throw error
      })
    return reading
  }
}

const NAME = 'idempotency'
const SEAL_CONTEXT = {
  table: 'instance_keys',
  column: 'sealed',
  workspaceId: CATALOGUE_WORKSPACE_ID,
  rowId: NAME,
}

async function loadSecret(deps: InstanceKeyDeps): Promise<Uint8Array> {
  const { database, vault, now } = deps
  const store = createInstanceKeyStore(database)
  const existing = await store.find(NAME)
  if (existing !== undefined) return vault.open(SEAL_CONTEXT, existing.sealed)
  await ensureDataKey(deps)
  const sealed = await vault.seal(SEAL_CONTEXT, randomBytes(32))
  const secret = { name: NAME, publicKey: '', sealed, createdAt: now() }
  await database.transaction((trx) => store.insert(trx, secret))
  // Read again: another node may have inserted its secret first.
  const stored = await store.find(NAME)
  if (stored === undefined) throw new Error('the secret of idempotency keys was not stored')
  return vault.open(SEAL_CONTEXT, stored.sealed)
}

function deriveSecrets(secret: Uint8Array): IdempotencySecrets {
  const derive = (purpose: string): KeyObject =>
    createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32)))
  const keyHashKey = derive('idempotency key')
  const fingerprintKey = derive('idempotency fingerprint')
  const responseKey = derive('idempotency response')
  return {
    hashKey: (key) => createHmac('sha256', keyHashKey).update(key).digest(),
    fingerprint: (operation, path, body) =>
      createHmac('sha256', fingerprintKey)
        .update(JSON.stringify([operation, path, body ?? null], sortKeys))
        .digest(),
    seal: (place, response) =>
      sealBox(responseKey, '1', getSealContext(place), Buffer.from(response)),
    open: (place, sealed) =>
      Buffer.from(openBox(responseKey, getSealContext(place), sealed)).toString(),
  }
}

/** For `JSON.stringify`: the order of the members of an object means nothing. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

function getSealContext({ userId, boundWorkspaceId, keyHash }: StoredKeyPlace) {
  return {
    table: 'idempotency_keys',
    column: 'sealed_response',
    workspaceId: boundWorkspaceId ?? ('' as const),
    rowId: `${userId} ${Buffer.from(keyHash).toString('base64url')}`,
  }
}
