import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectOk, testContext } from '../../../test/test-context.ts'
import { detectImageType } from './logo.ts'
import type { PageTestContext } from './test/page-test-context.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

describe('The logo of a workspace', () => {
  let t: PageTestContext
  before(async () => {
    t = await testContext({ pages: true })
    await t.createDefinition({ name: 'Desk' })
  })
  after(() => t.close())

  const setLogo = async (path: string, body: Buffer, headers = {}) => {
    let requestCount = 0
    t.stubServer.serve(path, (_request, response) => {
      requestCount += 1
      response.writeHead(200, { 'content-type': 'image/png', ...headers }).end(body)
    })
    const theme = { logoUrl: `${t.stubServer.url}${path}` }
    expectOk(await t.call('POST', `/v1/workspace/${t.workspaceId}`, { body: { theme } }))
    return () => requestCount
  }
  const listImageSources = (text: string) =>
    [...text.matchAll(/<img src="([^"]*)"/g)].map(([, url]) => url)
  const loadTwice = async (requestCount: () => number) => {
    const path = await t.link()
    const visitor = t.visitor()
    const first = await visitor.get(path)
    assert.deepEqual(listImageSources(first.text), [], 'the first page does not wait for it')
    for (let attempt = 0; attempt < 100 && requestCount() === 0; attempt += 1) await sleep(10)
    await sleep(50)
    return { path, person: visitor, page: await visitor.get(path) }
  }

  it('is fetched once and served by us once it is cached', async () => {
    const requestCount = await setLogo('/logo.png', PNG)
    const { person: visitor, page, path } = await loadTwice(requestCount)
    const [url] = listImageSources(page.plain)
    assert.match(url ?? '', new RegExp(`^${path}/logo\\?v=[\\w-]{16}$`))
    const logo = await visitor.get(url ?? '')
    assert.equal(logo.status, 200)
    assert.equal(logo.headers.get('content-type'), 'image/png')
    assert.equal(logo.headers.get('x-content-type-options'), 'nosniff')
    assert.match(logo.headers.get('content-security-policy') ?? '', /sandbox/)
    assert.equal(requestCount(), 1)
    assert.doesNotMatch(page.text, /127\.0\.0\.1/)
  })

  it('falls back to a letter when the download fails, is too large or is not an image', async () => {
    for (const [name, body] of [
      ['/logo.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
      ['/logo.html', Buffer.from('<script>alert(1)</script>')],
      ['/large.png', Buffer.concat([PNG, Buffer.alloc(200_001)])],
    ] as const) {
      const { page, person: visitor, path } = await loadTwice(await setLogo(name, body))
      assert.deepEqual(listImageSources(page.text), [], name)
      assert.equal((await visitor.get(`${path}/logo`)).status, 404)
    }
    assert.equal((await t.visitor().get('/link/lnk_none/logo')).status, 404)
  })

  it('imageType detects the format by the first bytes', () => {
    assert.equal(detectImageType(PNG), 'image/png')
    assert.equal(detectImageType(Buffer.from('ffd8ffe000104a46', 'hex')), 'image/jpeg')
    assert.equal(
      detectImageType(Buffer.from('RIFF\x01\x02\x03\x04WEBPVP8 ', 'latin1')),
      'image/webp',
    )
    for (const other of ['GIF89a', '<svg>', '', 'RIFF0000WAVE', ' \x89PNG\r\n\x1a\n'])
      assert.equal(detectImageType(Buffer.from(other, 'latin1')), undefined)
  })
})
