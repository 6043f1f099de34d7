import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A private key and a self-signed certificate for `localhost`, both PEM. */
export interface SelfSignedCert {
  readonly key: string
  readonly cert: string
}

/** Creates a certificate that is valid for an hour (RFC 5280 section 4.1, encoded as DER by hand: ITU-T X.690). */
export function createSelfSignedCert(): SelfSignedCert {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = der(SEQUENCE, encodeOid('2a8648ce3d040302')) // ecdsa-with-SHA256
  const commonName = der(SEQUENCE, encodeOid('550403'), der(UTF8, Buffer.from('localhost')))
  const name = der(SEQUENCE, der(SET, commonName))
  const now = Date.now()
  const validity = der(SEQUENCE, encodeUtcTime(now - 60_000), encodeUtcTime(now + 3_600_000))
  const names = der(SEQUENCE, der(DNS_NAME, Buffer.from('localhost')))
  const extension = der(SEQUENCE, encodeOid('551d11'), der(OCTETS, names)) // subjectAltName
  const body = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, Buffer.from([2]))), // version 3
    der(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, extension)),
  )
  const signature = sign('sha256', body, privateKey)
  const cert = der(SEQUENCE, body, algorithm, der(BITS, Buffer.from([0]), signature))
  const base64 = cert.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  }
}

const INTEGER = 0x02
const BITS = 0x03
const OCTETS = 0x04
const UTF8 = 0x0c
const SEQUENCE = 0x30
const SET = 0x31
const DNS_NAME = 0x82

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function encodeOid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function encodeUtcTime(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/\D/g, '')
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`))
}
