import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createMiniBundle, MINI_SPEC } from '../../../../test/mini-bundle.ts'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import {
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../../test/test-context.ts'
import { changeLink, lockLink, revokeLink } from '../../../connect/links/link-change-store.ts'
import { recordExpiredLinks } from '../../../connect/links/record-expired-links.ts'
import type { WithChecksum } from '../row-checksum.ts'
import type { DefinitionRow, LinkRow } from '../tables.ts'
import { createRowChanger, type RowChanger } from '../test/changed-rows.ts'

const DEFINITION_CHANGES: readonly Partial<DefinitionRow>[] = [
  { version: '9.9.9' },
  { source_url: 'https://elsewhere.example/index.js' },
  { spec: '{"auth_specification":{"Api Key":{}}}' },
]

const LINK_CHANGES: readonly Partial<WithChecksum<LinkRow>>[] = [
  ...[
    { name: 'elsewhere' },
    { can_expire: 1 as const },
    { expires_in: 5 },
    { expires_at: 2 ** 50 },
  ],
  ...[{ prefer_oauth: 1 as const }, { category: '["CRM"]' }, { definition_ids: '["def_1"]' }],
  ...[{ max_accounts: 9 }, { max_accounts_per_identifier: 9 }, { created_at: 1 }],
  { allowed_origins: '["https://evil.example"]' },
  { redirect_urls: '["https://evil.example/"]' },
  { sessions_only: 1 },
]

const UNCHANGED = {
  maxAccounts: undefined,
  maxAccountsPerIdentifier: undefined,
  allowedOrigins: undefined,
  redirectUrls: undefined,
}

describeOnBothDatabases('A row that has changed on the disk', (newUrl) => {
  let t: TestContext
  let find: RowChanger['find']
  let update: RowChanger['update']
  let withoutTrigger: RowChanger['withoutTrigger']
  before(async () => {
    t = await testContext({ url: await newUrl() })
    ;({ find, update, withoutTrigger } = createRowChanger(t.database))
  })
  after(() => t.close())

  const createLink = async () =>
    (await t.call('POST', '/v1/link', { body: { linkName: 'a' } })).body
      .linkId as LinkRow['link_id']
  const createDefinition = async (code = createMiniBundle()) =>
    (await t.createDefinition({ code })).integrationDefinitionId as DefinitionRow['definition_id']

  it('a row that another program changes loses its checksum, and is used as it is', async () => {
    for (const change of LINK_CHANGES) {
      const linkId = await createLink()
      await update('links', 'link_id', linkId, change)
      const { row_checksum: cleared } = await find('links', 'link_id', linkId)
      assert.equal(cleared, null, JSON.stringify(change))
      if (change.name !== undefined) expectOk(await t.call('GET', `/v1/link/${linkId}`))
    }
    for (const change of DEFINITION_CHANGES) {
      const id = await createDefinition()
      await update('definitions', 'definition_id', id, change)
      const { row_checksum: cleared } = await find('definitions', 'definition_id', id)
      assert.equal(cleared, null, JSON.stringify(change))
      expectOk(await t.call('GET', `/v1/integration_definition/${id}/spec`))
    }
  })

  it('a statement that changes nothing, or other columns, keeps the checksum', async () => {
    const linkId = await createLink()
    await update('links', 'link_id', linkId, { name: 'a', updated_at: 5, expiry_recorded: 1 })
    assert.notEqual((await find('links', 'link_id', linkId)).row_checksum, null)
  })

  it('each change through the API has a new checksum', async () => {
    const linkId = await createLink()
    const before = await find('links', 'link_id', linkId)
    const body = { linkName: 'b', maxAccounts: 3, redirectURLs: ['https://app.example/done'] }
    expectOk(await t.call('POST', `/v1/link/${linkId}`, { body }))
    const updated = await find('links', 'link_id', linkId)
    assert.notEqual(updated.row_checksum, null)
    assert.notEqual(updated.row_checksum, before.row_checksum)
    expectOk(await t.call('GET', `/v1/link/${linkId}`))
    expectOk(await t.call('DELETE', `/v1/link/${linkId}`))
    assert.equal((await find('links', 'link_id', linkId)).row_checksum, updated.row_checksum)
  })

  it('versions have a checksum after an upgrade and a rollback, and so have previous ones', async () => {
    let code = createMiniBundle({ ...MINI_SPEC, version: '1.0.0' })
    const sourceUrl = t.stubServer.serve('/v.js', (_request, response) => response.end(code))
    const id = (await t.createDefinition({ sourceUrl })).integrationDefinitionId as `def_${string}`
    code = createMiniBundle({ ...MINI_SPEC, version: '1.1.0' })
    expectOk(await t.call('POST', `/v1/integration_definition/${id}`))
    const upgraded = await find('definitions', 'definition_id', id)
    assert.deepEqual([upgraded.version, upgraded.row_checksum === null], ['1.1.0', false])
    const previous = await find('kept_versions', 'definition_id', id)
    assert.deepEqual([previous.version, previous.row_checksum === null], ['1.0.0', false])
    await withoutTrigger('kept_versions')
    await update('kept_versions', 'definition_id', id, { spec: '{}' })
    const rollback = () => t.call('POST', `/v1/integration_definition/${id}/rollback`)
    expectError(await rollback(), 'storage_unavailable')
    await update('kept_versions', 'definition_id', id, { spec: previous.spec })
    assert.equal(expectOk(await rollback()).version, '1.0.0')
    assert.notEqual((await find('definitions', 'definition_id', id)).row_checksum, null)
  })

  it('a definition that changed without a statement is refused with 503, and named in the log', async () => {
    await withoutTrigger('definitions')
    const code = createMiniBundle({ ...MINI_SPEC, version: '7.0.0' })
    const [id, other] = [await createDefinition(), await createDefinition(code)]
    const row = await find('definitions', 'definition_id', id)
    const { bundle_sha256 } = await find('definitions', 'definition_id', other)
    const account = {
      integrationDefinitionId: id,
      integrationAccountName: 'a',
      authType: 'Api Key',
      config: { api_key: 'key' },
    }
    for (const change of [...DEFINITION_CHANGES, { bundle_sha256 }, { row_checksum: 1 }]) {
      await update('definitions', 'definition_id', id, change)
      const from = t.logs.length
      const path = `/v1/integration_definition/${id}`
      expectError(await t.call('GET', `${path}/spec`), 'storage_unavailable')
      const create = await t.call('POST', '/v1/integration_account', { body: account })
      expectError(create, 'storage_unavailable')
      assert.match(t.logs.slice(from).join(''), new RegExp(`definitions/${id} is damaged`))
      expectOk(await t.call('GET', `/v1/integration_definition/${other}/spec`))
      await update('definitions', 'definition_id', id, row)
      expectOk(await t.call('GET', `${path}/spec`))
    }
  })

  it('a link that changed without a statement is refused with 503, and named in the log', async () => {
    await withoutTrigger('links')
    const linkId = await createLink()
    const row = await find('links', 'link_id', linkId)
    for (const change of [...LINK_CHANGES, { row_checksum: 1 }]) {
      await update('links', 'link_id', linkId, change)
      const from = t.logs.length
      expectError(await t.call('GET', `/v1/link/${linkId}`), 'storage_unavailable')
      const rename = await t.call('POST', `/v1/link/${linkId}`, { body: { linkName: 'b' } })
      expectError(rename, 'storage_unavailable')
      // Also if it changes between the first look and the transaction.
      await assert.rejects(changeDirectly(linkId), { kind: 'corrupt' })
      assert.equal((await t.app.inject(`/link/${linkId}`)).statusCode, 503)
      assert.match(
        t.logs.slice(from).join(''),
        new RegExp(`links/${linkId.slice(0, 8)} is damaged`),
      )
      await update('links', 'link_id', linkId, row)
      expectOk(await t.call('GET', `/v1/link/${linkId}`))
    }
  })

  it('a link that is locked is as the transaction before has left it', async () => {
    const linkId = await createLink()
    const access = await findAccess()
    const revoked = Promise.withResolvers<void>()
    const revocation = t.database.transaction(async (trx) => {
      await revokeLink(trx, access, linkId, 5)
      revoked.resolve()
      if (t.database.dialect === 'postgres') await sql`select pg_sleep(0.1)`.execute(trx)
    })
    await revoked.promise
    const locked = t.database.transaction((trx) => lockLink(trx, t.workspaceId, linkId))
    await revocation
    assert.equal((await locked)?.revoked_at, 5)
  })

  it('a damaged link keeps no other from being recorded as expired', async () => {
    const [damaged, sound] = [await createLink(), await createLink()]
    await update('links', 'link_id', damaged, { expires_at: 1 })
    await update('links', 'link_id', sound, { expires_at: 1, row_checksum: null })
    await recordExpiredLinks({ database: t.database, now: Date.now, baseUrl: () => '' })
    const recorded = [damaged, sound].map(async (linkId) => {
      const subject = await t.database.read
        .selectFrom('events')
        .select('event_id')
        .where('subject', '=', linkId)
        .where('type', '=', 'link.expired')
        .execute()
      return subject.length
    })
    assert.deepEqual(await Promise.all(recorded), [0, 1])
  })

  async function findAccess() {
    const { user_id: userId } = await find('workspaces', 'workspace_id', t.workspaceId)
    return { userId, boundWorkspaceId: null }
  }

  async function changeDirectly(linkId: LinkRow['link_id']): Promise<void> {
    const change = { name: 'b', ...UNCHANGED, updatedAt: 5 }
    const access = await findAccess()
    await t.database.transaction((trx) => changeLink(trx, access, linkId, change))
  }
})
