import { encodeBase64Url } from '../../values/base64url.ts'

/** Algorithms of signatures (RFC 7518, section 3.1). */
export type JwtAlgorithm = 'RS256' | 'PS256' | 'ES256'

/** The parts of a JWT. */
export interface UnsignedJwt {
  readonly algorithm: JwtAlgorithm
  /** Members of the header besides `alg` and `typ`. */
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/**
 * Signs a JWT (RFC 7519) in compact form.
 *
 * @param pkcs8 the private key
 * @returns undefined if the key is not one for the algorithm
 */
export async function signJwt(
  { algorithm, header, claims }: UnsignedJwt,
  pkcs8: Uint8Array<ArrayBuffer>,
): Promise<string | undefined> {
  const parameters = PARAMETERS[algorithm]
  const key = await crypto.subtle
    .importKey('pkcs8', pkcs8, parameters, false, ['sign'])
    .catch(() => undefined)
  if (key === undefined) return undefined
  const parts = [{ alg: algorithm, typ: 'JWT', ...header }, claims]
  const input = parts.map((part) => encodeBase64Url(JSON.stringify(part))).join('.')
  const signature = await crypto.subtle
    .sign(parameters, key, new TextEncoder().encode(input))
    .catch(() => undefined)
  return signature && `${input}.${encodeBase64Url(new Uint8Array(signature))}`
}

const PARAMETERS = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256', saltLength: 32 },
  ES256: { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' },
} as const satisfies Record<JwtAlgorithm, object>
