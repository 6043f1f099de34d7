import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { decodeEntities } from '../../connect/connect-page/test/test-visitor.ts'
import type { VisitedPage } from './console-visitor.ts'

/** What an attacker changes of what an authenticator and a browser send. */
export interface Forgery {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  readonly isVerified?: boolean
  readonly counter?: number
  readonly userHandle?: string
  readonly format?: string
}

/** An authenticator with one passkey, and the browser before it: ES256, without attestation. Responses are JSON. */
export interface Authenticator {
  create(options: string, forgery?: Forgery): string
  get(options: string, forgery?: Forgery): string
}

const ORIGIN = 'http://localhost:3000'
/** User present, user verified, backup eligible, backed up. */
const FLAGS = 0x01 | 0x04 | 0x08 | 0x10
const HAS_CREDENTIAL = 0x40

export function createAuthenticator(): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  const id = credentialId.toString('base64url')
  let counter = 0
  let userHandle = ''
  const authenticate = (forgery: Forgery, rpId: string, more: Uint8Array = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(forgery.counter ?? ++counter)
    const verified = forgery.isVerified === false ? FLAGS & ~0x04 : FLAGS
    const flags = Buffer.from([more.length > 0 ? verified | HAS_CREDENTIAL : verified])
    return Buffer.concat([sha256(forgery.rpId ?? rpId), flags, count, more])
  }
  const describe = (type: string, challenge: string, forgery: Forgery) =>
    Buffer.from(
      JSON.stringify({
        type: forgery.type ?? type,
        challenge: forgery.challenge ?? challenge,
        origin: forgery.origin ?? ORIGIN,
        crossOrigin: false,
      }),
    )
  const respond = (response: object) =>
    JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response })
  return {
    create(text, forgery = {}) {
      const { challenge, rp, user } = JSON.parse(text)
      userHandle = user.id
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credentialId.length)
      const key = isoCBOR.encode(toCose(publicKey.export({ format: 'jwk' })))
      const credential = Buffer.concat([Buffer.alloc(16), length, credentialId, key])
      const attestation = new Map<string, unknown>([
        ['fmt', forgery.format ?? 'none'],
        ['attStmt', new Map(forgery.format === undefined ? [] : [['x5c', [randomBytes(8)]]])],
        ['authData', new Uint8Array(authenticate(forgery, rp.id, credential))],
      ])
      return respond({
        clientDataJSON: describe('webauthn.create', challenge, forgery).toString('base64url'),
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
        transports: ['internal'],
      })
    },
    get(text, forgery = {}) {
      const { challenge, rpId } = JSON.parse(text)
      const clientData = describe('webauthn.get', challenge, forgery)
      const authenticatorData = authenticate(forgery, rpId)
      const signed = Buffer.concat([authenticatorData, sha256(clientData)])
      return respond({
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
        userHandle: forgery.userHandle ?? userHandle,
      })
    },
  }
}

/** COSE_Key (RFC 9052): EC2, ES256, P-256. */
function toCose({ x = '', y = '' }: { readonly x?: string; readonly y?: string }) {
  return new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
    [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
  ])
}

function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

/** What the form of a page that a passkey fills in hands to the browser, as JSON. */
export function readPasskeyOptions({ text }: Pick<VisitedPage, 'text'>): string {
  return decodeEntities(/data-options="([^"]*)"/.exec(text)?.[1] ?? '')
}
