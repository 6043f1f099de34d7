import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import fastify, { type FastifyInstance } from 'fastify'
import { linkScriptRoute } from './assets.ts'

describe('GET /link.js', () => {
  let app: FastifyInstance
  before(async () => {
    app = fastify()
    await app.register(linkScriptRoute)
  })
  after(() => app.close())
  const fetchScript = (headers = {}) => app.inject({ url: '/link.js', headers })

  it('may be loaded by any page, and sends its integrity hash', async () => {
    const response = await fetchScript()
    assert.equal(response.statusCode, 200)
    assert.equal(response.headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(response.headers['cross-origin-resource-policy'], 'cross-origin')
    assert.equal(response.headers['access-control-allow-origin'], '*')
    const hash = createHash('sha384').update(response.rawPayload).digest('base64')
    assert.equal(response.headers['x-linchpin-integrity'], `sha384-${hash}`)
    assert.match(response.body, /LinchpinLink/)
    assert.match(response.body, /PoozleLink/)
  })

  it('304 for a current ETag', async () => {
    const { headers } = await fetchScript()
    assert.equal(headers['cache-control'], 'public, max-age=300')
    const revalidated = await fetchScript({ 'if-none-match': headers.etag })
    assert.deepEqual([revalidated.statusCode, revalidated.body], [304, ''])
    assert.equal((await fetchScript({ 'if-none-match': '"other"' })).statusCode, 200)
  })

  it('is less than 8 KB over the wire', async () => {
    const compressed = await fetchScript({ 'accept-encoding': 'gzip, br' })
    assert.equal(compressed.headers['content-encoding'], 'br')
    assert.ok(compressed.rawPayload.length < 8_000, String(compressed.rawPayload.length))
    const scriptResponse = await fetchScript()
    assert.deepEqual(compressed.rawPayload, brotliCompressSync(scriptResponse.rawPayload))
  })
})

describe('The script of the connect page', () => {
  for (const name of ['link-page.js', 'link-frame.js'])
    it(`${name} has at most 12 kB over the wire`, () => {
      const script = readFileSync(new URL(`../../../generated/${name}`, import.meta.url))
      assert.ok(gzipSync(script).length <= 12_000, String(gzipSync(script).length))
    })
})
