import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from './build.ts'

const example = fileURLToPath(new URL('../../examples/github.ts', import.meta.url))

describe('buildIntegration', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kit-build-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('produces the same bytes for the same sources in any folder', async () => {
    const copy = join(folder, 'another-name.ts')
    await cp(example, copy)
    const [first, repeated, inOtherFolder] = await Promise.all([
      build(example),
      build(example),
      build(copy),
    ])
    assert.equal(repeated.code, first.code)
    assert.equal(inOtherFolder.code, first.code)
    assert.equal(first.sha256, createHash('sha256').update(first.code).digest('hex'))
    assert.equal(first.size, Buffer.byteLength(first.code))
  })

  it('builds an integration without code in less than 17 kB', async () => {
    const { size } = await build(example)
    assert.ok(size < 17 * 1024, `${size} bytes`)
  })

  it('can be called in plain Node through each export name that hosts look for', async () => {
    const bundle = join(folder, 'index.cjs')
    await writeFile(bundle, (await build(example)).code)
    const script = `const b = require(${JSON.stringify(bundle)})
      Promise.all([b('SPEC'), b.default('SPEC'), b.main('SPEC', {}), b('NOPE').catch(String)]).then((a) => console.log(JSON.stringify(a)))`
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script])
    const [first, second, third, unknown] = JSON.parse(stdout)
    assert.deepEqual(Object.keys(first.auth_specification), ['OAuth2', 'Token'])
    assert.deepEqual([second, third], [first, first])
    assert.match(unknown, /no command NOPE/)
  })

  it('reports where sources do not compile', async () => {
    const broken = join(folder, 'broken.ts')
    await writeFile(broken, 'export default {\n  key: =\n}\n')
    await assert.rejects(build(broken), /broken\.ts:2:7/)
    await writeFile(broken, 'export const x = 1\n')
    await assert.rejects(build(broken), /default/)
  })
})
