import { CheckFailure } from '../../spec/check-failure.ts'
import type { JwtAlgorithm } from './sign-jwt.ts'

/**
 * Reads a private key in PEM: PKCS #8 (RFC 5958), PKCS #1 (RFC 8017, appendix A.1.2), or SEC 1 (RFC 5915). Its line breaks may be
 * missing, or written as `\n`: fields for passwords and environments do both.
 *
 * @returns the key as PKCS #8
 * @throws CheckFailure with what it is instead, and what to do; it contains nothing of the text
 */
export function readPrivateKey(
  text: string,
  algorithm: JwtAlgorithm,
  field: string,
): Uint8Array<ArrayBuffer> {
  const refuse = (error: string, hint: string) =>
    new CheckFailure('invalid_credentials', error, field, hint)
  const block = findKeyBlock(text)
  if (block === undefined) throw refuse('This is not a private key.', HINT_WHOLE)
  const { label, body } = block
  const other = OTHERS.find(({ matches }) => matches(label, body))
  if (other !== undefined) throw refuse(other.error, other.hint)
  const der = decode(body)
  if (der === undefined) throw refuse('The private key is damaged.', HINT_WHOLE)
  const kind = getKind(label, der)
  const needed = algorithm === 'ES256' ? 'EC' : 'RSA'
  if (kind !== needed)
    throw refuse(
      `This is ${NAMES[kind]}, but ${algorithm} needs ${NAMES[needed]}.`,
      'Create a key of that kind at the provider, and paste its private key.',
    )
  if (der.length > MAX_KEY_BYTES)
    throw refuse('The private key is too long.', 'Use an RSA key of up to 4,096 bits.')
  return label === 'PRIVATE KEY' ? der : wrap(der, kind)
}

/** Says that a key cannot sign, although it could be read. */
export function createUnusableKeyFailure(algorithm: JwtAlgorithm, field: string): CheckFailure {
  const curve = algorithm === 'ES256' ? ', or not on the curve P-256' : ''
  return new CheckFailure(
    'invalid_credentials',
    `The private key is damaged${curve}.`,
    field,
    HINT_WHOLE,
  )
}

const HINT_WHOLE =
  'Paste the whole file of the private key, from "-----BEGIN" to the dashes of its last line.'
const HINT_PRIVATE = 'Paste the private key that belongs to it.'

interface PemBlock {
  readonly label: string
  readonly body: string
}

interface OtherContent {
  readonly matches: (label: string, body: string) => boolean
  readonly error: string
  readonly hint: string
}

/** What people paste instead of a private key that can be read. */
const OTHERS: readonly OtherContent[] = [
  {
    matches: (label, body) => label.startsWith('ENCRYPTED') || body.includes('ENCRYPTED'),
    error: 'The private key is encrypted.',
    hint: 'Remove its passphrase, for example with "openssl pkey -in key.pem -out plain.pem", and paste the result.',
  },
  {
    matches: (label) => label.endsWith('PUBLIC KEY'),
    error: 'This is a public key.',
    hint: HINT_PRIVATE,
  },
  {
    matches: (label) => label.includes('CERTIFICATE'),
    error: 'This is a certificate.',
    hint: HINT_PRIVATE,
  },
  {
    matches: (label) => label.startsWith('OPENSSH'),
    error: 'The private key has the format of OpenSSH.',
    hint: 'Convert a copy with "ssh-keygen -p -m PEM -f key", and paste the result.',
  },
  {
    matches: (label) => !label.endsWith('PRIVATE KEY'),
    error: 'This is not a private key.',
    hint: HINT_WHOLE,
  },
]

/** The block with a private key, as `openssl ecparam` writes it after another; otherwise the first block. */
function findKeyBlock(text: string): PemBlock | undefined {
  const parts = text
    .slice(0, MAX_TEXT_LENGTH)
    .replaceAll(/\\r|\\n/g, '\n')
    .split('-----BEGIN ')
    .slice(1)
  const blocks = parts.flatMap((part) => {
    const [label = '', body] = part.split('-----', 2)
    return body !== undefined && part.includes(`-----END ${label}-----`) ? [{ label, body }] : []
  })
  return blocks.find(({ label }) => label.endsWith('PRIVATE KEY')) ?? blocks[0]
}

function decode(body: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const der = Uint8Array.from(atob(body.replaceAll(/\s/g, '')), (char) => char.charCodeAt(0))
    return der[0] === SEQUENCE ? der : undefined
  } catch {
    return undefined
  }
}

type KeyKind = 'RSA' | 'EC' | 'OTHER'

const NAMES: Readonly<Record<KeyKind, string>> = {
  RSA: 'an RSA key',
  EC: 'an EC key',
  OTHER: 'another kind of key',
}

function getKind(label: string, der: Uint8Array): KeyKind {
  if (label !== 'PRIVATE KEY')
    return label === 'RSA PRIVATE KEY' ? 'RSA' : label === 'EC PRIVATE KEY' ? 'EC' : 'OTHER'
  // The algorithm comes before the key.
  const start = der.slice(0, 32).join()
  if (start.includes(RSA_ENCRYPTION.join())) return 'RSA'
  return start.includes(EC_PUBLIC_KEY.join()) ? 'EC' : 'OTHER'
}

/** Puts a key into PKCS #8 (RFC 5958, section 2): a version, the algorithm, and the key. */
function wrap(key: Uint8Array, kind: KeyKind): Uint8Array<ArrayBuffer> {
  const algorithm =
    kind === 'EC' ? [...EC_PUBLIC_KEY, ...P_256] : [...RSA_ENCRYPTION, ...NO_PARAMETERS]
  const version = [0x02, 1, 0]
  return Uint8Array.from(
    encode(SEQUENCE, [
      ...version,
      ...encode(SEQUENCE, algorithm),
      ...encode(OCTET_STRING, [...key]),
    ]),
  )
}

/** An element in DER (X.690, section 8.1), of less than 64 KiB. */
function encode(tag: number, content: readonly number[]): number[] {
  const { length } = content
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255]
  return [tag, ...size, ...content]
}

const SEQUENCE = 0x30
const OCTET_STRING = 0x04
const NO_PARAMETERS = [0x05, 0]
/** Object identifiers: 1.2.840.113549.1.1.1, 1.2.840.10045.2.1 and 1.2.840.10045.3.1.7. */
const RSA_ENCRYPTION = [0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1]
const EC_PUBLIC_KEY = [0x06, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1]
const P_256 = [0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7]

/** An RSA key of 4,096 bits has 2,400. */
const MAX_KEY_BYTES = 3_000
/** Of a pasted text: a key with everything that tools write around it. */
const MAX_TEXT_LENGTH = 64 * 1024
