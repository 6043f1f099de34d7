import { constants, createPrivateKey, type KeyObject, type SigningOptions, sign } from 'node:crypto'

/**
 * Signs for a guest, whose own arithmetic would take seconds.
 *
 * @param request the algorithm (RFC 7518, section 3.1), a space, and the private key as base64 of PKCS #8
 * @param data undefined to check the key only
 * @returns the signature in base64, empty without data; undefined if the key is not one for this algorithm
 */
export function signForGuest(request: string, data: Uint8Array | undefined): string | undefined {
  const [name = '', encoded = ''] = request.split(' ', 2)
  const algorithm = ALGORITHMS.get(name)
  const key = readKey(encoded)
  if (algorithm === undefined || key === undefined || !algorithm.accepts(key)) return undefined
  if (data === undefined) return ''
  if (data.length > MAX_DATA_BYTES) return undefined
  try {
    return sign('sha256', data, { key, ...algorithm.options }).toString('base64')
  } catch {
    // Numbers that do not belong together.
    return undefined
  }
}

/** The longest request: an RSA key of 4,096 bits. With the largest numbers of this length, signing takes 20 ms. */
export const MAX_SIGN_REQUEST_LENGTH = 4_096
/** Hashed within a few milliseconds. */
const MAX_DATA_BYTES = 1024 * 1024

function readKey(encoded: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key: Buffer.from(encoded, 'base64'), format: 'der', type: 'pkcs8' })
  } catch {
    return undefined
  }
}

interface Algorithm {
  readonly accepts: (key: KeyObject) => boolean
  readonly options: SigningOptions
}

const isRsa = ({ asymmetricKeyType }: KeyObject) => asymmetricKeyType === 'rsa'

const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map<string, Algorithm>([
  ['RS256', { accepts: isRsa, options: { padding: constants.RSA_PKCS1_PADDING } }],
  [
    'PS256',
    { accepts: isRsa, options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } },
  ],
  [
    'ES256',
    {
      accepts: ({ asymmetricKeyDetails }) => asymmetricKeyDetails?.namedCurve === 'prime256v1',
      options: { dsaEncoding: 'ieee-p1363' },
    },
  ],
])
