import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly hasInstallScript?: boolean
  readonly optionalDependencies?: Record<string, string>
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, LockedPackage>
}
const installed = Object.entries(packages).filter(
  ([path, entry]) => path.includes('node_modules/') && !entry.link,
)

describe('npm in a clone', () => {
  it('runs no script of a dependency, no matter which command installs it', () => {
    assert.match(readFileSync('.npmrc', 'utf8'), /^ignore-scripts=true$/m)
  })

  it('publishes no sources, and no package has hooks, which would not run', () => {
    const files = globSync('packages/*/package.json')
    assert.ok(files.length > 5)
    for (const file of files) {
      const manifest = JSON.parse(readFileSync(file, 'utf8'))
      assert.equal(manifest.private, true, file)
      const names = Object.keys(manifest.scripts ?? {})
      const hooks = names.filter((name) => /^(pre|post|prepare$|(un)?install$)/.test(name))
      assert.deepEqual(hooks, [], file)
    }
  })
})

describe('package-lock.json', () => {
  it('contains no download URLs', () => {
    assert.ok(installed.length > 100)
    const withUrl = installed.filter(([, entry]) => entry.resolved !== undefined)
    assert.deepEqual(withUrl, [])
  })

  it('pins every package by version and digest', () => {
    const unpinned = installed.filter(([, entry]) => !entry.version || !entry.integrity)
    assert.deepEqual(unpinned, [])
  })

  it('has three packages with install scripts, none of which is needed', () => {
    const names = installed.filter(([, entry]) => entry.hasInstallScript).map(([path]) => path)
    const expected = ['@scarf/scarf', 'core-js', 'esbuild']
    assert.deepEqual(
      names,
      expected.map((name) => `node_modules/${name}`),
    )
  })

  it('contains the build of every platform, so that it installs on all of them', () => {
    const missing = installed.flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {})
        .filter((name) => !installed.some(([other]) => other.endsWith(`node_modules/${name}`)))
        .map((name) => `${path} misses ${name}`),
    )
    assert.deepEqual(missing, [])
  })
})
