import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import { expectCreated, type TestContext, testContext } from '../../../../test/test-context.ts'
import type { LinkId } from '../../../connect/links/link.ts'
import { UNVERIFIED } from '../row-checksum.ts'
import { createRowChanger } from '../test/changed-rows.ts'
import { createSampleRows } from '../test/sample-rows.ts'

describeOnBothDatabases('The checksum of a row, in another table', (newUrl) => {
  let t: TestContext
  before(async () => {
    t = await testContext({ url: await newUrl() })
  })
  after(() => t.close())

  it('says of a row that another program inserts that it is unverified, and goes with it', async () => {
    const { workspaceId, database } = t
    const sample = createSampleRows().links
    const row = { ...sample, workspace_id: workspaceId, definition_id: null }
    await database.transaction((trx) => trx.insertInto('links').values(row).execute())
    assert.deepEqual(await readChecksums(row.link_id), [UNVERIFIED])
    assert.equal(await getStatus(`/v1/link/${row.link_id}`), 200)
    await database.transaction((trx) =>
      trx.deleteFrom('links').where('link_id', '=', row.link_id).execute(),
    )
    assert.deepEqual(await readChecksums(row.link_id), [])
  })

  it('is missing for a row whose key has changed on the disk, which is refused', async () => {
    const { linkId } = await createLink()
    const other: LinkId = `lnk_${'a'.repeat(linkId.length - 4)}`
    const { update } = createRowChanger(t.database)
    await update('links', 'link_id', linkId, { link_id: other })
    assert.equal(await getStatus(`/v1/link/${other}`), 503)
    assert.equal(await getStatus(`/v1/link?workspaceId=${t.workspaceId}`), 503)
    await update('links', 'link_id', other, { link_id: linkId })
    assert.equal(await getStatus(`/v1/link/${linkId}`), 200)
  })

  it('fits the row while other transactions change both', async () => {
    const { linkId } = await createLink()
    const changes = Array.from({ length: 20 }, async (_, index) => {
      const body = { linkName: `name ${index}` }
      const { status } = await t.call('POST', `/v1/link/${linkId}`, { body })
      return [status, await getStatus(`/v1/link/${linkId}`)]
    })
    for (const statuses of await Promise.all(changes)) assert.deepEqual(statuses, [200, 200])
  })

  const createLink = async () =>
    expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' } })) as {
      linkId: LinkId
    }

  const getStatus = async (path: string) => (await t.call('GET', path)).status

  async function readChecksums(linkId: LinkId) {
    const rows = await t.database.read
      .selectFrom('link_checksums')
      .select('row_checksum')
      .where('link_id', '=', linkId)
      .execute()
    return rows.map((row) => row.row_checksum)
  }
})
