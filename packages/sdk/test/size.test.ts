import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

describe('The SDK, minified and compressed', () => {
  for (const [entry, limit] of [
    ['index.ts', 6_000],
    ['webhooks.ts', 2_000],
  ] as const)
    it(`${entry} has at most ${limit} bytes, and imports nothing`, async () => {
      const { outputFiles, metafile } = await build({
        entryPoints: [`packages/sdk/src/${entry}`],
        bundle: true,
        minify: true,
        format: 'esm',
        target: 'es2022',
        write: false,
        metafile: true,
      })
      const [output] = outputFiles
      assert.ok(output)
      assert.ok(Object.keys(metafile.inputs).every((file) => file.startsWith('packages/sdk/src/')))
      const bytes = gzipSync(output.contents, { level: 9 }).length
      assert.ok(bytes > 500 && bytes <= limit, `${bytes} bytes`)
    })
})
