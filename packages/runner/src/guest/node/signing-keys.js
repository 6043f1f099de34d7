import { post } from '../bindings/post.js'

const algorithms = {
  __proto__: null,
  'RSASSA-PKCS1-V1_5': { id: 'RS256', name: 'RSASSA-PKCS1-v1_5' },
  'RSA-PSS': { id: 'PS256', name: 'RSA-PSS' },
  ECDSA: { id: 'ES256', name: 'ECDSA' },
}

/**
 * What the host signs with: the algorithms of Web Cryptography with SHA-256, on P-256 and with a salt of 32 bytes. Undefined for
 * others. `key` has the parameters of the import, `signing` those of a signature, which ECDSA and RSA-PSS need.
 */
export function findSigning(key, signing) {
  const found = algorithms[`${key?.name ?? key}`.toUpperCase()]
  if (found === undefined) return undefined
  const hash = found.id === 'ES256' ? signing?.hash : key.hash
  const isSha256 = hash === undefined || `${hash?.name ?? hash}`.toUpperCase() === 'SHA-256'
  const hasCurve = found.id !== 'ES256' || key.namedCurve === 'P-256'
  const hasSalt = found.id !== 'PS256' || signing === undefined || signing.saltLength === 32
  return isSha256 && hasCurve && hasSalt ? found : undefined
}

/** Signs with the bytes of a PKCS #8 key. Without data, checks the key: true if it is one for the algorithm. */
export function signByHost({ id }, pkcs8, data) {
  const request = `${id} ${Buffer.from(pkcs8).toString('base64')}`
  const signature = post('sign', 0, request, data?.slice().buffer)
  if (data === undefined) return signature !== undefined
  if (signature === undefined) throw new DOMException('The operation failed', 'OperationError')
  return new Uint8Array(Buffer.from(signature, 'base64')).buffer
}
