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
  const folders = {
    sources: path.join(root, 'sources'),
    published: path.join(root, 'published'),
    icons: path.join(root, 'icons'),
  }
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
    assert.deepEqual(await publishCatalogue(folders), ['runtime 1', 'acme 1.0.9'])
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

  it('publishes an entry instead of its bundle, which is the entry with the runtime that it names', async () => {
    const file = path.join(folders.sources, 'data.json')
    const entryOf = (version: string, name: string) => ({
      runtime: 1,
      key: 'data',
      name,
      category: 'CRM',
      version,
      docs: 'https://data.example',
      hosts: ['data.example'],
      auth: {
        Token: {
          headers: { Authorization: 'Bearer ${token}' },
          fields: { token: { title: 'Token', secret: true, help: 'In your settings.' } },
        },
      },
      check: { get: '/' },
    })
    const bundleOf = async () => {
      const output = path.join(root, 'generated')
      await writeCatalogue(output, folders)
      return readFileSync(path.join(output, 'data/1.0.0/index.js'), 'utf8')
    }
    writeFileSync(file, JSON.stringify(entryOf('1.0.0', 'Data')))
    assert.deepEqual(await publishCatalogue(folders), ['data 1.0.0'])
    const published = readFileSync(path.join(folders.published, 'data/1.0.0/entry.json'), 'utf8')
    assert.deepEqual(JSON.parse(published), entryOf('1.0.0', 'Data'))
    const bundle = await bundleOf()

    // Another runtime, as after a change of the kit: what is published keeps its bytes and its version.
    const runtime = path.join(folders.published, 'runtimes/1.js')
    writeFileSync(runtime, `${readFileSync(runtime, 'utf8')}\n`)
    assert.deepEqual(await publishCatalogue(folders), ['runtime 2'])
    assert.equal(await bundleOf(), `${bundle}\n`)

    writeFileSync(file, JSON.stringify(entryOf('1.0.0', 'Data renamed')))
    assert.deepEqual(await publishCatalogue(folders), ['data 1.0.1'])
    assert.match(readFileSync(file, 'utf8'), /"version":"1\.0\.1"/)
  })
})
