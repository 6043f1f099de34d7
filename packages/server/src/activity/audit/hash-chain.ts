import { createHash, createPublicKey, verify } from 'node:crypto'
import { toTimestamp } from '../../platform/http/schema.ts'

/**
 * The canonical form of a JSON value (RFC 8785): equal values give equal text. Members whose value is undefined are
 * omitted, as in JSON.stringify.
 */
function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${toCanonicalJson(member)}`)
  return `{${members.join(',')}}`
}

/** An entry as the API returns it, without what verifies it. */
export interface HashedEntry {
  readonly actor: Readonly<Record<string, unknown>>
  readonly [member: string]: unknown
}

/**
 * The hash of an entry: SHA-256 of the previous hash, and of the entry's canonical JSON with digests in place of the
 * address and the detail.
 */
export function hashEntry(
  previousHash: string,
  entry: HashedEntry,
  digests: { readonly ip: string | null; readonly detail: string },
): string {
  const { ip, detail } = digests
  const content = toCanonicalJson({ ...entry, actor: { ...entry.actor, ip }, detail })
  return createHash('sha256')
    .update(Buffer.from(previousHash, 'base64url'))
    .update(content)
    .digest('base64url')
}

/** SHA-256 of a salt and the canonical JSON of a value. */
export function digestValue(salt: string, value: unknown): string {
  return createHash('sha256')
    .update(Buffer.from(salt, 'base64url'))
    .update(toCanonicalJson(value))
    .digest('base64url')
}

/** A signed statement of what the chain of a workspace was. Who has it notices a chain that was rewritten. */
export interface Checkpoint {
  /** Null for the chain of entries that belong to no workspace. */
  readonly workspaceId: string | null
  readonly sequence: number
  /** Of the entry with this sequence number. */
  readonly hash: string
  readonly timestamp: string
  /** The JWK thumbprint (RFC 7638) of the key. */
  readonly keyId: string
  /** Ed25519, in base64url. */
  readonly signature: string
}

/** Signs with the key of this installation. */
export interface CheckpointSigner {
  readonly keyId: string
  sign(bytes: Uint8Array): Uint8Array
}

interface Place {
  readonly workspaceId: string | null
  readonly sequence: number
  readonly hash: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** Signs the state of a chain. */
export function signCheckpoint(signer: CheckpointSigner, place: Place): Checkpoint {
  const { workspaceId, sequence, hash, at } = place
  const content = { workspaceId, sequence, hash, timestamp: toTimestamp(at), keyId: signer.keyId }
  const signature = Buffer.from(signer.sign(toSignedBytes(content))).toString('base64url')
  return { ...content, signature }
}

/** Whether a checkpoint has a valid signature of this public key, the 32 bytes in base64url. */
export function isSignatureValid(checkpoint: Checkpoint, publicKey: string): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey }
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const signature = Buffer.from(checkpoint.signature, 'base64url')
  return verify(null, toSignedBytes(checkpoint), key, signature)
}

/** `type` distinguishes it from whatever else the key may sign. */
function toSignedBytes(checkpoint: Omit<Checkpoint, 'signature'>): Buffer {
  const { workspaceId, sequence, hash, timestamp, keyId } = checkpoint
  const content = { type: CHECKPOINT_TYPE, workspaceId, sequence, hash, timestamp, keyId }
  return Buffer.from(toCanonicalJson(content))
}

const CHECKPOINT_TYPE = 'linchpin-audit-checkpoint'

/** Whether a chain that has grown to `last` needs a checkpoint: 1,000 entries or 10 minutes after the last one. */
export function isCheckpointDue(
  { checkpoint_sequence, checkpoint_at }: { checkpoint_sequence: number; checkpoint_at: number },
  last: number,
  now: number,
): boolean {
  const added = last - checkpoint_sequence
  return added >= CHECKPOINT_ENTRIES || (added > 0 && now - checkpoint_at >= CHECKPOINT_MS)
}

const CHECKPOINT_ENTRIES = 1_000
export const CHECKPOINT_MS = 10 * 60_000

/** The type of the first line of an export of the audit trail. */
export const EXPORT_TYPE = 'linchpin-audit-export'

/** The version of the exports that the service writes. */
export const EXPORT_VERSION = 2

/** The hash of the first line, which the last one contains: SHA-256 of its canonical JSON in base64url. */
export function hashHeader(header: object): string {
  return createHash('sha256').update(toCanonicalJson(header)).digest('base64url')
}
