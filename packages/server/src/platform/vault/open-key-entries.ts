import { createSecretKey } from 'node:crypto'
import type { EncryptedRingKey, KeyEntries, KeyRing, RingKey } from './key-ring.ts'
import { VaultError } from './sealed-box.ts'
import {
  decryptWithTransit,
  type TransitDeps,
  type TransitKey,
  TransitUnavailableError,
} from './transit/decrypt-with-transit.ts'

/**
 * The key ring with every key decrypted: one request for each key that the transit key has encrypted, one after the other.
 *
 * @throws VaultError, TransitUnavailableError
 */
export async function openKeyEntries(
  [first, ...others]: KeyEntries,
  transitKey: TransitKey | undefined,
  deps: TransitDeps,
): Promise<KeyRing> {
  const ring: [RingKey, ...RingKey[]] = [await openEntry(first, transitKey, deps)]
  for (const entry of others) ring.push(await openEntry(entry, transitKey, deps))
  return ring
}

async function openEntry(
  entry: RingKey | EncryptedRingKey,
  transitKey: TransitKey | undefined,
  deps: TransitDeps,
): Promise<RingKey> {
  if ('key' in entry) return entry
  const { id, ciphertext } = entry
  if (transitKey === undefined)
    throw new VaultError(
      'unknown_key',
      `LINCHPIN_KEYS: the key ${id} is encrypted with a transit key. Set LINCHPIN_TRANSIT_KEY.`,
    )
  const bytes = await decryptWithTransit(transitKey, ciphertext, deps).catch((error: unknown) => {
    const { engineUrl, name } = transitKey
    const where = `LINCHPIN_KEYS: the transit key ${engineUrl}/keys/${name} does not decrypt the key ${id}`
    if (error instanceof VaultError) throw new VaultError(error.kind, `${where}: ${error.message}`)
    if (error instanceof TransitUnavailableError)
      throw new TransitUnavailableError(`${where} now: ${error.message}`)
    throw error
  })
  if (bytes.length !== 32)
    throw new VaultError(
      'wrong_key',
      `LINCHPIN_KEYS: the key ${id} is ${bytes.length} bytes, not 32: create it with datakey/wrapped.`,
    )
  return { id, key: createSecretKey(bytes) }
}
