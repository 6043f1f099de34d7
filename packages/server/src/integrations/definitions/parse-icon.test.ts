import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseIcon } from './set-definition-icon.ts'
import { createPng, createPngChunk, createWebp } from './test/images.ts'

describe('parseIcon', () => {
  it('reads the type and size of PNG and of the three kinds of WebP', () => {
    const png = parseIcon(createPng(48, 32))
    assert.deepEqual(png, { mediaType: 'image/png', extension: 'png', width: 48, height: 32 })
    for (const kind of ['VP8 ', 'VP8L', 'VP8X'] as const) {
      const webp = parseIcon(createWebp(kind, 300, 17))
      assert.deepEqual([webp?.mediaType, webp?.width, webp?.height], ['image/webp', 300, 17], kind)
    }
  })

  it('rejects animations', () => {
    assert.equal(parseIcon(createPng(48, 48, [createPngChunk('acTL', Buffer.alloc(8))])), undefined)
    assert.equal(parseIcon(createWebp('VP8X', 48, 48, 0x02)), undefined)
  })

  it('rejects other formats, bytes after the image and truncated images', () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    for (const text of ['', svg, `GIF89a${svg}`, '\xff\xd8\xff\xe0', '<html>'])
      assert.equal(parseIcon(Buffer.from(text.padEnd(64), 'latin1')), undefined, text)
    for (const image of [createPng(48, 48), createWebp('VP8L', 48, 48)]) {
      assert.equal(parseIcon(Buffer.concat([image, Buffer.from(svg)])), undefined)
      for (let end = 0; end < image.length; end += 1)
        assert.equal(parseIcon(image.subarray(0, end)), undefined, String(end))
    }
  })

  it('never throws', () => {
    const images = [createPng(48, 48), createWebp('VP8X', 48, 48)]
    fc.assert(
      fc.property(fc.constantFrom(...images), fc.nat(60), fc.nat(255), (image, at, value) => {
        const changed = Buffer.from(image)
        changed[at % changed.length] = value
        parseIcon(changed)
      }),
    )
  })
})
