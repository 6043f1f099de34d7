import { createPublicKey, verify } from 'node:crypto'
import { toTimestamp } from '../../platform/http/schema.ts'
import { toCanonicalJson } from './canonical-json.ts'

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
