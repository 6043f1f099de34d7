import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DEFAULT_FOLDERS, listSources } from './build/catalogue-folders.ts'
import { compareVersions, loadCatalogue } from './index.ts'

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')

describe('the built catalogue', async () => {
  const catalogue = await loadCatalogue()
  const keys = catalogue.entries.map(({ key }) => key)

  it('contains every integration, at least sixty', () => {
    const named = listSources(DEFAULT_FOLDERS).map(({ key }) => key)
    assert.ok(keys.length >= 60, `${keys.length}`)
    assert.deepEqual(keys.toSorted(), named.toSorted())
  })

  it('contains the bytes of every version, matching their digest', async () => {
    for (const { key, versions } of catalogue.entries)
      for (const { version, sha256 } of versions) {
        const code = await catalogue.bundle(key, version)
        assert.equal(code && hash('sha256', code), sha256, key)
      }
    assert.equal(await catalogue.bundle('github', '../1.0.0'), undefined)
    assert.equal(await catalogue.bundle('unknown', '1.0.0'), undefined)
  })

  it('contains an icon with a source for more than a hundred integrations, which has nothing active and loads nothing', async () => {
    const sources: Readonly<Record<string, string>> = JSON.parse(read('icons/sources.json'))
    const named = Object.keys(sources)
    assert.ok(named.length > 100 && named.every((key) => keys.includes(key)))
    const files = readdirSync(new URL('../icons/', import.meta.url))
    assert.deepEqual(
      files.toSorted(),
      [...named.map((key) => `${key}.svg`), 'sources.json'].toSorted(),
    )
    for (const [key, source] of Object.entries(sources)) {
      assert.match(source, /^(?:logos|simple-icons):[a-z0-9-]+$/, key)
      assertSafeSvg(read(`icons/${key}.svg`), key)
    }
    assert.ok(await catalogue.icon('slack'))
    assert.equal(await catalogue.icon('lever'), undefined)
    assert.equal(await catalogue.icon('../package'), undefined)
  })

  it('has icons in the state that write-icons.mjs writes', () => {
    const folder = new URL('../icons/', import.meta.url)
    const readIcons = () =>
      readdirSync(folder).map((file) => [file, readFileSync(new URL(file, folder), 'utf8')])
    const temporary = mkdtempSync(path.join(tmpdir(), 'icons-'))
    const script = new URL('../write-icons.mjs', import.meta.url)
    const done = spawnSync(process.execPath, [fileURLToPath(script), temporary])
    assert.equal(done.status, 0, String(done.stderr))
    const written = readdirSync(temporary).map((file) => [
      file,
      readFileSync(path.join(temporary, file), 'utf8'),
    ])
    rmSync(temporary, { recursive: true })
    assert.deepEqual(written, readIcons())
  })
})

/** Only shapes, colors and references to the same file. */
function assertSafeSvg(svg: string, key: string): void {
  assert.ok(svg.startsWith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="'), key)
  const elements = new Set(svg.match(/(?<=<)[a-zA-Z]+/g))
  assert.deepEqual(
    [...elements].filter((name) => !SAFE_ELEMENTS.has(name)),
    [],
    key,
  )
  assert.doesNotMatch(svg, /\son\w+=|\sstyle=|<!|<\?|javascript:|data:/i, key)
  for (const [, target] of svg.matchAll(/(?:href="|url\()([^")]*)/g))
    assert.match(target ?? '', /^#/, key)
}

const SAFE_ELEMENTS = new Set([
  ...['svg', 'g', 'defs', 'use', 'path', 'rect', 'circle', 'ellipse', 'mask', 'stop'],
  ...['linearGradient', 'filter', 'feBlend', 'feFlood', 'feGaussianBlur'],
])

describe('compareVersions', () => {
  it('sorts versions numerically', () => {
    const order = ['0.9.9', '1.0.0', '1.0.2', '1.0.10', '1.2.0', '10.0.0']
    assert.deepEqual(order.toReversed().toSorted(compareVersions), order)
    assert.equal(compareVersions('1.2.3', '1.2.3'), 0)
  })
})
