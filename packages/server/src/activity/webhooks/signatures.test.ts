import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { describe, it } from 'node:test'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import {
  generateSigningSecret,
  getPublicKey,
  parseSigningSecret,
  type SignedMessage,
  signDelivery,
} from './endpoint-secrets.ts'

const BODY = '{"type":"account.created","data":{"name":"Zoë 🦔"}}'
const MESSAGE = { messageId: 'evt_01kahn5s9kf5arr5d1x6z5cq3b', body: BODY }

const sign = (secrets: readonly string[], message: Partial<SignedMessage> = {}) =>
  signDelivery({
    ...MESSAGE,
    timestamp: Math.floor(Date.now() / 1_000),
    keys: secrets.map(parseSigningSecret),
    ...message,
  })

describe('signDelivery', () => {
  for (const [name, Webhook] of [
    ['standardwebhooks', StandardWebhook],
    ['svix', SvixWebhook],
  ] as const) {
    it(`is verified by the package ${name}`, () => {
      const secret = generateSigningSecret('v1')
      new Webhook(secret).verify(BODY, sign([secret]))
    })

    it(`gives the same signature as the package ${name}`, () => {
      const secret = generateSigningSecret('v1')
      const timestamp = new Date('2026-11-22T10:00:00Z')
      const headers = sign([secret], { timestamp: timestamp.getTime() / 1_000 })
      const theirs = new Webhook(secret).sign(MESSAGE.messageId, timestamp, BODY)
      assert.equal(headers['webhook-signature'], theirs)
    })

    it(`is rejected by the package ${name} for another body, id, time or secret`, () => {
      const secret = generateSigningSecret('v1')
      const webhook = new Webhook(secret)
      const headers = sign([secret])
      const seconds = Number(headers['webhook-timestamp'])
      assert.throws(() => webhook.verify(`${BODY} `, headers))
      assert.throws(() => webhook.verify(BODY, { ...headers, 'webhook-id': 'evt_other' }))
      assert.throws(() =>
        webhook.verify(BODY, { ...headers, 'webhook-timestamp': String(seconds + 1) }),
      )
      assert.throws(() => webhook.verify(BODY, sign([secret], { timestamp: seconds - 301 })))
      assert.throws(() => new Webhook(generateSigningSecret('v1')).verify(BODY, headers))
    })

    it(`is verified by the package ${name} with the old and the new secret, and beside v1a`, () => {
      const [current, previous] = [generateSigningSecret('v1'), generateSigningSecret('v1')]
      const secrets = [current, generateSigningSecret('v1a'), previous]
      const headers = sign([...secrets, generateSigningSecret('v1a')])
      assert.equal(headers['webhook-signature'].split(' ').length, 4)
      for (const secret of [current, previous]) new Webhook(secret).verify(BODY, headers)
    })
  }

  it('signs with Ed25519 under the public key of a whsk_ secret', () => {
    const secret = generateSigningSecret('v1a')
    const headers = sign([secret])
    const [scheme, signature = ''] = headers['webhook-signature'].split(',')
    assert.equal(scheme, 'v1a')
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${BODY}`
    const verifies = (publicKey: string, signed: string) =>
      verify(null, Buffer.from(signed), toKey(publicKey), Buffer.from(signature, 'base64'))
    assert.equal(verifies(getPublicKey(secret), content), true)
    assert.equal(verifies(getPublicKey(secret), `${content} `), false)
    assert.equal(verifies(getPublicKey(generateSigningSecret('v1a')), content), false)
  })

  it('signs bytes as it signs their text', () => {
    const secret = generateSigningSecret('v1')
    assert.deepEqual(
      sign([secret], { body: Buffer.from(BODY), timestamp: 1 }),
      sign([secret], { timestamp: 1 }),
    )
  })

  it('matches the published test vector of Standard Webhooks', () => {
    const headers = signDelivery({
      messageId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1614265330,
      body: '{"test": 2432232314}',
      keys: [parseSigningSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
    })
    assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })
})

describe('generateSigningSecret', () => {
  it('generates 32 bytes after whsec_, and the seed of a key after whsk_', () => {
    assert.match(generateSigningSecret('v1'), /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.match(generateSigningSecret('v1a'), /^whsk_[A-Za-z0-9+/]{43}=$/)
    assert.match(getPublicKey(generateSigningSecret('v1a')), /^whpk_[A-Za-z0-9+/]{43}=$/)
  })
})

function toKey(publicKey: string) {
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}
