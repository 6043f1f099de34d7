import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto'
import type { Id } from '../storage/id.ts'

/** The place of a sealed value. The value cannot be opened with any other context. */
export interface SealContext {
  table: string
  column: string
  /** Empty for a value that belongs to no workspace. */
  workspaceId: Id<'wsp'> | ''
  rowId: string
}

/**
 * Encrypts with AES-256-GCM under a random 96-bit nonce (NIST SP 800-38D, 8.2.2).
 *
 * Format: version 1, length of the key id, key id, nonce (12), tag (16), ciphertext. The version, the key id and the
 * context are authenticated as associated data.
 */
export function sealBox(
  key: KeyObject,
  keyId: string,
  context: SealContext,
  plaintext: Uint8Array,
): Uint8Array {
  const header = encodeHeader(keyId)
  const nonce = randomFillSync(Buffer.alloc(NONCE_BYTES))
  const cipher = createCipheriv(ALGORITHM, key, nonce)
  cipher.setAAD(buildAssociatedData(header, context))
  const sealed = [cipher.update(plaintext), cipher.final()]
  return Buffer.concat([header, nonce, cipher.getAuthTag(), ...sealed])
}

/** Decrypts a value from `sealBox`. @throws VaultError `tampered` */
export function openBox(key: KeyObject, context: SealContext, box: Uint8Array): Uint8Array {
  const { header, nonce, tag, sealed } = split(box)
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(buildAssociatedData(header, context))
  decipher.setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(sealed), decipher.final()])
  } catch {
    throw createTamperedError()
  }
}

/** The id of the key that encrypted the value; not authenticated yet. @throws VaultError `tampered` */
export function readKeyId(box: Uint8Array): string {
  return Buffer.from(split(box).header.subarray(2)).toString('utf8')
}

const ALGORITHM = 'aes-256-gcm'
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

function encodeHeader(keyId: string): Buffer {
  const id = Buffer.from(keyId, 'utf8')
  return Buffer.concat([Uint8Array.of(VERSION, id.length), id])
}

function split(box: Uint8Array) {
  const headerEnd = 2 + (box[1] ?? 0)
  const nonceEnd = headerEnd + NONCE_BYTES
  const tagEnd = nonceEnd + TAG_BYTES
  if (box[0] !== VERSION || box.length < tagEnd) throw createTamperedError()
  return {
    header: box.subarray(0, headerEnd),
    nonce: box.subarray(headerEnd, nonceEnd),
    tag: box.subarray(nonceEnd, tagEnd),
    sealed: box.subarray(tagEnd),
  }
}

/** Prefixes each part with its length, so that different contexts never encode alike. */
function buildAssociatedData(header: Uint8Array, context: SealContext): Buffer {
  const { table, column, workspaceId, rowId } = context
  const parts = [header, ...[table, column, workspaceId, rowId].map((part) => Buffer.from(part))]
  return Buffer.concat(parts.flatMap((part) => [encodeLength(part), part]))
}

function encodeLength(part: Uint8Array): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(part.length)
  return length
}

function createTamperedError(): VaultError {
  return new VaultError('tampered', 'A sealed value was modified or belongs to another row')
}

/**
 * What is wrong with a key or a sealed value.
 *
 * - `unknown_key`: the key that encrypted it is not in the key ring, or the workspace has no key.
 * - `no_data_key`: the workspace has no data key: it was deleted.
 * - `wrong_key`: the key ring has a key with this id but with different bytes.
 * - `in_progress`: new data keys are being introduced; that has to end first.
 * - `tampered`: the bytes were modified, or belong to another row, column or workspace.
 */
export type VaultErrorKind =
  | 'no_data_key'
  | 'unknown_key'
  | 'wrong_key'
  | 'in_progress'
  | 'tampered'

/** An error of the vault. Messages name keys and contexts, never values. */
export class VaultError extends Error {
  override readonly name = 'VaultError'
  readonly kind: VaultErrorKind

  constructor(kind: VaultErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}
