import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { packCli } from './pack-cli.ts'

describe('The packed command line', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'pack-cli-'))
    const tarball = packCli(path.join(folder, 'packed'))
    const { status, stderr } = spawnSync('tar', ['-xzf', tarball, '-C', folder])
    assert.equal(status, 0, String(stderr))
  })
  after(() => rmSync(folder, { recursive: true }))

  for (const node of [process.execPath, '/usr/bin/node'].filter((one) => existsSync(one)))
    it(`runs without other packages on ${node === process.execPath ? 'this Node' : node}`, () => {
      const run = (...args: string[]) =>
        spawnSync(node, [path.join(folder, 'package/bin/linchpin.mjs'), ...args], {
          ...{ cwd: folder, encoding: 'utf8' as const, env: { HOME: folder } },
        })
      assert.match(run('--version').stdout, /^\d+\.\d+\.\d+\n$/)
      const { status, stderr } = run('accounts', 'list')
      assert.deepEqual([status, /linchpin login/.test(stderr)], [2, true], stderr)
    })
})
