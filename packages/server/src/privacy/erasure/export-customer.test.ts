import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectError, expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'

describeOnBothDatabases('GET /v1/export', defineTests)

interface ExportLine {
  readonly type: string
  readonly [key: string]: unknown
}

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let definitionId: string
  before(async () => {
    t = await testContext({ url: await newUrl() })
    definitionId = (await t.createDefinition()).integrationDefinitionId
  })
  after(() => t.close())

  const request = (accountIdentifier: string, token = t.token) =>
    t.call('GET', `/v1/export?accountIdentifier=${accountIdentifier}`, { token })
  const exportLines = async (accountIdentifier: string): Promise<ExportLine[]> => {
    const response = await request(accountIdentifier)
    assert.equal(response.status, 200, response.text)
    return response.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const waitForNumbers = async () => {
    const findUnnumbered = () =>
      t.database.read
        .selectFrom('events')
        .select('event_id')
        .where('sequence', 'is', null)
        .execute()
    while ((await findUnnumbered()).length > 0) await sleep(10)
  }

  it('GET /v1/export: 200 with accounts, tombstones, history, events and audit entries, without secrets', async () => {
    const accountIdentifier = 'export-me'
    const config = { api_key: 'secret-to-hide', base_url: t.stubServer.url }
    const live = await t.createAccount(definitionId, { accountIdentifier, config })
    const deleted = await t.createAccount(definitionId, { accountIdentifier })
    await t.createAccount(definitionId, { accountIdentifier: 'export-me-not' })
    expectOk(await t.call('DELETE', `/v1/integration_account/${deleted.integrationAccountId}`))
    await waitForNumbers()
    const lines = await exportLines(accountIdentifier)
    assert.equal(lines[0]?.type, 'linchpin-customer-export')
    assert.deepEqual(lines.at(-1), { type: 'end', count: lines.length - 2 })
    const ofType = (type: string) => lines.filter((line) => line.type === type)
    assert.deepEqual(
      ofType('account').map((line) => (line.account as typeof live).integrationAccountId),
      [live.integrationAccountId, deleted.integrationAccountId],
    )
    assert.deepEqual((ofType('account')[0] as ExportLine).account, live)
    assert.equal(ofType('accountChange').length, 3)
    assert.equal(ofType('event').length, 3)
    assert.equal(ofType('auditEvent').length, 3)
    const text = JSON.stringify(lines)
    assert.doesNotMatch(text, /secret-to-hide/)
    assert.doesNotMatch(text, /export-me-not/)
  })

  it('GET /v1/export: reads more accounts than one page has, each once', async () => {
    const accountIdentifier = 'export-many'
    const account = await t.createAccount(definitionId, { accountIdentifier })
    await t.database.transaction(async (trx) => {
      const row = await trx
        .selectFrom('accounts')
        .selectAll()
        .where('account_id', '=', account.integrationAccountId)
        .executeTakeFirstOrThrow()
      for (let index = 0; index < 250; index += 1)
        await trx
          .insertInto('accounts')
          .values({
            ...row,
            account_id: `acc_many_${index}`,
            deleted_at: index % 2 === 0 ? null : Date.now(),
          })
          .execute()
    })
    const accounts = (await exportLines(accountIdentifier)).filter(({ type }) => type === 'account')
    const ids = accounts.map((line) => (line.account as typeof account).integrationAccountId)
    assert.equal(new Set(ids).size, 251)
    assert.equal(ids.length, 251)
  })

  it('GET /v1/export: nothing but its first and last line for an unknown customer; after an erasure, too', async () => {
    assert.equal((await exportLines('no-such-customer')).length, 2)
    const accountIdentifier = 'export-erased'
    await t.createAccount(definitionId, { accountIdentifier })
    assert.ok((await exportLines(accountIdentifier)).length > 2)
    expectOk(await t.call('POST', '/v1/erasure', { body: { accountIdentifier } }))
    assert.equal((await exportLines(accountIdentifier)).length, 2)
  })

  it('GET /v1/export: has entries of the audit trail, with addresses and tokens, only for a token with audit:read', async () => {
    const accountIdentifier = 'export-audit'
    await t.createAccount(definitionId, { accountIdentifier })
    const readWith = async (scopes: readonly string[]) => {
      const token = await t.createToken({ scopes })
      const { status, text } = await request(accountIdentifier, token)
      assert.equal(status, 200, text)
      return text
    }
    const without = await readWith(['read'])
    assert.doesNotMatch(without, /auditEvent"|"ip"|"tokenId"|aud_|tok_/)
    assert.match(without, /"includesAuditEvents":false/)
    const all = await readWith(['read', 'audit:read'])
    assert.match(all, /"type":"auditEvent".*"tokenId":"tok_/)
    assert.match(all, /"includesAuditEvents":true/)
  })

  it('GET /v1/export: is recorded in the audit trail without the identifier', async () => {
    await exportLines('export-audited')
    const row = await selectAuditEntries(t.database.read)
      .selectAll()
      .where('action', '=', 'customer.exported')
      .orderBy('event_id', 'desc')
      .executeTakeFirstOrThrow()
    assert.match(row.detail, /"customer":"[0-9a-f]{64}"/)
    assert.doesNotMatch(JSON.stringify(row), /export-audited/)
  })

  it('GET /v1/export: 400 without an identifier and for unknown parameters', async () => {
    expectError(await t.call('GET', '/v1/export'), 'invalid_parameter')
    expectError(await t.call('GET', '/v1/export?accountIdentifier='), 'invalid_parameter')
    expectError(await request('a&other=1'), 'invalid_parameter')
  })

  it('GET /v1/export: 403 for the workspace of another user', async () => {
    const { workspaceId } = await t.otherUser()
    expectError(await request(`a&workspaceId=${workspaceId}`), 'workspace_not_accessible')
  })

  itRequiresScope(() => t, 'GET', '/v1/export?accountIdentifier=a', { scope: 'read' })
}
