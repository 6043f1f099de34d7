import type { InstanceKey } from '../instance-key.ts'

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
export const REGISTRY_TYPE = 'linchpin-registry'

const RESIGN_INTERVAL_MS = 3_600_000
const VALIDITY_MS = 7 * 24 * 3_600_000

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
