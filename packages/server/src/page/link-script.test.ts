import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import fastify, { type FastifyInstance } from 'fastify'
import { linkScriptRoute } from './link-script.ts'

describe('GET /link.js', () => {
  let app: FastifyInstance
  before(async () => {
    app = fastify()
    await app.register(linkScriptRoute)
  })
  after(() => app.close())
  const ask = (headers = {}) => app.inject({ url: '/link.js', headers })

  it('may be loaded by any page, and tells the hash that its tag can carry', async () => {
    const answer = await ask()
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(answer.headers['cross-origin-resource-policy'], 'cross-origin')
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    const hash = createHash('sha384').update(answer.rawPayload).digest('base64')
    assert.equal(answer.headers['x-linchpin-integrity'], `sha384-${hash}`)
    assert.match(answer.body, /LinchpinLink/)
    assert.match(answer.body, /PoozleLink/)
  })

  it('is not sent again to whom has it', async () => {
    const { headers } = await ask()
    assert.equal(headers['cache-control'], 'public, max-age=300')
    const again = await ask({ 'if-none-match': headers.etag })
    assert.deepEqual([again.statusCode, again.body], [304, ''])
    assert.equal((await ask({ 'if-none-match': '"other"' })).statusCode, 200)
  })

  it('is less than 8 KB over the wire', async () => {
    const packed = await ask({ 'accept-encoding': 'gzip, br' })
    assert.equal(packed.headers['content-encoding'], 'br')
    assert.ok(packed.rawPayload.length < 8_000, String(packed.rawPayload.length))
    const plain = await ask()
    assert.deepEqual(packed.rawPayload, brotliCompressSync(plain.rawPayload))
  })
})

describe('the script of the connect page', () => {
  it('is less than 15 KB over the wire', () => {
    const script = readFileSync(new URL('../../generated/link-page.js', import.meta.url))
    assert.ok(gzipSync(script).length < 15_000)
  })
})
