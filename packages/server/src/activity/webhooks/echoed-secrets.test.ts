import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { type ReceivedDelivery, type Receiver, startReceiver } from './test/receiver.ts'

const PATH = '/v1/webhook_endpoint'
const KEY = 'Canary/Key+of-the receiver'
const BASIC = Buffer.from(`hook-user:${KEY}`).toString('base64')
const HEADERS = {
  Authorization: `Basic ${BASIC}`,
  'X-Api-Key': KEY,
  'X-Token': 'token="canary_0123456789"; v=1',
}
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** How a receiver may repeat the headers of a request, and a secret that it knows. */
const ECHOES: Readonly<Record<string, (headers: object, secret: string) => string>> = {
  json: (headers, secret) => JSON.stringify({ headers, secret }),
  'json in json': (headers, secret) => JSON.stringify(JSON.stringify({ headers, secret })),
  lines: (headers, secret) =>
    [...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), secret].join('\r\n'),
  'form-encoded': (headers, secret) =>
    new URLSearchParams({ ...(headers as Record<string, string>), secret }).toString(),
  'percent-encoded': (headers, secret) => encodeURIComponent(JSON.stringify({ headers, secret })),
  base64: (headers, secret) => base64(JSON.stringify({ headers, secret })),
  hexadecimal: (headers, secret) =>
    Buffer.from(JSON.stringify({ headers, secret })).toString('hex'),
  'lower case': (headers) => JSON.stringify(headers).toLowerCase(),
  'upper case': (headers) => JSON.stringify(headers).toUpperCase(),
  decoded: (_headers, secret) => {
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const keys = [bytes.toString('hex'), bytes.toString('base64url'), secret.slice(6)]
    return `${KEY} hook-user:${KEY} canary_0123456789 ${keys.join(' ')}`
  },
  'at the end of what is stored': (_headers, secret) =>
    `${'-'.repeat(980)}${KEY} ${'-'.repeat(990)}${secret}`,
}

describeOnBothDatabases('A receiver that echoes the headers of its requests', (newUrl) => {
  let t: TestContext
  let receiver: Receiver
  let id: string
  let secret: string
  let echo: (headers: object, secret: string) => string
  const respond = (status: number, { headers }: ReceivedDelivery) => {
    // The headers of the endpoint alone: a response is cut after 1,000 characters.
    const { authorization, 'x-api-key': key, 'x-token': token } = headers
    return { status, text: echo({ authorization, 'x-api-key': key, 'x-token': token }, secret) }
  }
  let status = 500
  before(async () => {
    receiver = await startReceiver((response, delivery) => {
      const answer = respond(status, delivery)
      response.writeHead(answer.status).end(answer.text)
    })
    t = await testContext({ url: await newUrl() })
    const body = { url: receiver.url, headers: HEADERS, types: ['link.*'] }
    const created = expectCreated(await t.call('POST', PATH, { body }))
    id = created.webhookEndpointId
    secret = created.secret
  })
  after(async () => {
    await t.close()
    await receiver.close()
  })

  /** Any piece of a secret, in any of these forms. */
  const assertNoSecret = (text: string, name: string) => {
    const key = secret.slice('whsec_'.length)
    const bytes = Buffer.from(key, 'base64')
    const pieces = [
      ...[KEY, BASIC, 'canary_0123456789', secret, key, key.slice(0, 20)],
      ...[bytes.toString('hex'), bytes.toString('base64url'), KEY.slice(0, 12)],
    ]
    const forms = (piece: string) => [
      ...[piece, piece.toLowerCase(), piece.toUpperCase(), encodeURIComponent(piece)],
      ...[JSON.stringify(piece).slice(1, -1), Buffer.from(piece).toString('hex')],
      ...[base64(piece).slice(0, -4), base64(`x${piece}`).slice(4, -4)],
      base64(`xx${piece}`).slice(4, -4),
    ]
    for (const form of pieces.flatMap(forms))
      assert.ok(!text.includes(form), `${name}: ${form} in ${text}`)
  }

  for (const [name, respondWith] of Object.entries(ECHOES))
    it(`the result of a test has no secret that was echoed: ${name}`, async () => {
      echo = respondWith
      for (status of [200, 500]) {
        const result = expectOk(await t.call('POST', `${PATH}/${id}/test`, { body: {} }))
        assert.equal(result.status, status)
        assert.match(result.response, /\[removed\]/, name)
        assertNoSecret(result.response, name)
      }
    })

  it('a stored attempt has no secret that was echoed, and anything else of the response', async () => {
    const token = await t.createToken({ scopes: ['read'] })
    status = 500
    echo = (headers, own) => `Refused: ${JSON.stringify({ headers, own })}`
    expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' } }))
    let failures: readonly { readonly response: string }[] = []
    while (failures.length === 0) {
      await sleep(50)
      const deliveries = expectOk(await t.call('GET', `${PATH}/${id}/delivery`, { token }))
      const [delivery] = deliveries as { readonly eventId: string }[]
      if (delivery !== undefined)
        failures = expectOk(
          await t.call('GET', `${PATH}/${id}/delivery/${delivery.eventId}`, { token }),
        ).failures
    }
    const [{ response } = assert.fail()] = failures
    assert.match(response, /^Refused: .*\[removed\]/)
    assertNoSecret(response, 'stored')
    const rows = await t.database.read.selectFrom('delivery_failures').selectAll().execute()
    assertNoSecret(JSON.stringify(rows), 'database')
  })
})
