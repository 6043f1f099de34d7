import assert from 'node:assert/strict'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { stageClient } from './pack-client.ts'
import { postpack, prepack } from './pack-hooks.ts'
import { ROOT } from './pack-package.ts'

describe('npm pack inside a package', () => {
  let folder: string
  let packageDir: string
  let sources: Record<string, string>
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'pack-hooks-'))
    packageDir = path.join(folder, 'client')
    cpSync(path.join(ROOT, 'packages/client'), packageDir, { recursive: true })
    // The result of an earlier `npm run pack:client`.
    mkdirSync(path.join(packageDir, 'dist'), { recursive: true })
    cpSync(path.join(ROOT, 'LICENSE'), path.join(packageDir, 'dist/old.tgz'))
    sources = readFiles(packageDir)
  })
  after(() => rmSync(folder, { recursive: true }))

  it('packs the files of npm run pack:client, and restores the sources', () => {
    const staged = path.join(folder, 'staged')
    mkdirSync(staged)
    stageClient(staged)
    prepack(packageDir)
    const { files } = JSON.parse(readFileSync(path.join(packageDir, 'package.json'), 'utf8'))
    const published = ['package.json', 'README.md', 'LICENSE', ...files]
    const packed = Object.entries(readFiles(packageDir)).filter(([file]) =>
      published.includes(file.split('/')[0]),
    )
    assert.deepEqual(Object.fromEntries(packed), readFiles(staged))
    postpack(packageDir)
    assert.deepEqual(readFiles(packageDir), sources)
  })

  it('restores the sources after a pack that was interrupted, wherever it was', () => {
    prepack(packageDir)
    prepack(packageDir)
    // Interrupted before it moved the last source.
    const readme = path.join(packageDir, 'README.md')
    renameSync(path.join(packageDir, '.before-pack/sources/README.md'), readme)
    postpack(packageDir)
    assert.deepEqual(readFiles(packageDir), sources)
    postpack(packageDir)
    assert.deepEqual(readFiles(packageDir), sources)
  })

  it('is refused for the parts of the service', () => {
    assert.throws(() => prepack(path.join(ROOT, 'packages/server')), /not published/)
  })

  it('runs the hooks in every package', () => {
    for (const file of globSync('packages/*/package.json', { cwd: ROOT })) {
      const { scripts, private: isPrivate } = JSON.parse(
        readFileSync(path.join(ROOT, file), 'utf8'),
      )
      assert.match(scripts.prepack, /node \.\.\/\.\.\/scripts\/pack\/pack-hooks\.ts prepack$/, file)
      if (!isPrivate)
        assert.equal(scripts.postpack, 'node ../../scripts/pack/pack-hooks.ts postpack', file)
    }
    // With this setting npm runs no hooks.
    assert.doesNotMatch(readFileSync(path.join(ROOT, '.npmrc'), 'utf8'), /ignore-scripts/)
  })
})

/** The contents of all files by path. */
function readFiles(dir: string): Record<string, string> {
  const files = globSync('**', { cwd: dir, exclude: ['.before-pack'] }).filter((file) =>
    statSync(path.join(dir, file)).isFile(),
  )
  return Object.fromEntries(
    files.toSorted().map((file) => [file, readFileSync(path.join(dir, file), 'utf8')]),
  )
}
