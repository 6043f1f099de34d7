import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import {
  generateSigningSecret,
  getPublicKey,
  parseSigningSecret,
  signDelivery,
} from '../../server/src/activity/webhooks/endpoint-secrets.ts'
import { verifyWebhook, WebhookVerificationError, webhookHandler } from '../src/webhooks.ts'

const SECRET = generateSigningSecret('v1')
const PRIVATE_KEY = generateSigningSecret('v1a')
const PUBLIC_KEY = getPublicKey(PRIVATE_KEY)
const BODY = JSON.stringify({ id: 'evt_1', type: 'account.needs_reauth', data: { reason: 'ü' } })
const now = () => Math.floor(Date.now() / 1_000)

function sign(secrets: readonly string[], timestamp = now(), body = BODY) {
  const keys = secrets.map(parseSigningSecret)
  return signDelivery({ messageId: 'evt_1', timestamp, body, keys })
}

describe('verifyWebhook()', () => {
  for (const [title, secret, key] of [
    ['v1', SECRET, SECRET],
    ['v1a', PRIVATE_KEY, PUBLIC_KEY],
  ] as const)
    it(`accepts what the service signs with ${title}, as text and as bytes`, async () => {
      const bytes = new TextEncoder().encode(BODY)
      for (const body of [BODY, bytes, bytes.buffer]) {
        const event = await verifyWebhook(body, sign([secret]), key)
        assert.deepEqual(event, JSON.parse(BODY))
        assert.deepEqual(await verifyWebhook(body, new Headers(sign([secret])), key), event)
      }
    })

  const signed = sign([SECRET])
  const pairs = Object.entries(signed)
  const capitalize = (name: string) => name.replace(/(^|-)\w/g, (text) => text.toUpperCase())
  for (const [spelling, spell] of [
    ['lower case', (name: string) => name],
    ['Train-Case', capitalize],
    ['UPPER CASE', (name: string) => name.toUpperCase()],
  ] as const) {
    const spelled = pairs.map(([name, value]) => [spell(name), value] as [string, string])
    for (const [shape, headers] of [
      ['Headers', new Headers(spelled)],
      ['an object, as Node, Express, Fastify and Lambda have them', Object.fromEntries(spelled)],
      [
        'an object without a prototype',
        Object.assign(Object.create(null), Object.fromEntries(spelled)),
      ],
      [
        'an object of lists, as multiValueHeaders',
        Object.fromEntries(spelled.map(([name, value]) => [name, [value]])),
      ],
      [
        'an object of CloudFront',
        Object.fromEntries(spelled.map(([key, value]) => [key.toLowerCase(), [{ key, value }]])),
      ],
      ['pairs', spelled],
      ['a Map', new Map(spelled)],
      ['rawHeaders', ['Host', 'app.example.com', ...spelled.flat()]],
      ['an iterator', new Map(spelled).entries()],
      ['anything with get()', { get: (name: string) => new Headers(spelled).get(name) }],
      ['a promise, as in Next.js', Promise.resolve(new Headers(spelled))],
    ] as const)
      it(`accepts ${shape}, with names in ${spelling}`, async () => {
        assert.equal((await verifyWebhook(BODY, headers, SECRET)).id, 'evt_1')
      })
  }

  it('accepts the headers of a real request to node:http, both ways', async () => {
    const received: Promise<unknown>[] = []
    const server = createServer((request, response) => {
      const { headers, rawHeaders } = request
      received.push(verifyWebhook(BODY, headers, SECRET), verifyWebhook(BODY, rawHeaders, SECRET))
      response.end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers: signed, body: BODY })
    server.close()
    assert.equal((await Promise.all(received)).length, 2)
  })

  it('accepts the body as a Buffer in a larger one, a view and a SharedArrayBuffer', async () => {
    const bytes = Buffer.from(BODY)
    const larger = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')])
    const shared = new SharedArrayBuffer(bytes.length)
    new Uint8Array(shared).set(bytes)
    for (const body of [
      larger.subarray(6, 6 + bytes.length),
      new DataView(larger.buffer, larger.byteOffset + 6, bytes.length),
      shared as unknown as ArrayBuffer,
    ])
      assert.equal((await verifyWebhook(body, signed, SECRET)).id, 'evt_1')
  })

  it('accepts one of several signatures in several headers, and one that is repeated', async () => {
    const other = sign([generateSigningSecret('v1')])['webhook-signature']
    const { 'webhook-signature': signature, ...rest } = signed
    const joined = new Headers(rest)
    for (const one of [signature, other]) joined.append('webhook-signature', one)
    for (const headers of [
      { ...rest, 'webhook-signature': [other, signature] },
      { ...rest, 'webhook-signature': [signature, other] },
      joined,
      [...pairs, ...pairs],
    ])
      assert.equal((await verifyWebhook(BODY, headers, SECRET)).id, 'evt_1')
  })

  it('rejects different values of one header', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp'])
      await assert.rejects(verifyWebhook(BODY, [...pairs, [capitalize(name), '1']], SECRET), {
        name: 'WebhookVerificationError',
        message: /several different headers webhook-/,
      })
  })

  it('says what is wrong: a missing header, the time, the key or the body', async () => {
    const { 'webhook-id': _, ...anonymous } = signed
    for (const [headers, expected] of [
      [anonymous, /no header webhook-id/],
      [{ host: 'app.example.com' }, /no header webhook-id/],
      [sign([SECRET], now() - 1_000), /time of the webhook is not within 300 seconds of now/],
      [sign([generateSigningSecret('v1')]), /No signature of the webhook matches a key/],
    ] as const)
      await assert.rejects(verifyWebhook(BODY, headers, SECRET), {
        name: 'WebhookVerificationError',
        message: expected,
      })
    for (const body of [JSON.parse(BODY), undefined, null, 1])
      await assert.rejects(verifyWebhook(body, signed, SECRET), /^TypeError: body must be/)
    for (const headers of [undefined, null, 'webhook-id: 1'])
      await assert.rejects(
        verifyWebhook(BODY, headers as unknown as Headers, SECRET),
        /^TypeError: headers must be/,
      )
  })

  it('accepts one of several keys and one of several signatures', async () => {
    const headers = sign([generateSigningSecret('v1'), SECRET, PRIVATE_KEY])
    for (const keys of [[generateSigningSecret('v1'), SECRET], [PUBLIC_KEY]])
      assert.equal((await verifyWebhook(BODY, headers, keys)).id, 'evt_1')
  })

  it('rejects another body, id, time, key and scheme', async () => {
    const headers = sign([SECRET])
    const other = generateSigningSecret('v1')
    const signature = headers['webhook-signature']
    for (const [body, changed, key] of [
      [`${BODY} `, headers, SECRET],
      [BODY, { ...headers, 'webhook-id': 'evt_2' }, SECRET],
      [BODY, { ...headers, 'webhook-timestamp': String(now() + 1) }, SECRET],
      [BODY, headers, other],
      [BODY, { ...headers, 'webhook-signature': signature.replace('v1,', 'v2,') }, SECRET],
      [BODY, { ...headers, 'webhook-signature': 'v1,%' }, SECRET],
      [BODY, { ...headers, 'webhook-signature': 'v1,' }, SECRET],
      [BODY, headers, PUBLIC_KEY],
      [BODY, {}, SECRET],
      [BODY, headers, []],
    ] as const)
      await assert.rejects(verifyWebhook(body, changed, key), WebhookVerificationError)
  })

  it('rejects a time that is further from now than the tolerance', async () => {
    for (const seconds of [-301, 301])
      await assert.rejects(
        verifyWebhook(BODY, sign([SECRET], now() + seconds), SECRET),
        WebhookVerificationError,
      )
    const old = sign([SECRET], now() - 400)
    assert.ok(await verifyWebhook(BODY, old, SECRET, { toleranceSeconds: 500 }))
    await assert.rejects(verifyWebhook(BODY, sign([SECRET], Number.NaN), SECRET))
  })

  it('throws a TypeError for a key that is not one of an endpoint, without its value', async () => {
    for (const key of ['', 'PLANTED', 'whsk_PLANTED', 'whsec_%PLANTED'])
      await assert.rejects(
        verifyWebhook(BODY, sign([SECRET]), key),
        (error: Error) => error instanceof TypeError && !error.message.includes('PLANTED'),
      )
  })
})

describe('webhookHandler()', () => {
  const request = (headers: Record<string, string> = sign([SECRET]), body = BODY) =>
    new Request('https://app.example.com/hooks', { method: 'POST', headers, body })

  it('responds with 204 after the handler of the type, once per event', async () => {
    const handled: string[] = []
    const seen = new Set<string>()
    const handle = webhookHandler({
      keys: SECRET,
      seen,
      on: { 'account.needs_reauth': (event) => handled.push(event.data.reason) },
    })
    assert.equal((await handle(request())).status, 204)
    assert.equal((await handle(request())).status, 204)
    assert.deepEqual(handled, ['ü'])
    assert.deepEqual([...seen], ['evt_1'])
  })

  it('throws the error of a handler, and handles the event when it is sent again', async () => {
    let count = 0
    const fail = () => {
      if (++count === 1) throw new Error('database is down')
    }
    const on = { 'account.needs_reauth': fail }
    const handle = webhookHandler({ keys: SECRET, seen: new Set(), on })
    await assert.rejects(handle(request()), /database is down/)
    assert.equal((await handle(request())).status, 204)
    assert.equal(count, 2)
  })

  it('passes types without a handler, unknown ones too, to *', async () => {
    const types: string[] = []
    const handle = webhookHandler({ keys: SECRET, on: { '*': ({ type }) => types.push(type) } })
    for (const type of ['moon.full', 'toString']) {
      const body = JSON.stringify({ id: 'evt_2', type })
      assert.equal((await handle(request(sign([SECRET], now(), body), body))).status, 204)
    }
    assert.deepEqual(types, ['moon.full', 'toString'])
    assert.equal((await webhookHandler({ keys: SECRET, on: {} })(request())).status, 204)
  })

  it('responds with 401 to a wrong signature, and with 405 to another method', async () => {
    const handle = webhookHandler({ keys: SECRET, on: { '*': () => assert.fail() } })
    assert.equal((await handle(request({}))).status, 401)
    assert.equal((await handle(new Request('https://app.example.com/'))).status, 405)
  })
})
