/** Reads an RSA key from PEM text (PKCS #1, PKCS #8, SubjectPublicKeyInfo). Undefined when it is none. */
export function readRsaKey(pem) {
  const found =
    /-----BEGIN ((?:RSA )?(PRIVATE|PUBLIC) KEY)-----([\sA-Za-z0-9+/=]+)-----END \1-----/.exec(pem)
  if (!found) return undefined
  const [, label, kind, body] = found
  let fields = children(Buffer.from(body, 'base64'))
  if (!label.startsWith('RSA')) {
    const inner = fields.at(kind === 'PRIVATE' ? 2 : 1)
    // The content of a BIT STRING begins with the count of unused bits.
    const content = kind === 'PRIVATE' ? inner : inner?.subarray(1)
    const algorithm = Buffer.from(fields[kind === 'PRIVATE' ? 1 : 0] ?? [])
    if (!algorithm.toString('hex').includes(rsaEncryption)) return undefined
    fields = children(content)
  }
  const numbers = fields.map(toNumber)
  return kind === 'PRIVATE' ? privateKey(numbers) : publicKey(numbers)
}

/** Big-endian bytes as a BigInt. */
export function toNumber(bytes) {
  return BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)
}

// 1.2.840.113549.1.1.1
const rsaEncryption = '2a864886f70d010101'

function privateKey([, modulus, exponent, , p, q, dp, dq, inverse]) {
  return {
    ...publicKey([modulus, exponent]),
    type: 'private',
    p,
    q,
    dp,
    dq,
    inverse,
  }
}

function publicKey([modulus, exponent]) {
  return {
    type: 'public',
    modulus,
    exponent,
    size: Math.ceil(modulus.toString(16).length / 2),
  }
}

// The contents of the elements of the outermost SEQUENCE (X.690 section 8).
function children(der) {
  const [sequence] = elements(der)
  return elements(sequence)
}

function elements(der) {
  const found = []
  for (let at = 1; at < der.length; ) {
    let length = der[at++]
    if (length & 128) {
      const count = length & 127
      length = Number(toNumber(der.subarray(at, at + count)))
      at += count
    }
    found.push(der.subarray(at, at + length))
    at += length + 1
  }
  return found
}
