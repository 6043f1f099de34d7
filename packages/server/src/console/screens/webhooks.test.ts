import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { type Receiver, startReceiver } from '../../activity/webhooks/test/receiver.ts'
import { signIn } from '../test/console-visitor.ts'

describe('Console: webhooks', () => {
  let app: TestApp
  let receiver: Receiver
  let answer = 204
  before(async () => {
    app = await testApp()
    receiver = await startReceiver((response) =>
      response.writeHead(answer).end(answer === 204 ? '' : 'down'),
    )
  })
  after(async () => {
    await app.close()
    await receiver.close()
  })

  const api = async (method: string, path: string, body?: unknown) =>
    (await app.call(method, path, body === undefined ? {} : { body })).body
  const createEndpoint = (body: object = {}): Promise<{ webhookEndpointId: string }> =>
    api('POST', '/v1/webhook_endpoint', { url: receiver.url, ...body })
  /** An endpoint that is paused, and the event that waits for it. */
  const createDelivery = async () => {
    const { webhookEndpointId } = await createEndpoint({ types: ['link.*'], paused: true })
    await api('POST', '/v1/link', { linkName: 'a' })
    const path = `/v1/webhook_endpoint/${webhookEndpointId}/delivery`
    await waitFor(async () => (await api('GET', path)).length > 0)
    const [{ eventId }] = await api('GET', path)
    return { webhookEndpointId, eventId: eventId as string }
  }
  const waitFor = async (isDone: () => Promise<boolean>) => {
    for (let attempt = 0; attempt < 400; attempt += 1) {
      if (await isDone()) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.fail('took too long')
  }
  const HOME = '/console/webhooks'

  test('webhooks: without endpoints, the page says so, offers one and shows how the SDK creates it', async () => {
    const visitor = await signIn(app)
    const { visible, text } = await visitor.get(HOME)
    assert.match(visible, /No endpoint receives the events/)
    assert.match(text, /href="\/console\/webhooks\/new"/)
    assert.match(visible, /webhookEndpoints\.create/)
  })

  test('webhooks: a new endpoint shows its secret once, with a receiver of the SDK', async () => {
    const visitor = await signIn(app)
    await visitor.get(`${HOME}/new`)
    const created = await visitor.post(`${HOME}/new`, {
      url: receiver.url,
      description: '<b>x</b>',
    })
    assert.equal(created.status, 201)
    const [, secret] = /(whsec_[\w+/=]+)/.exec(created.text) ?? assert.fail(created.visible)
    assert.match(created.visible, /@linchpin\/sdk\/webhooks/)
    const list = await visitor.get(HOME)
    assert.ok(!list.text.includes('<b>x</b>'))
    assert.match(list.visible, /Never delivered/)
    const [endpoint] = await api('GET', '/v1/webhook_endpoint')
    assert.deepEqual(endpoint.types, ['account.*', 'connect.*'])
    const page = await visitor.get(`${HOME}/${endpoint.webhookEndpointId}`)
    assert.ok(!page.text.includes(secret ?? ''))
  })

  test('webhooks: a URL that is refused is named at its field, and what was typed stays', async () => {
    const visitor = await signIn(app)
    await visitor.get(`${HOME}/new`)
    const fields = { url: 'https://10.0.0.1/hook', description: 'kept' }
    const { status, text, visible } = await visitor.post(`${HOME}/new`, fields)
    assert.equal(status, 422)
    assert.match(text, /id="url-error"/)
    assert.match(text, /value="kept"/)
    assert.match(visible, /Must be https/)
  })

  test('webhook: states have words: paused, resumed, and events on their way', async () => {
    const { webhookEndpointId } = await createDelivery()
    const path = `${HOME}/${webhookEndpointId}`
    const visitor = await signIn(app)
    const page = await visitor.get(path)
    assert.match(page.visible, /This endpoint is paused/)
    assert.match(page.visible, /link\.created/)
    const resumed = await visitor.post(`${path}/resume`, { replay: 'none' })
    assert.deepEqual([resumed.status, resumed.location], [303, path])
    assert.equal((await api('GET', `/v1/webhook_endpoint/${webhookEndpointId}`)).state, 'active')
    await visitor.get(path)
    await visitor.post(`${path}/pause`)
    assert.equal((await api('GET', `/v1/webhook_endpoint/${webhookEndpointId}`)).state, 'paused')
  })

  test('webhook: a test event shows what the receiver answered', async () => {
    const { webhookEndpointId } = await createEndpoint({ types: ['webhook.test'] })
    const path = `${HOME}/${webhookEndpointId}`
    const visitor = await signIn(app)
    await visitor.get(path)
    answer = 204
    assert.match((await visitor.post(`${path}/test`)).visible, /accepted the test event: HTTP 204/)
    answer = 503
    const failed = await visitor.post(`${path}/test`, { type: 'account.created' })
    answer = 204
    assert.match(failed.visible, /did not accept the test event: HTTP 503/)
    assert.match(failed.visible, /down/)
  })

  test('webhook: a delivery has its payload and failed responses, and is sent again by its event', async () => {
    const { webhookEndpointId, eventId } = await createDelivery()
    const path = `${HOME}/${webhookEndpointId}`
    const delivery = `/v1/webhook_endpoint/${webhookEndpointId}/delivery/${eventId}`
    answer = 503
    await api('POST', `/v1/webhook_endpoint/${webhookEndpointId}`, { paused: false })
    await waitFor(async () => (await api('GET', delivery)).failures.length > 0)
    answer = 204
    const visitor = await signIn(app)
    const failed = await visitor.get(`${path}/deliveries/${eventId}`)
    assert.equal(failed.title, 'link.created')
    assert.match(failed.visible, /linkName/)
    assert.match(failed.visible, /HTTP 503 Attempt 1 .* down/)
    assert.match(failed.visible, /The last attempt failed/)
    await waitFor(async () => (await api('GET', delivery)).state === 'delivered')
    const replayed = await visitor.post(`${path}/replay`)
    assert.equal(replayed.location, `${path}/deliveries/${eventId}`)
    assert.match((await visitor.follow()).text, /1 event is sent again/)
  })

  test('webhook: says that an event which waits for its next attempt is not sent again', async () => {
    const { webhookEndpointId, eventId } = await createDelivery()
    const path = `${HOME}/${webhookEndpointId}`
    const visitor = await signIn(app)
    await visitor.get(`${path}/deliveries/${eventId}`)
    await visitor.post(`${path}/replay`)
    const { text } = await visitor.follow()
    assert.match(text, /Not sent again: this event waits for its next attempt already/)
  })

  test('webhook: failed deliveries and a period are sent again; a wrong period is explained', async () => {
    const { webhookEndpointId } = await createDelivery()
    const path = `${HOME}/${webhookEndpointId}`
    const visitor = await signIn(app)
    await visitor.get(path)
    await visitor.post(`${path}/replay`, { which: 'failed' })
    assert.match((await visitor.follow()).text, /Nothing to send again/)
    const period = { which: 'period', since: '2020-01-01T00:00', until: '2100-01-01T00:00' }
    await visitor.post(`${path}/replay`, period)
    assert.match((await visitor.follow()).text, /sent again/)
    const wrong = await visitor.post(`${path}/replay`, { ...period, since: 'yesterday' })
    assert.equal(wrong.status, 422)
  })

  test('webhook: a rotation shows another secret, an edit is stored, a deletion is final', async () => {
    const { webhookEndpointId } = await createEndpoint({ types: ['account.needs_reauth'] })
    const path = `${HOME}/${webhookEndpointId}`
    const visitor = await signIn(app)
    await visitor.get(path)
    const rotated = await visitor.post(`${path}/rotate`, { overlapSeconds: '3600' })
    assert.match(rotated.text, /whsec_/)
    await visitor.get(`${path}/edit`)
    const edited = await visitor.post(`${path}/edit`, { description: 'renamed', group: ['link.*'] })
    assert.deepEqual([edited.status, edited.location], [303, path])
    const stored = await api('GET', `/v1/webhook_endpoint/${webhookEndpointId}`)
    assert.deepEqual(
      [stored.description, stored.types],
      ['renamed', ['link.*', 'account.needs_reauth']],
    )
    await visitor.get(path)
    assert.equal((await visitor.post(`${path}/delete`)).location, HOME)
    assert.equal((await visitor.get(path)).status, 404)
  })

  test('webhooks: a viewer learns which role may see them, on each page', async () => {
    const { webhookEndpointId } = await createEndpoint()
    const visitor = await signIn(app, { role: 'viewer' })
    for (const path of ['', '/new', `/${webhookEndpointId}`, `/${webhookEndpointId}/edit`]) {
      const { status, visible } = await visitor.get(HOME + path)
      assert.equal(status, 403)
      assert.match(visible, /needs the role developer/)
    }
  })
})
