import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const bin = fileURLToPath(new URL('../../bin/linchpin-kit.mjs', import.meta.url))
const example = fileURLToPath(new URL('../../examples/github.ts', import.meta.url))

async function run(...args: string[]) {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { out, err, code }
}

describe('linchpin-kit', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kit-cli-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('says how to use it: on request as an answer, else as an error', async () => {
    const asked = await run('--help')
    assert.equal(asked.code, 0)
    for (const name of ['check', 'test', 'build'])
      assert.match(asked.out, new RegExp(`^  ${name} `, 'm'))
    const wrong = await run('bild')
    assert.deepEqual([wrong.code, wrong.out], [2, ''])
    assert.equal((await run('build')).code, 2)
    assert.equal((await run('build', example, '--loud')).code, 2)
  })

  it('builds one file, and tells its digest and size', async () => {
    const path = join(folder, 'dist', 'index.js')
    const { out, code } = await run('build', example, '--out', path)
    assert.equal(code, 0)
    const bytes = await readFile(path)
    assert.match(out, new RegExp(`${bytes.length} bytes`))
    assert.match(out, /sha256 [0-9a-f]{64}/)
  })

  it('checks, and exits with 1 when it finds fault', async () => {
    assert.deepEqual([(await run('check', example)).code], [0])
    const path = join(folder, 'bad.ts')
    const source = await readFile(example, 'utf8')
    await writeFile(path, source.replace("version: '1.0.0'", "version: '1'"))
    const { code, err } = await run('check', path)
    assert.equal(code, 1)
    assert.match(err, /bad\.ts: version "1" must be three numbers/)
  })

  it('tries an integration in the jail, and exits with 1 when it does not do what its fixtures say', async () => {
    const good = await run('test', example)
    assert.equal(good.code, 0, good.out + good.err)
    assert.match(good.out, /✓ OAuth2: accepts good credentials\n[\s\S]*all well/)
    const path = join(folder, 'odd.ts')
    const source = await readFile(example, 'utf8')
    await writeFile(path, source.replace("path: '/user'", "path: '/users'"))
    const bad = await run('test', path, '--fixtures', example.replace(/\.ts$/, '.fixtures.ts'))
    assert.equal(bad.code, 1)
    assert.match(
      bad.out,
      /✗ Token: accepts good credentials\n +.*\n? +asked GET https:\/\/api\.github\.com\/users/,
    )
  })
})
