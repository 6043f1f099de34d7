import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { copyNode } from './copy-node.ts'
import { listReleaseFiles } from './release-files.ts'
import { RELEASE_TARGETS } from './release-target.ts'
import { writeTarball } from './write-tarball.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(path.join(tmpdir(), 'linchpin-release-'))

describe('npm run release', () => {
  after(() => rmSync(folder, { recursive: true }))

  it('pins the checksum of the Node that package.json pins, and refuses another binary', () => {
    const installed = RELEASE_TARGETS.find(({ nodePackage }) =>
      existsSync(path.join(ROOT, 'node_modules', nodePackage)),
    )
    assert.ok(installed, 'npm has installed Node for this processor')
    const file = path.join(folder, 'node')
    copyNode(installed, file, { root: ROOT, cacheFolder: folder })
    rmSync(file)
    const other = { ...installed, nodeSha256: '0'.repeat(64) }
    assert.throws(
      () => copyNode(other, file, { root: ROOT, cacheFolder: folder }),
      /not the pinned/,
    )
    assert.equal(existsSync(file), false)
  })

  it('has a target for each Node of package.json', () => {
    const { optionalDependencies } = JSON.parse(
      readFileSync(path.join(ROOT, 'package.json'), 'utf8'),
    )
    const packages = RELEASE_TARGETS.map(({ nodePackage }) => nodePackage)
    assert.deepEqual(packages.toSorted(), Object.keys(optionalDependencies).toSorted())
  })

  it('contains the built programs, and neither tests nor packages nor anything of development', () => {
    const files = listReleaseFiles(ROOT)
    for (const file of ['main.mjs', 'cli.mjs', 'mcp-sdk.mjs', 'oidc-provider.mjs', 'link.js'])
      assert.ok(files.includes(`packages/server/generated/${file}`), file)
    for (const file of ['linchpin.service', 'compose.yaml', 'kubernetes/deployment.yaml'])
      assert.ok(files.includes(`deploy/${file}`), file)
    for (const file of files) assert.doesNotMatch(file, /\.test\.|node_modules|\.env|\.git|\.hash$/)
  })

  it('writes the same tarball whatever the times, the modes and the order of creation', () => {
    const tarballs = [
      { names: ['a', 'b', 'c'], mode: 0o600, time: 1 },
      { names: ['c', 'b', 'a'], mode: 0o664, time: 2_000_000_000 },
    ].map(({ names, mode, time }, at) => {
      const staged = path.join(folder, String(at), 'linchpin')
      mkdirSync(staged, { recursive: true })
      for (const name of names) {
        writeFileSync(path.join(staged, name), name)
        chmodSync(path.join(staged, name), mode)
        utimesSync(path.join(staged, name), time, time)
      }
      const file = path.join(folder, `${at}.tar.gz`)
      writeTarball(staged, file, 1_700_000_000)
      return readFileSync(file)
    })
    assert.ok(tarballs[0]?.equals(tarballs[1] ?? Buffer.alloc(0)))
  })
})
