import assert from 'node:assert/strict'
import { after, afterEach, before, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectCreated, expectOk, readAllText, testContext } from '../../../test/test-context.ts'
import { createCollectedStore } from '../../activity/audit/collected-store.ts'
import { createValidFormValues, defineDesk } from '../../connect/connect-page/test/desk.ts'
import type { PageTestContext } from '../../connect/connect-page/test/page-test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'

describeOnBothDatabases('What is in flight while a customer is erased', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: PageTestContext
  let definitionId: string
  let providerCalled: PromiseWithResolvers<void>
  let providerMayAnswer = Promise.withResolvers<void>()
  before(async () => {
    t = await testContext({ pages: true, url: await newUrl() })
    definitionId = (await defineDesk(t)).definitionId
    t.stubServer.serve('/told', async (_request, response) => {
      providerCalled.resolve()
      await providerMayAnswer.promise
      response.end(JSON.stringify({ status: true }))
    })
  })
  // A request that a failed test leaves pending would keep the service from closing.
  afterEach(() => providerMayAnswer.resolve())
  after(() => t.close())

  const erase = async (accountIdentifier: string) =>
    expectOk(await t.call('POST', '/v1/erasure', { body: { accountIdentifier } }))

  it('a submission of the connect page: no account is stored', async () => {
    providerCalled = Promise.withResolvers()
    providerMayAnswer = Promise.withResolvers()
    const path = await t.link({ integrationDefinitionId: definitionId })
    const visitor = t.visitor()
    const form = await visitor.get(`${path}?accountIdentifier=planted-visitor`)
    const submitted = visitor.submit(form, createValidFormValues(t))
    await providerCalled.promise
    assert.equal((await erase('planted-visitor')).erased.submissions, 1)
    providerMayAnswer.resolve()
    assert.equal((await submitted).getData('data-code'), 'cancelled')
    assert.ok(!(await readAllText(t)).includes('planted-visitor'))
  })

  it('counted requests through the proxy: neither the host nor the address is recorded', async () => {
    const { integrationDefinitionId } = await t.createDefinition()
    const create = async (accountIdentifier: string) =>
      (await t.createAccount(integrationDefinitionId, { accountIdentifier })).integrationAccountId
    const [erased, live] = [await create('planted-proxy'), await create('another')]
    await erase('planted-proxy')
    const counts = [erased, live].map((accountId) => ({
      ...({ workspaceId: t.workspaceId, accountId, userId: 'usr_1', tokenId: 'tok_1' } as const),
      ip: '192.0.2.7',
      hour: 1,
      calls: 2,
      writes: 1,
      hosts: new Set([`${accountId}.example`]),
    }))
    await createCollectedStore(t.database, Date.now).writeProxyUse(counts)
    const rows = await selectAuditEntries(t.database.read)
      .select(['subject', 'ip', 'detail'])
      .where('action', '=', 'proxy.used')
      .execute()
    const entries = new Map(rows.map(({ subject, ip, detail }) => [subject, { ip, detail }]))
    assert.equal(entries.get(erased)?.ip, null)
    assert.deepEqual(JSON.parse(entries.get(erased)?.detail ?? '').hosts, [])
    assert.equal(entries.get(live)?.ip, '192.0.2.7')
    assert.deepEqual(JSON.parse(entries.get(live)?.detail ?? '').hosts, [`${live}.example`])
  })

  it('retries: the responses of idempotency keys are deleted, those of other customers are not', async () => {
    const { integrationDefinitionId } = await t.createDefinition()
    const create = async (path: string, body: object) => {
      const headers = { 'idempotency-key': crypto.randomUUID() }
      return expectCreated(await t.call('POST', path, { body, headers }))
    }
    const account = { integrationDefinitionId, integrationAccountName: 'N', authType: 'Api Key' }
    const config = { api_key: 'key_that_works', base_url: t.stubServer.url }
    const createAccount = async (accountIdentifier: string): Promise<string> => {
      const body = { ...account, config, accountIdentifier }
      return (await create('/v1/integration_account', body)).integrationAccountId
    }
    const session = await create('/v1/connect_session', { accountIdentifier: 'planted-key' })
    const erased = [await createAccount('planted-key'), session.connectSessionId]
    const kept = await createAccount('another')
    await erase('planted-key')
    const rows = await t.database.read.selectFrom('idempotency_keys').select('resource').execute()
    const resources = rows.map(({ resource }) => resource)
    assert.ok(resources.includes(kept))
    assert.deepEqual(
      resources.filter((resource) => erased.includes(resource ?? '')),
      [],
    )
  })
}
