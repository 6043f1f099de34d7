import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { APIErrorCode, Client, isNotionClientError, iteratePaginatedAPI } from '@notionhq/client'
import { type Account, findLinchpinError } from '../../src/index.ts'
import {
  type ProviderRequest,
  type ProviderResponse,
  startVendorTestContext,
  type VendorTestContext,
} from './vendor-test-context.ts'

describe('@notionhq/client with account(id).fetch', () => {
  let t: VendorTestContext
  let notion: Client
  before(async () => {
    t = await startVendorTestContext(respond, '/v1')
    notion = connect(t.desk)
  })
  beforeEach(() => t.requests.splice(0))
  after(() => t.close())

  const connect = ({ fetch }: Account) =>
    new Client({ auth: 'unused', baseUrl: t.providerUrl, fetch, logger: () => {} })

  it('reads all pages', async () => {
    const ids: string[] = []
    for await (const user of iteratePaginatedAPI(notion.users.list, { page_size: 2 }))
      ids.push(user.id)
    assert.deepEqual(ids, ['u1', 'u2', 'u3'])
    assert.deepEqual(
      t.requests.map(({ url }) => url),
      ['/v1/users?page_size=2', '/v1/users?start_cursor=after-2&page_size=2'],
    )
    t.assertNoLeaks(ids)
  })

  it('sends JSON with its version', async () => {
    const title = [{ text: { content: 'Grüße' } }]
    const page = await notion.pages.create({
      parent: { page_id: 'p1' },
      properties: { title: { title } },
    })
    const [request] = t.requests
    assert.match(String(request?.headers['notion-version']), /^\d{4}-\d\d-\d\d$/)
    assert.deepEqual(JSON.parse(String(request?.body)).properties.title.title, title)
    t.assertNoLeaks(page)
  })

  it('uploads a file', async () => {
    const bytes = new Uint8Array([0, 255, 13, 10, 128])
    const file = { filename: 'scan.png', data: new Blob([bytes], { type: 'image/png' }) }
    const uploaded = await notion.fileUploads.send({ file_upload_id: 'f1', file })
    const [request] = t.requests
    assert.match(request?.headers['content-type'] ?? '', /^multipart\/form-data; boundary=/)
    assert.ok(request?.body.includes(Buffer.from(bytes)))
    t.assertNoLeaks(uploaded)
  })

  it('throws its own error for an error of the provider', async () => {
    await assert.rejects(notion.pages.retrieve({ page_id: 'missing' }), (error) => {
      assert.ok(isNotionClientError(error))
      assert.equal(error.code, APIErrorCode.ObjectNotFound)
      assert.equal(findLinchpinError(error), undefined)
      t.assertNoLeaks(error)
      return true
    })
  })

  it('throws the error of Linchpin, such as for another account', async () => {
    await assert.rejects(connect(t.otherDesk).users.me({}), (error) => {
      assert.equal(findLinchpinError(error), error)
      assert.equal(findLinchpinError(error)?.code, 'integration_account_not_found')
      return true
    })
    assert.deepEqual(t.requests, [])
  })
})

/** Responds as api.notion.com does. */
function respond({ method, url }: ProviderRequest): ProviderResponse {
  const { pathname, searchParams } = new URL(url, 'http://provider')
  if (pathname === '/v1/users') {
    const isLast = searchParams.get('start_cursor') === 'after-2'
    const results = (isLast ? ['u3'] : ['u1', 'u2']).map((id) => ({ object: 'user', id }))
    const next = { has_more: !isLast, next_cursor: isLast ? null : 'after-2' }
    return { body: { object: 'list', results, ...next } }
  }
  if (method === 'POST') return { body: { object: 'page', id: 'p9' } }
  const body = { object: 'error', status: 404, code: 'object_not_found', message: 'Not found.' }
  return { status: 404, body }
}
