import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { Webhook } from 'standardwebhooks'
import {
  listForbiddenUrls,
  PRIVATE_HOSTS,
  resolveCorpusHost,
} from '../../../../runner/test/egress/ssrf-corpus.ts'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { EVENT_TYPES } from '../../platform/record/event-types.ts'
import { type Receiver, startReceiver } from './test/receiver.ts'

const PATH = '/v1/webhook_endpoint'

describe('POST /v1/webhook_endpoint/{id}/test', () => {
  let t: TestContext
  let receiver: Receiver
  let path: string
  let secret: string
  let respondWith = { status: 204, body: '' }
  before(async () => {
    receiver = await startReceiver((response) =>
      response.writeHead(respondWith.status, { location: '/elsewhere' }).end(respondWith.body),
    )
    t = await testContext()
    const headers = { Authorization: 'Bearer of-the-receiver', 'X-Tenant': 'a' }
    const body = { url: receiver.url, types: ['webhook.test'], headers, paused: true }
    const endpoint = expectCreated(await t.call('POST', PATH, { body }))
    path = `${PATH}/${endpoint.webhookEndpointId}`
    secret = endpoint.secret
  })
  after(async () => {
    await t.close()
    await receiver.close()
  })

  const test = (body?: object, token = t.token) => t.call('POST', `${path}/test`, { body, token })

  it('200 with the response; the request is signed and has the headers of the endpoint', async () => {
    respondWith = { status: 200, body: `thanks\0 ${'é'.repeat(2_000)}` }
    const { ms, eventId, ...result } = expectOk(await test())
    assert.ok(ms >= 0)
    assert.deepEqual([result.delivered, result.status, result.code], [true, 200, null])
    assert.ok(result.response.length <= 1_000)
    const { headers, body } = receiver.received.at(-1) ?? assert.fail()
    new Webhook(secret).verify(body, headers as Record<string, string>)
    assert.equal(headers['webhook-id'], eventId)
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['linchpin-event-type'], 'webhook.test')
    assert.equal(headers['linchpin-attempt'], '1')
    assert.deepEqual([headers.authorization, headers['x-tenant']], ['Bearer of-the-receiver', 'a'])
    assert.equal(JSON.parse(body).id, eventId)
  })

  it('sends an example of each type that its published schema accepts', async () => {
    respondWith = { status: 204, body: '' }
    const document = expectOk(await t.call('GET', '!/api/openapi.json'))
    const ajv = new Ajv({ strict: false })
    addFormats.default(ajv)
    for (const type of EVENT_TYPES) {
      assert.equal(expectOk(await test({ type })).delivered, true)
      const event = JSON.parse(receiver.received.at(-1)?.body ?? '')
      assert.equal(event.type, type)
      assert.notEqual(event.subject, '', type)
      const { schema } = document.webhooks[type].post.requestBody.content['application/json']
      const validate = ajv.compile({ ...schema, components: document.components })
      assert.ok(validate(event), `${type}: ${JSON.stringify(validate.errors)}`)
    }
  })

  it('200 with the reason when the endpoint fails, and redirects are not followed', async () => {
    for (const status of [500, 404, 301, 308]) {
      respondWith = { status, body: 'no' }
      const count = receiver.received.length
      const { delivered, code, response } = expectOk(await test())
      assert.deepEqual([delivered, code, response], [false, `status_${status}`, 'no'])
      assert.equal(receiver.received.length, count + 1)
    }
    const body = { url: 'http://127.0.0.1:9/', paused: true }
    const { webhookEndpointId } = expectCreated(await t.call('POST', PATH, { body }))
    const closed = await t.call('POST', `${PATH}/${webhookEndpointId}/test`, { body: {} })
    const { code, status } = expectOk(closed)
    assert.deepEqual([code, status], ['unreachable', null])
  })

  it('400 for an unknown type, 404 for the endpoint of another user', async () => {
    expectError(await test({ type: 'account.*' }), 'validation_failed')
    const { token } = await t.otherUser()
    expectError(await test({}, token), 'webhook_endpoint_not_found')
  })

  itRequiresScope(
    () => t,
    'POST',
    () => `${path}/test`,
    { scope: 'webhooks', body: {} },
  )
})

describe('Forbidden URLs of webhook endpoints', () => {
  let t: TestContext
  let receiver: Receiver
  let path: string
  before(async () => {
    receiver = await startReceiver()
    t = await testContext({ allow: '', resolve })
    const body = { url: `https://${PUBLIC_HOST}/hooks`, paused: true }
    const response = await t.call('POST', PATH, { body })
    path = `${PATH}/${expectCreated(response).webhookEndpointId}`
  })
  after(async () => {
    await t.close()
    await receiver.close()
  })

  const PUBLIC_HOST = 'public.example'
  const resolve: typeof resolveCorpusHost = async (host) =>
    host === PUBLIC_HOST ? [{ address: '9.9.9.9', family: 4 }] : resolveCorpusHost(host)
  const listUrls = () => {
    const { port } = new URL(receiver.url)
    const hosts = PRIVATE_HOSTS.flatMap((host) => [`https://${host}/x`, `http://${host}:${port}/x`])
    return [...hosts, ...listForbiddenUrls(Number(port))]
  }

  it('cannot be the URL of an endpoint', async () => {
    const urls = listUrls()
    assert.ok(new Set(urls).size >= 250)
    for (const url of urls) {
      const created = await t.call('POST', PATH, { body: { url } })
      assert.equal(created.status, 400, url)
      assert.match(created.body.error, /^(?:webhook_url_forbidden|validation_failed)$/, url)
      assert.equal((await t.call('POST', path, { body: { url } })).status, 400, url)
    }
    assert.equal(receiver.received.length, 0)
  })

  it('receive no test event, even if they are stored', async () => {
    // Each of them in send-webhook.test.ts.
    for (const url of listUrls().filter((_, index) => index % 20 === 0)) {
      await t.database.transaction((trx) =>
        trx.updateTable('webhook_endpoints').set({ url }).execute(),
      )
      const result = expectOk(await t.call('POST', `${path}/test`, { body: {} }))
      assert.deepEqual([result.delivered, result.code], [false, 'address_forbidden'], url)
    }
    assert.equal(receiver.received.length, 0)
  })
})
