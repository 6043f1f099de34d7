import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import { expectCreated, expectOk, testContext } from '../../../../test/test-context.ts'
import { selectAuditEntries } from '../../../platform/storage/audit-inbox.ts'
import { createValidFormValues, defineDesk } from '../test/desk.ts'
import type { PageTestContext } from '../test/page-test-context.ts'
import { pressStart } from '../test/test-visitor.ts'

describeOnBothDatabases('Refused credentials have the code credentials_rejected', (newUrl) => {
  let t: PageTestContext
  let integrationDefinitionId: string
  before(async () => {
    t = await testContext({ pages: true, url: await newUrl() })
    const desk = await defineDesk(t)
    integrationDefinitionId = desk.definitionId
    desk.setCheckResponse({ status: false, error: 'no', code: 'invalid_credentials' })
  })
  after(() => t.close())

  const list = async (path: string): Promise<AnyBody[]> => expectOk(await t.call('GET', path))

  it('on the page, in its session, in the event, the audit trail, the list of attempts and the log', async () => {
    const body = { integrationDefinitionIds: [integrationDefinitionId] }
    const session = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
    const visitor = t.visitor()
    const pressed = await pressStart(visitor, session.url)
    const form = await visitor.get(pressed.location ?? '')
    const logged = t.logs.length
    const refused = await visitor.submit(form, createValidFormValues(t))
    assert.equal(refused.getData('data-code'), 'credentials_rejected')
    const path = `/v1/connect_session/${session.connectSessionId}`
    assert.equal(expectOk(await t.call('GET', path)).lastError.code, 'credentials_rejected')
    const [event] = await list('/v1/event?types=connect.failed&wait=5')
    assert.equal(event?.data.code, 'credentials_rejected')
    const entry = await selectAuditEntries(t.database.read)
      .select(['detail', 'outcome'])
      .where('action', '=', 'connect.failed')
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      [JSON.parse(entry.detail), entry.outcome],
      [{ code: 'credentials_rejected' }, 'refused'],
    )
    const [attempt] = await list('/v1/attempt?')
    assert.deepEqual([attempt?.outcome, attempt?.code], ['failed', 'credentials_rejected'])
    const log = t.logs.slice(logged).join('')
    assert.match(log, /"error":"credentials_rejected"/)
    assert.doesNotMatch(
      refused.text + log + JSON.stringify([event, attempt]),
      /invalid_credentials/,
    )
  })

  it('in the answers of Check credentials and of Create integration account', async () => {
    const config = { api_key: 'desk_live_canary_0123', base_url: t.stubServer.url, mode: 'told' }
    const body = { integrationDefinitionId, authType: 'Api Key', config }
    const check = await t.call('POST', '/v1/integration_account/check', { body })
    assert.deepEqual(expectOk(check), { status: false, error: 'no', code: 'credentials_rejected' })
    const named = { ...body, integrationAccountName: 'Desk' }
    const created = await t.call('POST', '/v1/integration_account', { body: named })
    assert.deepEqual([created.status, created.body.error], [400, 'credentials_rejected'])
  })

  it('in attempts of earlier versions, which both names find', async () => {
    await t.database.transaction((trx) =>
      trx
        .updateTable('connect_attempts')
        .set({ code: 'invalid_credentials' })
        .where('connect_session_id', 'is not', null)
        .execute(),
    )
    const [current, earlier] = await Promise.all([
      list('/v1/attempt?code=credentials_rejected'),
      list('/v1/attempt?code=invalid_credentials'),
    ])
    assert.deepEqual(current, earlier)
    assert.ok(current.length >= 2)
    for (const { code } of current) assert.equal(code, 'credentials_rejected')
    assert.deepEqual(await list('/v1/attempt?code=wrong_host'), [])
  })
})
