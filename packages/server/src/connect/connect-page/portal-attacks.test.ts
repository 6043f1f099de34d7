import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectCreated, expectOk, testContext } from '../../../test/test-context.ts'
import { createValidFormValues, DESK_SPEC, defineDesk } from './test/desk.ts'
import type { PageTestContext } from './test/page-test-context.ts'
import { extractForm, type FetchedPage, pressStart, type TestVisitor } from './test/test-visitor.ts'

/** How a portal is limited to the first of two tools. */
type Limit = (t: PageTestContext, tool: AnyBody) => Promise<AnyBody>

const LIMITS: Readonly<Record<string, Limit>> = {
  'the definitions of its session': async (_t, tool) => ({
    integrationDefinitionIds: [tool.integrationDefinitionId],
  }),
  'the categories of its session': async () => ({ category: [{ key: 'crm', name: 'CRM' }] }),
  'the definition of its link': (t, tool) =>
    createLink(t, { integrationDefinitionId: tool.integrationDefinitionId }),
  'the categories of its link': (t) => createLink(t, { category: [{ key: 'crm', name: 'CRM' }] }),
}

async function createLink(t: PageTestContext, body: AnyBody): Promise<AnyBody> {
  const link = await t.call('POST', '/v1/link', { body: { linkName: 'a', ...body } })
  return { linkId: expectCreated(link).linkId }
}

const describeAttacks = (limit: Limit) => (newUrl: NewDatabaseUrl) => {
  let t: PageTestContext
  let restriction: AnyBody
  let tool: AnyBody
  let other: AnyBody
  before(async () => {
    t = await testContext({ pages: true, url: await newUrl() })
    tool = await define('Allowed desk', 'crm')
    other = await define('Other desk', 'ticketing')
    restriction = await limit(t, tool)
  })
  after(() => t.close())

  const define = async (name: string, key: string): Promise<AnyBody> => {
    const { definitionId: integrationDefinitionId } = await defineDesk(t, {
      name,
      integrationType: { key, name: key.toUpperCase() },
    })
    return { integrationDefinitionId }
  }
  const createAccount = async (
    { integrationDefinitionId }: AnyBody,
    accountIdentifier = 'customer-1',
    token = t.token,
  ): Promise<string> => {
    const body = {
      integrationDefinitionId,
      accountIdentifier,
      authType: 'Api Key',
      integrationAccountName: 'Desk',
      config: { api_key: 'desk_live_canary_0123', base_url: t.stubServer.url, mode: 'told' },
    }
    const created = await t.call('POST', '/v1/integration_account', { body, token })
    return expectCreated(created).integrationAccountId
  }
  const openPortal = async (visitor: TestVisitor): Promise<FetchedPage> => {
    const body = { mode: 'manage', accountIdentifier: 'customer-1', ...restriction }
    const session = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
    const pressed = await pressStart(visitor, session.url)
    return visitor.get(pressed.location ?? '')
  }
  const readRow = (id: string) =>
    t.database.read
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', id as 'acc_')
      .executeTakeFirstOrThrow()
  /** Tries everything that the pages of a portal offer, with the ID of another account. */
  const attack = async (visitor: TestVisitor, portal: FetchedPage, own: string, target: string) => {
    const form = await visitor.get(`${portal.url}?reconnect=${own}`)
    assert.equal(form.state, 'form', form.text)
    const { action, fields } = extractForm(form)
    const values = { ...fields, ...createValidFormValues(t) }
    const ask = await visitor.get(`${portal.url}?disconnect=${own}`)
    const query = `reconnect=${target}`
    const refused = [
      await visitor.get(`${portal.url}?${query}`),
      await visitor.get(`${portal.url}?${query}&view=connect`),
      await visitor.get(`${portal.url}?${query}&integration=other_desk&auth=Api+Key`),
      await visitor.post(action.replace(own, target), values),
      await visitor.post(action.replace(own, target).replace('allowed', 'other'), values),
      await visitor.post(action.replace('/connect?', '/sign-in?').replace(own, target), values),
      await visitor.post(action.replace(/&?reconnect=\w+/, ''), { ...values, reconnect: target }),
    ]
    for (const page of refused) assert.equal(page.status, 410, `${page.url} ${page.state}`)
    const gone = [
      await visitor.get(`${portal.url}?disconnect=${target}`),
      await visitor.submit(ask, { account: target }),
    ]
    for (const page of gone) assert.deepEqual([page.status, page.state], [404, 'disconnectGone'])
  }

  it('acts on no account of another tool, customer or workspace, and on no deleted one', async () => {
    const own = await createAccount(tool)
    const deleted = await createAccount(tool)
    expectOk(await t.call('DELETE', `/v1/integration_account/${deleted}`))
    const otherUser = await t.otherUser()
    const definition = await t.createDefinition({
      name: 'Allowed desk',
      code: createMiniBundle(DESK_SPEC),
      integrationType: { key: 'crm', name: 'CRM' },
      token: otherUser.token,
    })
    const targets = [
      await createAccount(other),
      await createAccount(tool, 'customer-2'),
      await createAccount(definition, 'customer-1', otherUser.token),
      deleted,
      'acc_none',
    ]
    const read = () => Promise.all(targets.slice(0, -1).map(readRow))
    const before = await read()
    for (const target of targets) {
      const visitor = t.visitor()
      await attack(visitor, await openPortal(visitor), own, target)
    }
    assert.deepEqual(await read(), before)
    assert.equal((await readRow(own)).status, 'active')
  })

  it('acts on no account that has left it since its page was opened', async () => {
    const id = await createAccount(tool)
    const visitor = t.visitor()
    const portal = await openPortal(visitor)
    const form = await visitor.get(`${portal.url}?reconnect=${id}`)
    const ask = await visitor.get(`${portal.url}?disconnect=${id}`)
    const pathname = new URL(portal.url).pathname
    await narrow(pathname.split('/').at(-1) ?? '')
    const before = await readRow(id)
    assert.equal((await visitor.submit(form, createValidFormValues(t))).status, 410)
    assert.equal((await visitor.submit(ask)).state, 'disconnectGone')
    assert.deepEqual(await readRow(id), before)
  })
  /** No operation does this; an account leaves a portal when its tool gets another category. */
  const narrow = (id: string) =>
    t.database.transaction((trx) =>
      trx
        .updateTable('connect_sessions')
        .set({ definition_ids: JSON.stringify([other.integrationDefinitionId]) })
        .where('connect_session_id', '=', id as 'cns_')
        .execute(),
    )
}

for (const [name, limit] of Object.entries(LIMITS))
  describeOnBothDatabases(`A portal that is limited by ${name}`, describeAttacks(limit))
