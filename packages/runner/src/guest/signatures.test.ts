import assert from 'node:assert/strict'
import {
  constants,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  verify,
} from 'node:crypto'
import { describe, it } from 'node:test'
import { runBundle } from '../../test/guest/guest-harness.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const encode = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'der' }).toString('base64')

const verifies = (key: KeyObject, options: object, signature = '') =>
  verify(
    'sha256',
    Buffer.from('data'),
    { key: createPublicKey(key), ...options },
    Buffer.from(signature, 'base64'),
  )

describe('subtle.sign of the guest', () => {
  it('signs with RSA-PSS and ECDSA as Web Cryptography does', async () => {
    const found = (await runBundle(`module.exports = async () => {
      const sign = async (key, algorithm) => {
        const imported = await crypto.subtle.importKey('pkcs8', Buffer.from(key, 'base64'), algorithm, false, ['sign'])
        return Buffer.from(await crypto.subtle.sign(algorithm, imported, Buffer.from('data'))).toString('base64')
      }
      return [
        await sign('${encode(rsa)}', { name: 'RSA-PSS', hash: 'SHA-256', saltLength: 32 }),
        await sign('${encode(ec)}', { name: 'ECDSA', hash: { name: 'SHA-256' }, namedCurve: 'P-256' }),
      ]
    }`)) as string[]
    const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
    assert.ok(verifies(rsa, pss, found[0]))
    assert.ok(verifies(ec, { dsaEncoding: 'ieee-p1363' }, found[1]))
  })

  it('refuses what the host cannot do, and does not export the key', async () => {
    const found = await runBundle(`module.exports = async () => {
      const { subtle } = crypto
      const key = Buffer.from('${encode(ec)}', 'base64')
      const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' }
      const imported = await subtle.importKey('pkcs8', key, ecdsa, true, ['sign'])
      const unused = await subtle.importKey('pkcs8', key, ecdsa, true, [])
      const signature = { name: 'ECDSA', hash: 'SHA-256' }
      const calls = [
        () => subtle.importKey('pkcs8', key, { name: 'ECDSA', namedCurve: 'P-384' }, false, ['sign']),
        () => subtle.importKey('pkcs8', key, { name: 'RSA-PSS', hash: 'SHA-512' }, false, ['sign']),
        () => subtle.importKey('pkcs8', key, 'Ed25519', false, ['sign']),
        () => subtle.sign({ name: 'ECDSA', hash: 'SHA-1' }, imported, key),
        () => subtle.sign(signature, unused, key),
        () => subtle.sign(signature, imported, new Uint8Array(2 ** 20 + 1)),
        () => subtle.exportKey('pkcs8', imported),
        () => subtle.verify(signature, imported, key, key),
      ]
      return Promise.all(calls.map((call) => call().then(() => 'none', ({ name }) => name)))
    }`)
    assert.deepEqual(found, [
      'NotSupportedError',
      'NotSupportedError',
      'NotSupportedError',
      'NotSupportedError',
      'InvalidAccessError',
      'OperationError',
      'NotSupportedError',
      'InvalidAccessError',
    ])
  })
})
