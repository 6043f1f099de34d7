import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { scanJson } from '../../../platform/http/json-body.ts'
import type { InstanceKey } from '../instance-key-store.ts'

/**
 * Signs a registry document: a JWS in the flattened JSON serialization (RFC 7515, section 7.2.2) with EdDSA (RFC 8037).
 *
 * The payload is the document with `issuedAt` and `expiresAt`, exactly these bytes. The members are repeated unsigned, for
 * human readers and for releases without signature support; verifiers must read only the payload.
 */
export function signRegistry(
  document: object,
  key: InstanceKey,
  times: { readonly issuedAt: number; readonly expiresAt: number },
): string {
  const issuedAt = new Date(times.issuedAt).toISOString()
  const expiresAt = new Date(times.expiresAt).toISOString()
  const content = { ...document, issuedAt, expiresAt }
  const header = encode({ alg: 'EdDSA', typ: REGISTRY_TYPE, kid: key.keyId })
  const payload = encode(content)
  const signature = Buffer.from(key.sign(Buffer.from(`${header}.${payload}`)))
  return JSON.stringify({
    ...content,
    payload,
    protected: header,
    signature: signature.toString('base64url'),
  })
}

/** `issuedAt` and `expiresAt` of a document signed now, in milliseconds since 1970. The same on all nodes. */
export function getSigningTimes(now: number): { issuedAt: number; expiresAt: number } {
  const issuedAt = Math.floor(now / RESIGN_INTERVAL_MS) * RESIGN_INTERVAL_MS
  return { issuedAt, expiresAt: issuedAt + VALIDITY_MS }
}

/** `typ` of the header, so that a signature of this key over other data is not valid for a registry. */
const REGISTRY_TYPE = 'linchpin-registry'

const RESIGN_INTERVAL_MS = 3_600_000
const VALIDITY_MS = 7 * 24 * 3_600_000

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** A registry document that must not be used: unsigned, with a wrong signature, stale or older than the previous one. */
export class RegistryRejectedError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RegistryRejectedError'
  }
}

/** The signed content of a registry document. */
export interface VerifiedRegistry {
  /** The document as JSON text. */
  readonly text: string
  /** Milliseconds since 1970. */
  readonly issuedAt: number
  readonly expiresAt: number
}

/**
 * Verifies the signature of a registry document, but not its times.
 *
 * @throws RegistryRejectedError
 */
export function verifyRegistry(text: string, keys: readonly KeyObject[]): VerifiedRegistry {
  const envelope = asRecord(parseJson(text))
  const { payload, protected: header, signature } = envelope
  if (!isBase64url(payload) || !isBase64url(header) || !isBase64url(signature))
    throw new RegistryRejectedError('The registry document is not signed.')
  const { alg, typ, crit } = asRecord(parseJson(decode(header)))
  // RFC 7515, section 4.1.11: unknown critical extensions must be rejected.
  if (alg !== 'EdDSA' || typ !== REGISTRY_TYPE || crit !== undefined)
    throw new RegistryRejectedError('The registry document has an unsupported signature.')
  const signedContent = Buffer.from(`${header}.${payload}`)
  const bytes = Buffer.from(signature, 'base64url')
  if (!keys.some((key) => verify(null, signedContent, key, bytes)))
    throw new RegistryRejectedError(
      'No key of LINCHPIN_REGISTRY_KEY has signed the registry document.',
    )
  const content = decode(payload)
  const { issuedAt, expiresAt } = asRecord(parseJson(content))
  return { text: content, issuedAt: parseTimestamp(issuedAt), expiresAt: parseTimestamp(expiresAt) }
}

/**
 * Rejects a document that is stale, issued in the future, or older than the newest accepted one.
 *
 * @param lastIssuedAt `issuedAt` of the newest accepted document; undefined if there is none
 * @throws RegistryRejectedError
 */
export function assertCurrent(
  { issuedAt, expiresAt }: VerifiedRegistry,
  now: number,
  lastIssuedAt: number | undefined,
): void {
  if (expiresAt <= now) throw new RegistryRejectedError('The registry document has expired.')
  if (issuedAt > now + CLOCK_SKEW_MS)
    throw new RegistryRejectedError(
      'The registry document was issued in the future: check the clocks.',
    )
  if (lastIssuedAt !== undefined && issuedAt < lastIssuedAt)
    throw new RegistryRejectedError('The registry document is older than the previous one.')
}

/** Tolerated clock skew between two machines. */
const CLOCK_SKEW_MS = 300_000

function decode(base64url: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64url, 'base64url'))
  } catch {
    throw new RegistryRejectedError('The registry document is not UTF-8.')
  }
}

function parseTimestamp(value: unknown): number {
  const time = typeof value === 'string' && RFC_3339.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(time))
    throw new RegistryRejectedError('The registry document has no valid issuedAt and expiresAt.')
  return time
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

function isBase64url(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]+$/.test(value)
}

function parseJson(text: string): unknown {
  try {
    scanJson(Buffer.from(text))
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/**
 * Parses `LINCHPIN_REGISTRY_KEY`: Ed25519 public keys as PEM blocks, or in base64 (32 bytes, or DER of a
 * SubjectPublicKeyInfo), comma-separated.
 *
 * @throws Error whose message completes "LINCHPIN_REGISTRY_KEY: …"
 */
export function parseRegistryKeys(text: string): KeyObject[] {
  if (text.includes('PRIVATE KEY'))
    throw new Error('is a private key. Set the public key, and generate a new key pair.')
  const pem = text.replaceAll('\\n', '\n')
  const blocks = pem.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? []
  const remaining = pem.replace(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g, '')
  const items = remaining
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  try {
    const keys = [
      ...blocks.map((block) => createPublicKey(block)),
      ...items.map((item) => parseBase64Key(item)),
    ]
    if (keys.length > 0 && keys.every((key) => key.asymmetricKeyType === 'ed25519')) return keys
  } catch {
    // Report the error below.
  }
  throw new Error('must be Ed25519 public keys in base64 or PEM, comma-separated.')
}

function parseBase64Key(text: string): KeyObject {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) throw new Error('no base64')
  const bytes = Buffer.from(text, 'base64')
  if (bytes.byteLength !== 32) return createPublicKey({ key: bytes, format: 'der', type: 'spki' })
  const x = bytes.toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}
