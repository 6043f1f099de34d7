import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { CatalogueEntry } from '../catalogue-entry.ts'
import { publishCatalogue } from './publish-catalogue.ts'
import { writeCatalogue } from './write-catalogue.ts'

describe('publishCatalogue', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'linchpin-publish-'))
  const folders = { sources: path.join(root, 'sources'), published: path.join(root, 'published') }
  const source = path.join(folders.sources, 'acme.ts')
  const write = (version: string, name: string) =>
    writeFileSync(
      source,
      `import { bearer, defineIntegration } from '@linchpin/kit'
      export default defineIntegration({
        key: 'acme', name: '${name}', category: 'CRM', version: '${version}',
        docs: 'https://acme.example', hosts: ['acme.example'], auth: { Token: bearer() }, check: { path: '/' },
      })`,
    )
  const entry = async (): Promise<CatalogueEntry> => {
    const output = path.join(root, 'generated')
    await writeCatalogue(output, folders)
    const [acme] = JSON.parse(readFileSync(path.join(output, 'registry.json'), 'utf8'))
    return acme
  }
  before(() => mkdirSync(folders.sources))
  after(() => rmSync(root, { recursive: true }))

  it('publishes a version once, and does nothing if nothing has changed', async () => {
    write('1.0.9', 'Acme')
    assert.deepEqual(await publishCatalogue(folders), ['acme 1.0.9'])
    assert.deepEqual(await publishCatalogue(folders), [])
    assert.deepEqual(
      (await entry()).versions.map(({ version }) => version),
      ['1.0.9'],
    )
  })

  it('bumps the version of changed integrations, and keeps published bundles unchanged', async () => {
    const before = (await entry()).versions
    write('1.0.9', 'Acme renamed')
    assert.deepEqual((await entry()).versions, before)
    assert.deepEqual(await publishCatalogue(folders), ['acme 1.0.10'])
    assert.match(readFileSync(source, 'utf8'), /version: '1\.0\.10'/)
    const { name, versions } = await entry()
    assert.deepEqual([name, versions[0]?.version], ['Acme renamed', '1.0.10'])
    assert.deepEqual(versions.slice(1), before)
  })

  it('does not bump a version that was bumped by hand', async () => {
    write('2.0.0', 'Acme again')
    assert.deepEqual(await publishCatalogue(folders), ['acme 2.0.0'])
  })
})
