import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { assetRoutes, getAssetUrl, getStyleSheet } from './assets.ts'

describe('GET /assets/*', () => {
  const app = Fastify()
  app.register(assetRoutes)
  after(() => app.close())
  const sheet = getStyleSheet()
  const url = getAssetUrl('page.css') ?? ''

  it('serves a file under its hash as immutable', async () => {
    assert.match(url, /^\/assets\/page\.[\w-]{10}\.css$/)
    const response = await app.inject(url)
    assert.deepEqual(response.rawPayload, sheet)
    assert.equal(response.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(response.headers['content-type'], 'text/css; charset=utf-8')
    assert.equal(response.headers['x-content-type-options'], 'nosniff')
  })

  it('the style sheets include every part, without comments and indentation', async () => {
    const withoutSpace = (css: string) => css.replace(/\/\*.*?\*\/|\s/gs, '')
    const documentation = await app.inject({ url: getAssetUrl('documentation.css') ?? '' })
    const console = await app.inject({ url: getAssetUrl('console.css') ?? '' })
    const sheets = sheet.toString() + documentation.body + console.body
    const served = withoutSpace(sheets)
    assert.doesNotMatch(sheets, /\n|\/\*/)
    const parts = globSync('styles/*.css', { cwd: import.meta.dirname })
    assert.ok(parts.length >= 10)
    for (const part of parts)
      assert.ok(
        served.includes(withoutSpace(readFileSync(path.join(import.meta.dirname, part), 'utf8'))),
        part,
      )
  })

  const decompressors = { br: brotliDecompressSync, gzip: gunzipSync }
  for (const [encoding, decompress] of Object.entries(decompressors))
    it(`compresses it with ${encoding} on request`, async () => {
      for (const _ of [1, 2]) {
        const response = await app.inject({ url, headers: { 'accept-encoding': encoding } })
        assert.equal(response.headers['content-encoding'], encoding)
        assert.equal(response.headers.vary, 'accept-encoding')
        assert.deepEqual(decompress(response.rawPayload), sheet)
        assert.ok(response.rawPayload.length < 5_500)
      }
    })

  it('serves the current file for the hash of another version, uncached', async () => {
    const response = await app.inject('/assets/page.0000000000.css')
    assert.deepEqual(response.rawPayload, sheet)
    assert.equal(response.headers['cache-control'], 'no-cache')
  })

  it('serves a font of at most 40 kB, with its licence beside it, not compressed again', async () => {
    const font = getAssetUrl('fonts/inter.woff2') ?? ''
    const response = await app.inject({ url: font, headers: { 'accept-encoding': 'br' } })
    assert.equal(response.headers['content-type'], 'font/woff2')
    assert.equal(response.headers['content-encoding'], undefined)
    assert.ok(response.rawPayload.length <= 40_000, String(response.rawPayload.length))
    assert.equal(response.rawPayload.subarray(0, 4).toString(), 'wOF2')
    assert.ok(sheet.includes(font.replace('/assets/', 'url(')), 'relative to the style sheet')
    const licence = readFileSync(path.join(import.meta.dirname, 'fonts/OFL.txt'), 'utf8')
    assert.match(licence, /SIL Open Font License, Version 1\.1/)
  })

  it('404 for any other file', async () => {
    assert.equal(getAssetUrl('page.ts'), undefined)
    for (const unknownName of [
      'page.css',
      'page.0000000000.ts',
      '../page.0000000000.css',
      '%2e%2e/page.0000000000.css',
      '',
      'icons/',
      'constructor.0000000000.css',
    ])
      assert.equal((await app.inject(`/assets/${unknownName}`)).statusCode, 404, unknownName)
  })

  it('serves SVG with a CSP that blocks scripts', async () => {
    const response = await app.inject(getAssetUrl('favicon.svg') ?? '')
    assert.equal(response.headers['content-type'], 'image/svg+xml')
    assert.match(String(response.headers['content-security-policy']), /^default-src 'none'/)
  })
})
