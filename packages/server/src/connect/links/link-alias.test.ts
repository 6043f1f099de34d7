import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectCreated, type TestContext, testContext } from '../../../test/test-context.ts'
import { newBrowser } from '../oauth-flow/test/browser.ts'
import type { LinkId } from './link.ts'
import { createLinkAliasStore, insertLinkAlias, isLinkAlias } from './link-store.ts'

const BASE = 'http://localhost:3000'

describeOnBothDatabases('The old id of an imported link', (newUrl) => {
  let t: TestContext
  let linkId: LinkId
  const alias = crypto.randomUUID()
  before(async () => {
    t = await testContext({ url: await newUrl() })
    const body = { linkName: 'Customers' }
    linkId = expectCreated(await t.call('POST', '/v1/link', { body })).linkId
    const { workspaceId } = t
    await t.database.transaction((trx) =>
      insertLinkAlias(trx, { alias, workspaceId, linkId }, Date.now()),
    )
  })
  after(() => t.close())

  it('leads to the page of the link, with its query, in a page and in a frame', async () => {
    const browser = newBrowser(t.app)
    for (const [path, location] of [
      [`/link/${alias}`, `/link/${linkId}`],
      [`/link/${alias.toUpperCase()}/`, `/link/${linkId}`],
      [`/link/frame/${alias}?lang=de`, `/link/frame/${linkId}?lang=de`],
    ] as const) {
      const response = await browser.get(`${BASE}${path}`)
      assert.deepEqual([response.status, response.location], [303, `${BASE}${location}`])
    }
    assert.equal((await browser.get(`${BASE}/link/${linkId}`)).status, 200)
  })

  it('404 for any other id', async () => {
    const browser = newBrowser(t.app)
    for (const id of [crypto.randomUUID(), alias.slice(1), `${alias}0`, alias.replaceAll('-', '')])
      assert.equal((await browser.get(`${BASE}/link/${id}`)).status, 404, id)
  })

  it('is looked up only if it has the form of one', async () => {
    let queries = 0
    const counting = {
      ...t.database,
      prepare: () => ({
        first: async () => {
          queries += 1
        },
      }),
    } as unknown as TestContext['database']
    const store = createLinkAliasStore(counting)
    for (const text of [linkId, '', 'a', `${alias}x`, 'x'.repeat(36)])
      assert.equal(await store.findByAlias(text), undefined)
    assert.equal(queries, 0)
    await store.findByAlias(alias)
    assert.equal(queries, 1)
    assert.ok(isLinkAlias(alias))
  })

  it('belongs to one link', async () => {
    const { workspaceId } = t
    await assert.rejects(
      t.database.transaction((trx) =>
        insertLinkAlias(trx, { alias: alias.toUpperCase(), workspaceId, linkId }, 1),
      ),
    )
  })
})
