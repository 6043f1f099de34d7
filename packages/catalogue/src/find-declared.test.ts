import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { bundleEntry, type Entry } from '@linchpin/kit/entry'
import { type Catalogue, createFindDeclared, loadCatalogue } from './index.ts'

const ENTRY: Entry = {
  runtime: 1,
  key: 'desk',
  name: 'Desk',
  category: 'SUPPORT',
  version: '1.0.0',
  hosts: ['api.desk.example'],
  auth: {
    'Api Key': {
      headers: { 'X-Api-Key': '${api_key}' },
      fields: { api_key: { title: 'API key', secret: true, help: 'In your profile.' } },
    },
  },
  check: { get: '/me' },
}

describe('createFindDeclared, for a bundle that is in no catalogue', () => {
  let catalogue: Catalogue
  let runtime: string
  before(async () => {
    catalogue = await loadCatalogue()
    runtime = catalogue.runtimes.get(1) ?? ''
  })

  const find = (text: string) => {
    let loads = 0
    const findDeclared = createFindDeclared(catalogue)
    const bundle = {
      sha256: hash('sha256', text),
      load: async () => {
        loads += 1
        return text
      },
    }
    return { again: () => findDeclared(bundle), countLoads: () => loads }
  }

  it('knows an entry by its text, which it reads once', async () => {
    const { again, countLoads } = find(bundleEntry(ENTRY, runtime))
    const [one, other] = await Promise.all([again(), again()])
    assert.ok(one)
    assert.equal(other, one)
    assert.equal(again(), one)
    assert.equal(countLoads(), 1)
  })

  it('leaves to the sandbox what is more or other than an entry and the runtime', async () => {
    const bundle = bundleEntry(ENTRY, runtime)
    const withCode = bundle.replace('"runtime":1', '"runtime":(globalThis.seen=1)')
    const invalid = { ...ENTRY, check: { get: '/me', retries: 3 } } as Entry
    for (const text of [
      `${bundle}\nglobalThis.more = 1`,
      `globalThis.more = 1;${bundle}`,
      bundle.replace('const ENTRY={', 'const ENTRY=\n{'),
      withCode,
      bundleEntry(invalid, runtime),
      bundleEntry({ ...ENTRY, name: 'x'.repeat(70_000) }, runtime),
      bundleEntry({ ...ENTRY, runtime: 2 }, runtime),
      'module.exports = 1',
    ])
      assert.equal(await find(text).again(), undefined, text.slice(0, 80))
  })

  it('asks again when a bundle could not be read', async () => {
    let isBroken = true
    const text = bundleEntry(ENTRY, runtime)
    const findDeclared = createFindDeclared(catalogue)
    const load = async () => {
      if (isBroken) throw new Error('The database is away.')
      return text
    }
    assert.equal(await findDeclared({ sha256: 'x', load }), undefined)
    isBroken = false
    assert.ok(await findDeclared({ sha256: 'x', load }))
  })
})
