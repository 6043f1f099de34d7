import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { LogLevel, WebClient } from '@slack/web-api'
import { type Account, findLinchpinError } from '../../src/index.ts'
import {
  type ProviderRequest,
  type ProviderResponse,
  startVendorTestContext,
  type VendorTestContext,
} from './vendor-test-context.ts'

describe('@slack/web-api', () => {
  let t: VendorTestContext
  before(async () => {
    t = await startVendorTestContext(respond, '/api')
  })
  beforeEach(() => t.requests.splice(0))
  after(() => t.close())

  const quiet = { retryConfig: { retries: 0 }, logLevel: LogLevel.ERROR }
  const withProxyUrl = ({ proxyUrl }: Account) =>
    new WebClient(t.boundToken, { ...quiet, slackApiUrl: `${proxyUrl}/` })
  const withFetch = ({ fetch }: Account) =>
    new WebClient('unused', { ...quiet, slackApiUrl: `${t.providerUrl}/api/`, fetch })

  for (const [name, connect] of [
    ['proxyUrl as its URL and a token that is bound to the account', withProxyUrl],
    ['account(id).fetch', withFetch],
  ] as const) {
    it(`reads all pages with ${name}`, async () => {
      const ids: unknown[] = []
      for await (const page of connect(t.desk).paginate('conversations.list', { limit: 2 }))
        ids.push(
          ...(page as unknown as { channels: { id: string }[] }).channels.map(({ id }) => id),
        )
      assert.deepEqual(ids, ['C1', 'C2', 'C3'])
      const [first, second] = t.requests.map(({ body }) => new URLSearchParams(String(body)))
      assert.deepEqual([first?.get('cursor'), second?.get('cursor')], [null, 'after-2'])
      t.assertNoLeaks(ids)
    })

    it(`sends a message with ${name}`, async () => {
      const result = await connect(t.desk).chat.postMessage({ channel: 'C1', text: 'Grüße & co' })
      assert.equal(result.ts, '1.5')
      const [request] = t.requests
      assert.equal(request?.url, '/api/chat.postMessage')
      assert.equal(new URLSearchParams(String(request?.body)).get('text'), 'Grüße & co')
      t.assertNoLeaks(result)
    })

    it(`throws its own error for an error of the provider with ${name}`, async () => {
      const sending = connect(t.desk).chat.postMessage({ channel: 'missing', text: 'a' })
      await assert.rejects(sending, (error: Error) => {
        assert.partialDeepStrictEqual(
          { ...error },
          {
            code: 'slack_webapi_platform_error',
            data: { error: 'channel_not_found' },
          },
        )
        assert.equal(findLinchpinError(error), undefined)
        t.assertNoLeaks(error)
        return true
      })
    })
  }

  it('gets 404 with proxyUrl of another account', async () => {
    await assert.rejects(withProxyUrl(t.otherDesk).auth.test(), { statusCode: 404 })
    assert.deepEqual(t.requests, [])
  })

  it('throws an error in which that of Linchpin is found with account(id).fetch', async () => {
    await assert.rejects(withFetch(t.otherDesk).auth.test(), (error) => {
      assert.equal(findLinchpinError(error)?.code, 'integration_account_not_found')
      return true
    })
    assert.deepEqual(t.requests, [])
  })
})

/** Responds as slack.com/api does. */
function respond({ url, body }: ProviderRequest): ProviderResponse {
  const fields = new URLSearchParams(String(body))
  if (url === '/api/conversations.list') {
    const isLast = fields.get('cursor') === 'after-2'
    const channels = (isLast ? ['C3'] : ['C1', 'C2']).map((id) => ({ id }))
    const next_cursor = isLast ? '' : 'after-2'
    return { body: { ok: true, channels, response_metadata: { next_cursor } } }
  }
  const isFound = fields.get('channel') === 'C1'
  return { body: isFound ? { ok: true, ts: '1.5' } : { ok: false, error: 'channel_not_found' } }
}
