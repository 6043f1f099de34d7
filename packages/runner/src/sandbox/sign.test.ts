import assert from 'node:assert/strict'
import {
  constants,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  verify,
} from 'node:crypto'
import { describe, it } from 'node:test'
import { MAX_SIGN_REQUEST_LENGTH, signForGuest } from './sign.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const encode = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'der' }).toString('base64')
const data = Buffer.from('data')

const VERIFYING = {
  RS256: { padding: constants.RSA_PKCS1_PADDING },
  PS256: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
  ES256: { dsaEncoding: 'ieee-p1363' },
} as const
const isRight = (algorithm: keyof typeof VERIFYING, key: KeyObject, signature: string) =>
  verify(
    'sha256',
    data,
    { key: createPublicKey(key), ...VERIFYING[algorithm] },
    Buffer.from(signature, 'base64'),
  )

describe('signForGuest', () => {
  it('signs with each algorithm, and checks a key without data', () => {
    for (const [algorithm, key] of [
      ['RS256', rsa],
      ['PS256', rsa],
      ['ES256', ec],
    ] as const) {
      const request = `${algorithm} ${encode(key)}`
      assert.ok(isRight(algorithm, key, signForGuest(request, data) ?? ''), algorithm)
      assert.equal(signForGuest(request, undefined), '')
    }
  })

  it('refuses other keys, other algorithms, and too much data', () => {
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey
    const ed25519 = generateKeyPairSync('ed25519').privateKey
    for (const request of [
      '',
      'RS256',
      'RS256 !',
      `RS256 ${encode(ec)}`,
      `ES256 ${encode(rsa)}`,
      `ES256 ${encode(p384)}`,
      `RS256 ${encode(ed25519)}`,
      `RS512 ${encode(rsa)}`,
      `constructor ${encode(rsa)}`,
    ])
      assert.equal(signForGuest(request, data), undefined, request.slice(0, 12))
    assert.equal(signForGuest(`RS256 ${encode(rsa)}`, Buffer.alloc(1024 * 1024 + 1)), undefined)
  })

  it('takes a fraction of a second, whatever the numbers of a key are', () => {
    const integer = (bytes: number) =>
      Buffer.concat([
        Buffer.from([2, 0x82, (bytes + 1) >> 8, (bytes + 1) & 255, 0]),
        Buffer.alloc(bytes, 0xff),
      ])
    const sequence = (content: Buffer, tag = 0x30) =>
      Buffer.concat([Buffer.from([tag, 0x82, content.length >> 8, content.length & 255]), content])
    const zero = Buffer.from([2, 1, 0])
    const three = Buffer.from([2, 1, 3])
    const algorithm = Buffer.from('300d06092a864886f70d0101010500', 'hex')
    const toRequest = (numbers: readonly Buffer[]) => {
      const key = sequence(sequence(Buffer.concat([zero, ...numbers])), 0x04)
      const pkcs8 = sequence(Buffer.concat([zero, algorithm, key]))
      return `RS256 ${pkcs8.toString('base64')}`
    }
    for (const numbers of [
      [integer(1_350), three, integer(1_350), zero, zero, zero, zero, zero],
      [integer(512), three, integer(2_200), zero, zero, zero, zero, zero],
      [integer(512), three, three, integer(1_100), three, integer(1_100), three, three],
      [integer(512), three, three, integer(550), integer(550), integer(550), integer(550), three],
    ]) {
      const request = toRequest(numbers)
      assert.ok(request.length <= MAX_SIGN_REQUEST_LENGTH, `${request.length}`)
      const startedAt = performance.now()
      signForGuest(request, data)
      const elapsed = performance.now() - startedAt
      assert.ok(elapsed < 1_000, `${elapsed} ms`)
    }
  })
})
