import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import { countRows, expectCreated, expectOk, testContext } from '../../../../test/test-context.ts'
import { selectAuditEntries } from '../../../platform/storage/audit-inbox.ts'
import { createValidFormValues, defineDesk } from '../test/desk.ts'
import { HOST_ORIGIN, type PageTestContext, RETURN_URL } from '../test/page-test-context.ts'
import type { FetchedPage, TestVisitor } from '../test/test-visitor.ts'
import { pressStart } from '../test/test-visitor.ts'

describeOnBothDatabases('The page of a connect session without a link', (newUrl) => {
  let t: PageTestContext
  let desk: Awaited<ReturnType<typeof defineDesk>>
  before(async () => {
    t = await testContext({ pages: true, url: await newUrl() })
    await defineDesk(t, { name: 'Second Desk' })
    desk = await defineDesk(t)
  })
  after(() => t.close())

  const create = async (accountIdentifier: string, body: AnyBody = {}) =>
    expectCreated(
      await t.call('POST', '/v1/connect_session', { body: { accountIdentifier, ...body } }),
    )
  const open = async (visitor: TestVisitor, { url }: AnyBody): Promise<FetchedPage> => {
    const pressed = await pressStart(visitor, url)
    assert.equal(pressed.status, 303, pressed.text)
    return visitor.get(pressed.location ?? '')
  }
  const openDesk = async (visitor: TestVisitor, accountIdentifier: string, body: AnyBody = {}) => {
    const integrationDefinitionIds = [desk.definitionId]
    const session = await create(accountIdentifier, { integrationDefinitionIds, ...body })
    return { session, form: await open(visitor, session) }
  }
  const setWorkspace = async (body: AnyBody) =>
    expectOk(await t.call('POST', `/v1/workspace/${t.workspaceId}`, { body }))

  it('offers all tools of the workspace, or those that the session names', async () => {
    const all = await open(t.visitor(), await create('customer-1'))
    assert.equal(all.state, 'picker')
    for (const name of ['Desk', 'Second Desk']) assert.ok(all.plain.includes(name), name)
    const few = await open(t.visitor(), await create('customer-1', { category: ['OTHER'] }))
    assert.equal(few.state, 'pickerEmpty')
    const { form } = await openDesk(t.visitor(), 'customer-1')
    assert.equal(form.state, 'form')
    const other = new URL(form.url)
    other.searchParams.set('integration', 'second-desk')
    assert.doesNotMatch((await t.visitor().get(other.href)).plain, /Second Desk/)
  })

  it('ends when the workspace no longer lists its redirect URL; its frame, when the origin', async () => {
    const visitor = t.visitor()
    const { form, session } = await openDesk(visitor, 'customer-2', { redirectURL: RETURN_URL })
    const frameUrl = session.url.replace('/connect/', '/connect/frame/')
    const readOrigins = async () => {
      const frame = await t.visitor().get(frameUrl, { 'sec-fetch-dest': 'iframe' })
      return /frame-ancestors ([^;]*)/.exec(frame.headers.get('content-security-policy') ?? '')?.[1]
    }
    assert.equal(await readOrigins(), HOST_ORIGIN)
    await setWorkspace({ allowedRedirectURLs: [], allowedFrameOrigins: [] })
    assert.notEqual(await readOrigins(), HOST_ORIGIN)
    assert.equal((await visitor.get(form.url)).status, 410)
    assert.equal((await visitor.submit(form, createValidFormValues(t))).status, 410)
    await setWorkspace({ allowedRedirectURLs: [RETURN_URL], allowedFrameOrigins: [HOST_ORIGIN] })
    assert.equal((await visitor.get(form.url)).state, 'form')
  })

  it('has attempts, events and audit entries that name the session and no link', async () => {
    const visitor = t.visitor()
    const { form, session } = await openDesk(visitor, 'customer-3')
    desk.setCheckResponse({ status: false, error: 'no' })
    const refused = await visitor.submit(form, createValidFormValues(t))
    assert.equal(refused.state, 'failed')
    desk.setCheckResponse({ status: true })
    const sent = await visitor.submit(refused, createValidFormValues(t))
    const done = await visitor.get(sent.location ?? '')
    assert.equal(done.state, 'connected')
    const { connectSessionId } = session
    const attempts = expectOk(
      await t.call('GET', `/v1/attempt?connectSessionId=${connectSessionId}`),
    )
    assert.deepEqual(
      attempts.map((a: AnyBody) => [a.outcome, a.code, a.via, a.linkId, a.connectSessionId]),
      [
        ['connected', null, 'connect_session', null, connectSessionId],
        ['failed', 'credentials_rejected', 'connect_session', null, connectSessionId],
      ],
    )
    const rows = await t.database.read
      .selectFrom('events')
      .select(['type', 'subject', 'data'])
      .where('account_identifier', '=', 'customer-3')
      .orderBy('position')
      .execute()
    assert.deepEqual(
      rows.map(({ type }) => type),
      [
        'connect_session.created',
        'connect_session.opened',
        'connect.failed',
        'account.created',
        'connect_session.completed',
      ],
    )
    const failed = rows[2]
    const data = JSON.parse(failed?.data ?? '{}')
    assert.deepEqual(
      [failed?.subject, data.linkId, data.connectSessionId],
      [connectSessionId, null, connectSessionId],
    )
    const audit = await selectAuditEntries(t.database.read)
      .select(['actor_kind', 'via'])
      .where('subject', '=', connectSessionId)
      .where('action', '=', 'connect_session.opened')
      .execute()
    assert.deepEqual(
      audit.map((entry) => [entry.actor_kind, entry.via]),
      [['person', 'page']],
    )
    // The script's request for the state of the submission.
    const attemptId = new URL(sent.location ?? '').searchParams.get('attempt')
    const path = `/connect/${connectSessionId}/attempts/${attemptId}`
    const state = await visitor.get(path)
    assert.equal(JSON.parse(state.text).state, 'connected', state.text)
    assert.equal((await t.visitor().get(path)).status, 404)
  })

  it('is exported with its customer and erased with it; other customers keep theirs', async () => {
    const visitors = [t.visitor(), t.visitor()]
    const sessions = []
    for (const [index, identifier] of ['erased-customer', 'kept-customer'].entries()) {
      const visitor = visitors[index] ?? t.visitor()
      const { form, session } = await openDesk(visitor, identifier)
      await visitor.submit(form, createValidFormValues(t))
      sessions.push(session)
    }
    const body = { accountIdentifier: 'erased-customer' }
    const { text } = await t.call('GET', `/v1/export?accountIdentifier=${body.accountIdentifier}`)
    const [erased, kept] = sessions
    assert.ok(text.includes(erased.connectSessionId))
    assert.ok(!text.includes(kept.connectSessionId))
    expectOk(await t.call('POST', '/v1/erasure', { body }))
    const read = ({ connectSessionId }: AnyBody) =>
      t.call('GET', `/v1/connect_session/${connectSessionId}`)
    assert.equal((await read(erased)).body.error, 'connect_session_not_found')
    assert.equal(expectOk(await read(kept)).status, 'completed')
    for (const [index, status] of [410, 303].entries())
      assert.equal((await visitors[index]?.get(sessions[index].url))?.status, status)
    const submissions = await t.database.read
      .selectFrom('submissions')
      .select('connect_session_id')
      .where('link_id', 'is', null)
      .execute()
    const ids = submissions.map((row) => row.connect_session_id)
    assert.ok(ids.includes(kept.connectSessionId))
    assert.ok(!ids.includes(erased.connectSessionId))
  })

  it('adds accounts beyond the limits of a full link of the same workspace', async () => {
    const body = { linkName: 'full', integrationDefinitionId: desk.definitionId, maxAccounts: 1 }
    const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body }))
    for (const policy of [{ linkId }, {}, {}]) {
      const visitor = t.visitor()
      const { form } = await openDesk(visitor, 'customer-4', policy)
      assert.equal((await visitor.submit(form, createValidFormValues(t))).status, 303)
    }
    const { form } = await openDesk(t.visitor(), 'customer-4', { linkId })
    assert.equal(form.state, 'full', 'the control')
    const { counters } = expectOk(await t.call('GET', `/v1/link/${linkId}`))
    assert.ok(counters.successes <= 1)
    const accounts = expectOk(
      await t.call('GET', '/v1/integration_account?accountIdentifier=customer-4'),
    )
    assert.deepEqual(
      accounts.map((account: AnyBody) => account.linkId),
      [linkId, null, null],
    )
  })

  it('is deleted with its workspace, as are its submissions', async () => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', { body: {} }))
    const session = await create('customer-5', { workspaceId })
    assert.equal(session.workspaceId, workspaceId)
    assert.equal((await t.visitor().get(session.url)).state, 'sessionStart')
    const before = await countRows(t, 'connect_sessions')
    expectOk(await t.call('DELETE', `/v1/workspace/${workspaceId}`))
    assert.equal((await t.visitor().get(session.url)).status, 410)
    assert.ok((await countRows(t, 'connect_sessions')) <= before)
  })
})
