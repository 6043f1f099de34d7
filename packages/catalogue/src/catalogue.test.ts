import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { compareVersions, loadCatalogue } from './index.ts'

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')

describe('the built catalogue', async () => {
  const catalogue = await loadCatalogue()
  const keys = catalogue.entries.map(({ key }) => key)

  it('contains every integration, at least sixty', () => {
    const files = readdirSync(new URL('./integrations/', import.meta.url))
    const named = files.filter((file) => /^[^.]+\.ts$/.test(file)).map((file) => file.slice(0, -3))
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

  it('contains a safe single-color icon for every integration that declares one', async () => {
    const named = keys.filter((key) => /^ {2}icon: /m.test(read(`src/integrations/${key}.ts`)))
    assert.ok(named.length >= 30)
    const files = readdirSync(new URL('../icons/', import.meta.url))
    assert.deepEqual(files.toSorted(), named.map((key) => `${key}.svg`).toSorted())
    const shape =
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 24 24" fill="#[0-9a-f]{6}"><path d="[-\d.,\sa-z]+"\/><\/svg>\n$/i
    for (const file of files) assert.match(read(`icons/${file}`), shape, file)
    assert.ok(await catalogue.icon('github'))
    assert.equal(await catalogue.icon('../package'), undefined)
  })
})

describe('compareVersions', () => {
  it('sorts versions numerically', () => {
    const order = ['0.9.9', '1.0.0', '1.0.2', '1.0.10', '1.2.0', '10.0.0']
    assert.deepEqual(order.toReversed().toSorted(compareVersions), order)
    assert.equal(compareVersions('1.2.3', '1.2.3'), 0)
  })
})
