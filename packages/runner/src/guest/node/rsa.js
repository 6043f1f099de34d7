import { toNumber } from './der.js'
import { bytesOf, hashFunction } from './hashes.js'

// DigestInfo prefixes of RFC 8017 section 9.2, note 1.
const prefixes = {
  sha1: '3021300906052b0e03021a05000414',
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
}

/** An RSASSA-PKCS1-v1_5 signature (RFC 8017 section 8.2.1). */
export function signRsa(digest, key, data) {
  const message = encodeMessage(digest, key, data)
  // By the Chinese remainder theorem, four times as fast: RFC 8017 section 5.1.2.
  const first = power(message % key.p, key.dp, key.p)
  const second = power(message % key.q, key.dq, key.q)
  const factor = (key.inverse * (first - second + key.p)) % key.p
  const signature = second + ((factor + key.p) % key.p) * key.q
  return Buffer.from(signature.toString(16).padStart(2 * key.size, '0'), 'hex')
}

/** Whether a signature of that kind is right (section 8.2.2). */
export function verifyRsa(digest, key, data, signature) {
  const bytes = bytesOf(signature)
  if (bytes.length !== key.size) return false
  return power(toNumber(bytes), key.exponent, key.modulus) === encodeMessage(digest, key, data)
}

// EMSA-PKCS1-v1_5, RFC 8017 section 9.2, as a number.
function encodeMessage(digest, { size }, data) {
  const name = `${digest}`.toLowerCase().replace(/^rsa-|-/g, '')
  const prefix = prefixes[name]
  if (!prefix) throw new Error('Invalid digest')
  const info = prefix + Buffer.from(hashFunction(name)(bytesOf(data))).toString('hex')
  return BigInt(`0x0001${'ff'.repeat(size - info.length / 2 - 3)}00${info}`)
}

function power(base, exponent, modulus) {
  let result = 1n
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus
    if (bit === '1') result = (result * base) % modulus
  }
  return result
}
