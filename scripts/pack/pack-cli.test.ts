import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { publint } from 'publint'
import { packCli } from './pack-cli.ts'

describe('The packed command line, in an empty folder', () => {
  let folder: string
  let tarball: string
  let program: string
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'pack-cli-'))
    const installed = path.join(folder, 'node_modules/@linchpin/cli')
    mkdirSync(installed, { recursive: true })
    tarball = packCli(path.join(folder, 'packed'))
    spawnSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
    const { bin } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'))
    program = path.join(installed, bin.linchpin)
  })
  after(() => rmSync(folder, { recursive: true }))

  function run(node: string, ...args: string[]) {
    const env = { PATH: process.env.PATH, HOME: folder, LINCHPIN_TOKEN: 'lp_1' }
    const options = { cwd: folder, encoding: 'utf8', env } as const
    return spawnSync(node, [program, ...args], options)
  }

  for (const node of [process.execPath, '/usr/bin/node'].filter((one) => existsSync(one)))
    it(`runs without dependencies on ${node === process.execPath ? 'this Node' : node}`, () => {
      const help = run(node, '--help')
      assert.equal(help.status, 0, help.stderr)
      assert.match(help.stdout, /^ +accounts/m)
      const { version } = JSON.parse(readFileSync('packages/cli/package.json', 'utf8'))
      assert.match(run(node, '--version').stdout, new RegExp(version.replaceAll('.', '\\.')))
      const unreachable = run(node, 'whoami', '--url', 'http://127.0.0.1:9', '--max-retries', '0')
      assert.notEqual(unreachable.status, 0)
      assert.doesNotMatch(unreachable.stderr, /\n +at /)
    })

  it('has no problems for publint', async () => {
    const bytes = new Uint8Array(readFileSync(tarball))
    const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true })
    assert.deepEqual(messages, [])
  })
})
