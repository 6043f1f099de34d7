import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findOldNode } from '../../../../scripts/pack/old-node.ts'
import { CLI_PATH, runCli, runProgram } from './test/run-cli.ts'

const example = fileURLToPath(new URL('../../examples/github.ts', import.meta.url))

describe('linchpin-kit', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kit-cli-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('prints its usage: on request to stdout, otherwise as an error', async () => {
    const help = await runProgram('--help')
    assert.equal(help.code, 0)
    for (const name of ['new', 'dev', 'check', 'test', 'build', 'publish'])
      assert.match(help.out, new RegExp(`^  ${name} `, 'm'))
    const unknownCommandRun = await runProgram('bild')
    assert.deepEqual([unknownCommandRun.code, unknownCommandRun.out], [2, ''])
    assert.match(unknownCommandRun.err, /^Usage: /)
    assert.equal((await runCli('build')).code, 2)
    assert.equal((await runCli('build', example, '--loud')).code, 2)
  })

  it('prints the flags of each command', async () => {
    for (const [name, flag] of Object.entries({
      new: 'base-url',
      dev: 'linchpin',
      test: 'fixtures',
      build: 'out',
      publish: 'url',
    })) {
      const help = await runCli(name, '--help')
      assert.deepEqual([help.code, help.err], [0, ''])
      assert.match(help.out, new RegExp(`^ {2}--${flag} +\\S`, 'm'))
      assert.equal((await runCli('help', name)).out, help.out)
    }
  })

  it('reports what is wrong with a file', async () => {
    const joinPath = (name: string) => join(folder, name)
    await writeFile(joinPath('five.ts'), 'export default 5\n')
    await writeFile(joinPath('none.ts'), 'export const x = 1\n')
    await cp(example, joinPath('alone.ts'))
    await cp(example, joinPath('empty.ts'))
    await writeFile(joinPath('empty.fixtures.ts'), 'export default {}\n')
    for (const [args, pattern] of [
      [['check', joinPath('gone.ts')], /gone\.ts does not exist\.$/m],
      [['build', joinPath('gone.ts')], /gone\.ts does not exist\.$/m],
      [['build', folder], /is not a file\.$/m],
      [['build', joinPath('five.ts')], /not an integration: use defineIntegration/],
      [['build', joinPath('none.ts')], /none\.ts has no default export\.$/m],
      [['test', joinPath('alone.ts')], /alone\.fixtures\.ts does not exist\.$/m],
      [['test', joinPath('empty.ts')], /empty\.fixtures\.ts lacks endpoint, sends, good/],
    ] as const) {
      const { code, err } = await runCli(...args)
      assert.deepEqual([code, pattern.test(err)], [1, true], err)
      assert.doesNotMatch(err, /stdin|undefined/)
    }
  })

  it('runs under an older Node by using the one that a clone includes', (t) => {
    const program = findOldNode()
    if (program === undefined) return t.diagnostic('No older Node is installed')
    const runOldNode = (...args: string[]) => spawnSync(program, args, { encoding: 'utf8' })
    const { status, stdout, stderr } = runOldNode(CLI_PATH, 'check', example)
    assert.deepEqual([status, stderr], [0, ''])
    assert.match(stdout, /no problems found/)
  })

  it('builds one file, and prints its digest and size', async () => {
    const joinPath = join(folder, 'dist', 'index.js')
    const { out, code } = await runCli('build', example, '--out', joinPath)
    assert.equal(code, 0)
    const bytes = await readFile(joinPath)
    assert.match(out, new RegExp(`${bytes.length} bytes`))
    assert.match(out, /sha256 [0-9a-f]{64}/)
  })

  it('lints an integration, and exits with 1 if it finds problems', async () => {
    assert.deepEqual([(await runCli('check', example)).code], [0])
    const joinPath = join(folder, 'bad.ts')
    const source = await readFile(example, 'utf8')
    await writeFile(joinPath, source.replace("version: '1.0.0'", "version: '1'"))
    const { code, err } = await runCli('check', joinPath)
    assert.equal(code, 1)
    assert.match(err, /bad\.ts: version "1" must be three numbers/)
  })

  it('tests an integration in the sandbox, and exits with 1 if it does not match its fixtures', async () => {
    const successfulRun = await runCli('test', example)
    assert.equal(successfulRun.code, 0, successfulRun.out + successfulRun.err)
    assert.match(successfulRun.out, /✓ OAuth2: accepts good credentials\n[\s\S]*all tests passed/)
    const joinPath = join(folder, 'odd.ts')
    const source = await readFile(example, 'utf8')
    await writeFile(joinPath, source.replace("path: '/user'", "path: '/users'"))
    const failedRun = await runCli(
      'test',
      joinPath,
      '--fixtures',
      example.replace(/\.ts$/, '.fixtures.ts'),
    )
    assert.equal(failedRun.code, 1)
    assert.match(
      failedRun.out,
      /✗ Token: accepts good credentials\n +.*\n? +requested GET https:\/\/api\.github\.com\/users/,
    )
  })
})
