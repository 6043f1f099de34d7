import { createPublicKey, type KeyObject } from 'node:crypto'

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
