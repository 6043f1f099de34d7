import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import Stripe from 'stripe'
import { type Account, findLinchpinError } from '../../src/index.ts'
import {
  type ProviderRequest,
  type ProviderResponse,
  startVendorTestContext,
  type VendorTestContext,
} from './vendor-test-context.ts'

describe('stripe with account(id).fetch', () => {
  let t: VendorTestContext
  let stripe: Stripe
  before(async () => {
    t = await startVendorTestContext(respond)
    stripe = connect(t.desk)
  })
  beforeEach(() => t.requests.splice(0))
  after(() => t.close())

  const connect = ({ fetch }: Account) => {
    const { hostname: host, port } = new URL(t.providerUrl)
    const httpClient = Stripe.createFetchHttpClient(fetch)
    const options = { host, port, protocol: 'http', telemetry: false } as const
    return new Stripe('unused', { ...options, httpClient, maxNetworkRetries: 1 })
  }

  it('reads all pages', async () => {
    const ids: string[] = []
    for await (const customer of stripe.customers.list({ limit: 2, email: 'ada+1@example.com' }))
      ids.push(customer.id)
    assert.deepEqual(ids, ['cus_1', 'cus_2', 'cus_3'])
    assert.deepEqual(
      t.requests.map(({ url }) => url),
      [
        '/v1/customers?limit=2&email=ada%2B1%40example.com',
        '/v1/customers?limit=2&email=ada%2B1%40example.com&starting_after=cus_2',
      ],
    )
    t.assertNoLeaks(ids)
  })

  it('sends forms, with the idempotency key of the caller', async () => {
    const customer = await stripe.customers.create(
      { name: 'Grüße & Co', metadata: { plan: 'pro' } },
      { idempotencyKey: 'create-1' },
    )
    const [request] = t.requests
    assert.equal(request?.headers['idempotency-key'], 'create-1')
    assert.deepEqual(
      [...new URLSearchParams(String(request?.body))],
      [
        ['name', 'Grüße & Co'],
        ['metadata[plan]', 'pro'],
      ],
    )
    t.assertNoLeaks(customer)
  })

  it('uploads a file', async () => {
    const data = Buffer.from([0, 255, 13, 10, 128])
    const file = { data, name: 'scan.png', type: 'image/png' }
    const uploaded = await stripe.files.create({ purpose: 'dispute_evidence', file })
    assert.equal(uploaded.id, 'cus_9')
    const [request] = t.requests
    assert.match(request?.headers['content-type'] ?? '', /^multipart\/form-data; boundary=/)
    assert.ok(request?.body.includes(data))
    t.assertNoLeaks(uploaded)
  })

  it('repeats a request that the provider refuses for now, with the same key', async () => {
    await stripe.customers.create({ name: 'busy' })
    const keys = t.requests.map(({ headers }) => headers['idempotency-key'])
    assert.equal(keys.length, 2)
    assert.equal(keys[0], keys[1])
  })

  it('throws its own error for an error of the provider', async () => {
    await assert.rejects(stripe.customers.create({ name: 'declined' }), (error: Error) => {
      assert.ok(error instanceof Stripe.errors.StripeCardError)
      assert.deepEqual([error.code, error.statusCode], ['card_declined', 402])
      assert.equal(error.requestId, 'req_1')
      assert.equal(findLinchpinError(error), undefined)
      t.assertNoLeaks(error)
      return true
    })
  })

  it('throws an error in which that of Linchpin is found, such as for another account', async () => {
    await assert.rejects(connect(t.otherDesk).customers.retrieve('cus_1'), (error) => {
      assert.ok(error instanceof Stripe.errors.StripeConnectionError)
      assert.equal(findLinchpinError(error)?.code, 'integration_account_not_found')
      return true
    })
    assert.deepEqual(t.requests, [])
  })
})

let busy = 0

/** Responds as api.stripe.com does. */
function respond({ method, url, body, headers }: ProviderRequest): ProviderResponse {
  const { pathname, searchParams } = new URL(url, 'http://provider')
  const name = new URLSearchParams(String(body)).get('name')
  const requestId = { 'request-id': 'req_1' }
  if (name === 'busy' && busy++ === 0)
    return { status: 429, headers: { ...requestId, 'stripe-should-retry': 'true' } }
  if (name === 'declined') {
    const error = { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' }
    return { status: 402, headers: requestId, body: { error } }
  }
  if (method === 'POST')
    return { headers: requestId, body: { id: 'cus_9', key: headers['idempotency-key'] } }
  if (pathname !== '/v1/customers')
    return { status: 404, body: { error: { type: 'invalid_request_error' } } }
  const first = searchParams.get('starting_after') === 'cus_2' ? [3] : [1, 2]
  const data = first.map((number) => ({ id: `cus_${number}`, object: 'customer' }))
  return { body: { object: 'list', url: pathname, has_more: first.length === 2, data } }
}
