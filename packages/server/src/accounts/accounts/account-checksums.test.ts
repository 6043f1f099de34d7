import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectError, expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import type { AccountRow } from '../../platform/storage/tables.ts'
import { createRowChanger, type RowChanger } from '../../platform/storage/test/changed-rows.ts'
import { isAccountDamaged } from './account-damage-store.ts'
import { SCHEMAS } from './account-response-store.ts'
import { RESPONSE_SCHEMA } from './schemas/account.ts'

const CHANGES: readonly Partial<AccountRow>[] = [
  { name: 'other' },
  { auth_type: 'OAuth2' },
  { account_identifier: 'other' },
  { public_config: '{"base_url":"https://evil.example"}' },
  { status: 'needs_reauth' },
  { tags: '{"a":"b"}' },
  { created_at: 1 },
]

describeOnBothDatabases('An account that has changed on the disk', (newUrl) => {
  let t: TestContext
  let rows: RowChanger
  const ids: AccountRow['account_id'][] = []
  before(async () => {
    t = await testContext({ url: await newUrl() })
    rows = createRowChanger(t.database)
    const { integrationDefinitionId } = await t.createDefinition()
    for (const name of ['plain', 'Zoë 🜁', 'last']) {
      const body = { integrationAccountName: name, accountIdentifier: name }
      ids.push(
        (await t.createAccount(integrationDefinitionId, body))
          .integrationAccountId as AccountRow['account_id'],
      )
    }
  })
  after(() => t.close())

  const find = (id: string) => rows.find('accounts', 'account_id', id)
  const update = (id: string, change: Partial<AccountRow>) =>
    rows.update('accounts', 'account_id', id, change)
  /** Without other columns, whose update would clear the response. */
  const restore = ({ account_id, response_json, response_schema }: AccountRow) =>
    update(account_id, { response_json, response_schema })
  const get = (id: string) => t.call('GET', `/v1/integration_account/${id}`)
  const list = () => t.call('GET', `/v1/integration_account?workspaceId=${t.workspaceId}`)

  async function expectRefused(request: Promise<{ status: number }>, id: string): Promise<void> {
    const from = t.logs.length
    expectError((await request) as never, 'storage_unavailable')
    assert.match(t.logs.slice(from).join(''), new RegExp(`accounts/${id} is damaged`))
  }

  it('a changed response is refused with 503 alone and in lists, and named in the log', async () => {
    const all = expectOk(await list())
    for (const id of ids) {
      const row = await find(id)
      const json = row.response_json ?? ''
      for (const change of [
        { response_json: json.replace('"active"', '"abtive"') },
        { response_json: `${json} ` },
        { response_schema: (row.response_schema ?? 0) + 16 },
        { response_schema: (row.response_schema ?? 0) + 2 ** 36 },
      ]) {
        await update(id, change)
        await expectRefused(get(id), id)
        assert.equal((await list()).status, 503)
        await restore(row)
      }
      // Larger than the numbers of JavaScript, which node:sqlite refuses to return. It is no current version either: where it is
      // not read, the columns are served.
      await update(id, { response_schema: 2 ** 62 })
      for (const { status } of [await get(id), await list()])
        assert.ok(status === 503 || status === 200, String(status))
      await restore(row)
      await update(id, { response_json: json.replace('active', 'abtive') })
      await expectRefused(list(), id)
      await restore(row)
    }
    assert.deepEqual(expectOk(await list()), all)
  })

  it('a response that belongs to another account is refused', async () => {
    const [id = '', other = ''] = ids
    const [row, { response_json, response_schema }] = [await find(id), await find(other)]
    await update(id, { response_json, response_schema })
    await expectRefused(get(id), id)
    await restore(row)
  })

  it('a response without a checksum, as earlier versions store it, is used beside others', async () => {
    const [first = '', second = '', last = ''] = ids
    const saved = await Promise.all(ids.map(find))
    const all = expectOk(await list())
    await update(second, { response_schema: RESPONSE_SCHEMA })
    assert.deepEqual(expectOk(await list()), all)
    const { response_json: json } = await find(last)
    await update(last, { response_json: json?.replace('last', 'lost') ?? null })
    await expectRefused(list(), last)
    for (const id of [first, last]) await update(id, { response_schema: RESPONSE_SCHEMA })
    assert.equal(expectOk(await list())[2].integrationAccountName, 'lost')
    for (const row of saved) await restore(row)
  })

  it('has a version in the part of response_schema that is for it', () => {
    assert.ok(RESPONSE_SCHEMA < SCHEMAS)
  })

  it('doctor finds it in the response, and in a column that differs from it', async () => {
    const [id = ''] = ids
    const row = await find(id)
    assert.equal(isAccountDamaged(row), false)
    const changes = [...CHANGES, { response_json: `${row.response_json} ` }, { tags: 'no JSON' }]
    for (const change of changes) assert.equal(isAccountDamaged({ ...row, ...change }), true)
    assert.equal(isAccountDamaged({ ...row, response_schema: null }), false)
  })
})
