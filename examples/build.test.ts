import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { buildExampleBundles, buildExamples, compileExample } from './build.ts'

describe('The build of the example integrations', () => {
  it('writes one CommonJS file per integration, of at least 300 KB, with the Node build of axios', async () => {
    const { desk, books } = await buildExampleBundles()
    for (const { path, code } of [desk, books]) {
      assert.equal(await readFile(path, 'utf8'), code)
      assert.ok(Buffer.byteLength(code) >= 300_000, `${path} is small`)
      assert.match(code, /require\('http'\)/)
      assert.match(code, /require\('zlib'\)/)
      assert.doesNotMatch(code, /^(import|export) /m)
    }
    assert.match(desk.code, /^exports\.default = main;$/m)
    assert.match(books.code, /^module\.exports = main;$/m)
  })

  it('requires only built-in modules of Node', async () => {
    const { desk, books } = await buildExampleBundles()
    const builtins = (await import('node:module')).builtinModules
    for (const { code } of [desk, books]) {
      // Indented calls are inside a `try`: those modules are optional.
      const required = [...code.matchAll(/^(?:const|var) .*?require\('([^']+)'\)/gm)].map(
        (m) => m[1],
      )
      assert.ok(required.length > 5)
      for (const name of required) assert.ok(builtins.includes(name ?? ''), `requires ${name}`)
    }
  })

  it('is reproducible: the same bytes every time', async () => {
    const { desk } = await buildExampleBundles()
    assert.equal(await compileExample('acme-desk', 'named'), desk.code)
  })

  it('does not touch the files when nothing has changed', async () => {
    const paths = await buildExamples()
    assert.deepEqual(
      paths.map((path) => path.split('/').slice(-3).join('/')),
      ['dist/acme-desk/index.js', 'dist/acme-books/index.js'],
    )
    const readTimes = () => Promise.all(paths.map(async (path) => (await stat(path)).mtimeMs))
    const before = await readTimes()
    await buildExamples()
    assert.deepEqual(await readTimes(), before)
  })
})
