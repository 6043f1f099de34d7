import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { changeAccountRow } from '../../../test/account-rows.ts'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  databaseBytes,
  expectCreated,
  expectError,
  expectOk,
  listAuditActions,
  readAllText,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { createErasureStore } from './erasure-store.ts'

describeOnBothDatabases('POST /v1/erasure', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let definitionId: string
  before(async () => {
    t = await testContext({ url: await newUrl() })
    definitionId = (await t.createDefinition()).integrationDefinitionId
  })
  after(() => t.close())

  const erase = (accountIdentifier: string, body = {}, token = t.token) =>
    t.call('POST', '/v1/erasure', { body: { accountIdentifier, ...body }, token })

  it('POST /v1/erasure: 200 with a receipt; accounts, tombstones, events and history have no trace of the customer', async () => {
    const accountIdentifier = 'customer-erased-1'
    const names = { accountIdentifier, integrationAccountName: 'Nora Planted' }
    const account = await t.createAccount(definitionId, names)
    const identity = { identity_id: 'Nora Planted 7', identity_label: 'Nora Planted of the East' }
    await changeAccountRow(t.database, account.integrationAccountId as AccountId, identity)
    const body = { tags: { plan: 'pro' } }
    const path = `/v1/integration_account/${account.integrationAccountId}`
    assert.equal(expectOk(await t.call('POST', path, { body })).identity.id, 'Nora Planted 7')
    const deleted = await t.createAccount(definitionId, names)
    const other = await t.createAccount(definitionId, { accountIdentifier: 'customer-erased-10' })
    expectOk(await t.call('DELETE', `/v1/integration_account/${deleted.integrationAccountId}`))
    const receipt = expectOk(await erase(accountIdentifier))
    assert.equal(receipt.status, 'finished')
    const { accounts, tombstones, events } = receipt.erased
    assert.deepEqual([accounts, tombstones], [1, 1])
    assert.equal(events, 4)
    const ids = [account.integrationAccountId, deleted.integrationAccountId]
    for (const id of ids) {
      const tombstone = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
      assert.equal(tombstone.status, 'deleted')
      assert.equal(tombstone.integrationAccountName, '')
      assert.equal(tombstone.accountIdentifier, null)
    }
    const found = await t.call(
      'GET',
      '/v1/integration_account?accountIdentifier=customer-erased-10',
    )
    assert.deepEqual(
      expectOk(found).map((row: typeof other) => row.integrationAccountId),
      [other.integrationAccountId],
    )
    const text = await readAllText(t)
    assert.doesNotMatch(text, /Nora Planted/)
    assert.doesNotMatch(text, /customer-erased-1(?!0)/)
    const history = await t.call('GET', `/v1/integration_account/${ids[0]}/history`)
    assert.deepEqual(
      expectOk(history).map((change: { action: string }) => change.action),
      ['account.deleted'],
    )
    if (t.database.dialect === 'sqlite') {
      const bytes = (await databaseBytes(t)).toString('latin1')
      assert.ok(!bytes.includes('Nora Planted'), `${bytes.indexOf('Nora Planted')} ${bytes.length}`)
      assert.ok(!/customer-erased-1(?!0)/.test(bytes))
    }
  })

  it('POST /v1/erasure: texts of the operator stay unchanged, even those with the identifier', async () => {
    const identifier = 'customer-mentioned'
    const redirectURLs = [`https://app.example/${identifier}/done`]
    const body = { linkName: `For ${identifier}`, redirectURLs }
    expectCreated(await t.call('POST', '/v1/link', { body }))
    const readAllLinks = () => t.database.read.selectFrom('links').selectAll().execute()
    const before = await readAllLinks()
    const { erased } = expectOk(await erase(identifier))
    assert.deepEqual([...new Set(Object.values(erased))], [0])
    assert.deepEqual(await readAllLinks(), before)
  })

  it('POST /v1/erasure: repeated calls return the same receipt, and one that finds more adds to it', async () => {
    const accountIdentifier = 'customer-repeated'
    await t.createAccount(definitionId, { accountIdentifier })
    const receipt = expectOk(await erase(accountIdentifier))
    assert.deepEqual(expectOk(await erase(accountIdentifier)), receipt)
    await t.createAccount(definitionId, { accountIdentifier })
    const later = expectOk(await erase(accountIdentifier))
    assert.equal(later.erasureId, receipt.erasureId)
    assert.equal(later.erased.accounts, 2)
    assert.ok(later.finishedAt > receipt.finishedAt)
  })

  it('POST /v1/erasure: is recorded in the audit trail with a keyed hash, without the identifier', async () => {
    const { erasureId } = expectOk(await erase('customer-audited'))
    assert.deepEqual(await listAuditActions(t, erasureId), [
      'customer.erasure_requested',
      'customer.erased',
    ])
    const rows = await selectAuditEntries(t.database.read)
      .selectAll()
      .where('subject', '=', erasureId)
      .execute()
    assert.doesNotMatch(JSON.stringify(rows), /customer-audited/)
    assert.match(String(rows[0]?.detail), /"customer":"[0-9a-f]{64}"/)
  })

  it('POST /v1/erasure: erases only the workspace that the caller names', async () => {
    const accountIdentifier = 'customer-of-two'
    const second = expectCreated(await t.call('POST', '/v1/workspace', {})).workspaceId
    const definition = await t.createDefinition({ workspaceId: second })
    const kept = await t.createAccount(definition.integrationDefinitionId, {
      accountIdentifier,
      workspaceId: second,
    })
    await t.createAccount(definitionId, { accountIdentifier })
    assert.equal(expectOk(await erase(accountIdentifier)).erased.accounts, 1)
    const path = `/v1/integration_account/${kept.integrationAccountId}`
    assert.equal(expectOk(await t.call('GET', path)).accountIdentifier, accountIdentifier)
    assert.equal(
      expectOk(await erase(accountIdentifier, { workspaceId: second })).erased.accounts,
      1,
    )
  })

  it('POST /v1/erasure: 400 for an empty, missing or overlong identifier and for unknown fields', async () => {
    for (const body of [{}, { accountIdentifier: '' }, { accountIdentifier: 'x'.repeat(256) }])
      expectError(await t.call('POST', '/v1/erasure', { body }), 'validation_failed')
    expectError(await erase('someone', { other: 1 }), 'validation_failed')
  })

  it('POST /v1/erasure: 403 for the workspace of another user', async () => {
    const { workspaceId } = await t.otherUser()
    expectError(await erase('someone', { workspaceId }), 'workspace_not_accessible')
  })

  it('POST /v1/erasure: continues an erasure that a killed process has left', async () => {
    const accountIdentifier = 'customer-interrupted'
    const receipt = expectOk(await erase(accountIdentifier))
    await t.createAccount(definitionId, { accountIdentifier })
    await t.database.transaction((trx) =>
      trx
        .updateTable('erasures')
        .set({ alive_until: Date.now() + 800 })
        .where('erasure_id', '=', receipt.erasureId)
        .execute(),
    )
    const completed = expectOk(await erase(accountIdentifier))
    assert.equal(completed.status, 'finished')
    assert.equal(completed.erased.accounts, 1)
    const abandoned = createErasureStore(t.database)
    assert.equal(await abandoned.claimAbandoned({ now: Date.now(), aliveUntil: 0 }), undefined)
  })

  itRequiresScope(() => t, 'POST', '/v1/erasure', {
    scope: 'accounts:write',
    body: { accountIdentifier: 'someone' },
  })
}
