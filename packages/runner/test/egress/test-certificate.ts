import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { isIP } from 'node:net'

/** A key and its certificate, for tests. Created here because not every machine has openssl. */
export interface TestCertificate {
  readonly name: string
  readonly key: KeyObject
  readonly cert: string
}

/** Content of a test certificate. Without an issuer it is self-signed. */
export interface CertificateOptions {
  readonly name: string
  /** DNS names and IPv4 addresses that it is valid for. */
  readonly hosts?: readonly string[]
  readonly issuer?: TestCertificate
  /** Validity in seconds; negative: it has already expired. */
  readonly expiresInSeconds?: number
}

/** Creates an X.509 v3 certificate (RFC 5280) with a P-256 key; one without hosts may issue others. */
export function makeCertificate(options: CertificateOptions): TestCertificate {
  const { name, hosts = [], issuer, expiresInSeconds = 3_600 } = options
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = Date.now()
  const tbsCertificate = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1, ...Buffer.from(name).subarray(0, 15)])),
    ECDSA_SHA256,
    encodeDistinguishedName(issuer?.name ?? name),
    der(SEQUENCE, encodeUtcTime(now - 86_400_000), encodeUtcTime(now + expiresInSeconds * 1_000)),
    encodeDistinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, hosts.length > 0 ? encodeSubjectNames(hosts) : AUTHORITY)),
  )
  const signature = sign('sha256', tbsCertificate, issuer?.key ?? privateKey)
  const certificate = der(
    SEQUENCE,
    tbsCertificate,
    ECDSA_SHA256,
    der(BIT_STRING, Buffer.from([0]), signature),
  )
  const lines = certificate
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n')
  const cert = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
  return { name, key: privateKey, cert }
}

const [INTEGER, BIT_STRING, OCTETS, OID, UTF8, UTC_TIME] = [2, 3, 4, 6, 12, 23]
const [SEQUENCE, SET] = [0x30, 0x31]
const ECDSA_SHA256 = der(SEQUENCE, der(OID, Buffer.from('2a8648ce3d040302', 'hex')))
/** Basic constraints, critical: a certificate authority. */
const AUTHORITY = der(
  SEQUENCE,
  der(OID, Buffer.from('551d13', 'hex')),
  Buffer.from('0101ff', 'hex'),
  der(OCTETS, der(SEQUENCE, Buffer.from('0101ff', 'hex'))),
)

/** One DER value: tag, length, content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, ...derLength(content.length)]), content])
}

/** DER requires the shortest form. */
function derLength(length: number): number[] {
  if (length < 128) return [length]
  return length < 256 ? [0x81, length] : [0x82, Math.floor(length / 256), length % 256]
}

function encodeDistinguishedName(name: string): Buffer {
  const commonName = der(OID, Buffer.from('550403', 'hex'))
  return der(SEQUENCE, der(SET, der(SEQUENCE, commonName, der(UTF8, Buffer.from(name)))))
}

function encodeUtcTime(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/\.\d+|\D/g, '')
  return der(UTC_TIME, Buffer.from(`${digits.slice(2, 14)}Z`))
}

function encodeSubjectNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    isIP(host) === 4
      ? der(0x87, Buffer.from(host.split('.').map(Number)))
      : der(0x82, Buffer.from(host)),
  )
  const extension = der(OID, Buffer.from('551d11', 'hex'))
  return der(SEQUENCE, extension, der(OCTETS, der(SEQUENCE, ...names)))
}
