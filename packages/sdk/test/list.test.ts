import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { expectCreated } from '../../server/test/test-context.ts'
import { type SdkTestContext, startSdkTestContext } from './sdk-test-context.ts'

const COUNT = 7

describe('A list', () => {
  let context: SdkTestContext
  let names: string[]
  before(async () => {
    context = await startSdkTestContext()
    names = Array.from({ length: COUNT }, (_, index) => `Link ${index}`)
    for (const linkName of names)
      expectCreated(await context.t.call('POST', '/v1/link', { body: { linkName } }))
  })
  after(() => context.t.close())

  it('is read to its end by for await, page by page', async () => {
    context.sent.length = 0
    const found: string[] = []
    for await (const link of context.linchpin.links.list({ limit: 3 })) found.push(link.linkName)
    assert.deepEqual(found, names)
    assert.equal(context.sent.length, 3)
  })

  it('has pages', async () => {
    const sizes: number[] = []
    for await (const page of context.linchpin.links.list({ limit: 3 }).pages())
      sizes.push(page.length)
    assert.deepEqual(sizes, [3, 3, 1])
  })

  it('requests no further page after break', async () => {
    context.sent.length = 0
    for await (const link of context.linchpin.links.list({ limit: 2 }))
      if (link.linkName === 'Link 1') break
    assert.equal(context.sent.length, 1)
  })

  it('first(n) returns n items or all, and requests no more than it needs', async () => {
    context.sent.length = 0
    const list = context.linchpin.links.list()
    const found = await Promise.all([0, 2, 50, Infinity].map((count) => list.first(count)))
    assert.deepEqual(
      found.map((links) => links.map(({ linkName }) => linkName)),
      [[], names.slice(0, 2), names, names],
    )
    const limits = context.sent.map(({ url }) => url.searchParams.get('limit'))
    assert.deepEqual(limits, ['2', '50', '1000'])
  })

  it('can be read again', async () => {
    const list = context.linchpin.links.list()
    assert.deepEqual(await list.first(2), await list.first(2))
  })

  it('preserves its query on every page', async () => {
    context.sent.length = 0
    await context.linchpin.accounts
      .list({ tag: ['a:1', 'b:2'], status: 'needs_reauth', linkId: undefined })
      .first(1)
    const query = context.sent[0]?.url.search
    assert.equal(query, '?tag=a%3A1&tag=b%3A2&status=needs_reauth&limit=1')
  })

  it('of events ends after the last event', async () => {
    const events = await context.linchpin.events.list({ types: 'link.created' }).first(Infinity)
    assert.deepEqual(
      events.map((event) => event.type === 'link.created' && event.data.link.linkName),
      names,
    )
  })

  it('sends the token only to the base URL, whatever the Link header has', async () => {
    const urls: string[] = []
    const linchpin = context.connect({
      baseUrl: 'https://connect.example.com/linchpin',
      fetch: async (input) => {
        urls.push(String(input))
        const link = '<https://evil.example/steal?cursor=2>; rel="next"'
        return Response.json([{}], { headers: urls.length === 1 ? { link } : {} })
      },
    })
    await linchpin.links.list().first(2)
    assert.deepEqual(urls, [
      'https://connect.example.com/linchpin/api/v1/link?limit=2',
      'https://connect.example.com/linchpin/api/v1/link?cursor=2',
    ])
  })
})
