import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../../test/any-body.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { countRows, expectCreated, expectOk, testContext } from '../../../../test/test-context.ts'
import { selectAuditEntries } from '../../../platform/storage/audit-inbox.ts'
import { newId } from '../../../platform/storage/id.ts'
import { createValidFormValues, defineDesk } from '../test/desk.ts'
import type { PageTestContext } from '../test/page-test-context.ts'
import {
  extractForm,
  type FetchedPage,
  pressStart,
  type TestVisitor,
} from '../test/test-visitor.ts'

const describeReconnect = (hasLink: boolean) => (newUrl: NewDatabaseUrl) => {
  let t: PageTestContext
  let desk: Awaited<ReturnType<typeof defineDesk>>
  let linkId: string
  before(async () => {
    t = await testContext({ pages: true, url: await newUrl() })
    desk = await defineDesk(t)
    linkId = expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' } })).linkId
  })
  after(() => t.close())

  const policy = () => (hasLink ? { linkId } : {})
  const post = (body: AnyBody, options = {}) =>
    t.call('POST', '/v1/connect_session', { body: { ...policy(), ...body }, ...options })
  const connect = async (accountIdentifier = 'customer-1'): Promise<string> => {
    const visitor = t.visitor()
    const form = await open(visitor, expectCreated(await post({ accountIdentifier })))
    const sent = await visitor.submit(form, createValidFormValues(t))
    const done = await visitor.get(sent.location ?? '')
    return JSON.parse(done.getData('data-account') ?? '').integrationAccountId
  }
  const create = async (integrationAccountId: string, body: AnyBody = {}) =>
    expectCreated(await post({ integrationAccountId, ...body }))
  const open = async (visitor: TestVisitor, { url }: AnyBody): Promise<FetchedPage> => {
    const pressed = await pressStart(visitor, url)
    assert.equal(pressed.status, 303, pressed.text)
    return visitor.get(pressed.location ?? '')
  }
  const readRow = (id: string) =>
    t.database.read
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', id as `acc_${string}`)
      .executeTakeFirstOrThrow()

  it('replaces the credentials of that account, once, and adds none', async () => {
    const id = await connect()
    await t.call('POST', `/v1/integration_account/${id}`, {
      body: { integrationAccountName: 'Support <Ltd>' },
    })
    const before = [await countRows(t, 'accounts'), (await readRow(id)).credential_version]
    const session = await create(id)
    assert.equal(session.accountIdentifier, 'customer-1')
    assert.equal(Date.parse(session.expiresAt) - Date.parse(session.createdAt), 604_800_000)
    const visitor = t.visitor()
    const form = await open(visitor, session)
    assert.match(form.plain, /Reconnect .*Desk/)
    assert.ok(form.plain.includes('Support <Ltd>'), form.plain)
    const values = { ...createValidFormValues(t), 'field.api_key': 'desk_live_second_0456' }
    const sent = await visitor.submit(form, values)
    assert.equal((await visitor.get(sent.location ?? '')).state, 'connected', sent.text)
    const account = expectOk(await t.call('GET', `/v1/integration_account/${id}/credentials`))
    assert.equal(account.config.api_key, 'desk_live_second_0456')
    const row = await readRow(id)
    assert.equal(row.name, 'Support <Ltd>')
    assert.deepEqual(
      [await countRows(t, 'accounts'), row.credential_version],
      [before[0], Number(before[1]) + 1],
    )
    const path = `/v1/connect_session/${session.connectSessionId}`
    const { status, integrationAccountIds, integrationAccountId } = expectOk(
      await t.call('GET', path),
    )
    assert.deepEqual([status, integrationAccountIds, integrationAccountId], ['completed', [id], id])
    const audit = await selectAuditEntries(t.database.read)
      .select(['actor_kind', 'via'])
      .where('action', '=', 'account.reconnected')
      .executeTakeFirstOrThrow()
    assert.deepEqual([audit.actor_kind, audit.via], ['person', 'page'])
    const events = await t.database.read
      .selectFrom('events')
      .select('type')
      .where('subject', '=', id as `acc_${string}`)
      .execute()
    assert.equal(events.filter(({ type }) => type === 'account.reconnected').length, 1)
    // A second click, and a replay with a new ID.
    assert.equal((await visitor.submit(form, values)).state, 'alreadyFinished')
    const { action, fields } = extractForm(form)
    const replayed = { ...fields, ...values, attempt: 'A'.repeat(22) }
    assert.equal((await visitor.post(action, replayed)).status, 410)
    assert.equal((await readRow(id)).credential_version, row.credential_version)
  })

  it('shows the stored values that are not secret, only to its browser; a secret is always entered again', async () => {
    const id = await connect('customer-3')
    const session = await create(id)
    const visitor = t.visitor()
    const start = await visitor.get(session.url)
    const form = await open(visitor, session)
    const { fields } = extractForm(form)
    assert.equal(fields['field.base_url'], t.stubServer.url)
    assert.equal(fields['field.api_key'], '')
    assert.match(form.plain, /<details class="stored">.*Change.*<\/details>/s)
    assert.match(form.plain, /<button[^>]*><span>Reconnect<\/span>/)
    for (const page of [start, await t.visitor().get(session.url), await t.visitor().get(form.url)])
      assert.ok(!page.plain.includes(t.stubServer.url), page.url)
    assert.doesNotMatch(form.plain, /desk_live_canary/)
    const moved = await visitor.submit(form, { 'field.base_url': 'https://elsewhere.example' })
    assert.deepEqual([moved.status, moved.state], [422, 'failed'], 'the key is required')
    assert.equal((await readRow(id)).credential_version, 1)
    assert.match(moved.plain, /value="https:\/\/elsewhere\.example"/)
    const sent = await visitor.submit(moved, createValidFormValues(t))
    assert.equal(sent.status, 303, sent.text)
    assert.equal((await readRow(id)).credential_version, 2)
  })

  it('makes a broken account active, and leaves it as it was when the credentials are refused', async () => {
    const id = await connect()
    await t.database.transaction((trx) =>
      trx
        .updateTable('accounts')
        .set({ status: 'needs_reauth', status_reason: 'invalid_grant' })
        .where('account_id', '=', id as `acc_${string}`)
        .execute(),
    )
    const visitor = t.visitor()
    const form = await open(visitor, await create(id))
    desk.setCheckResponse({ status: false, error: 'no' })
    const refused = await visitor.submit(form, createValidFormValues(t))
    assert.equal(refused.state, 'failed')
    assert.equal((await readRow(id)).status, 'needs_reauth')
    desk.setCheckResponse({ status: true })
    await visitor.submit(refused, createValidFormValues(t))
    assert.equal((await readRow(id)).status, 'active')
  })

  it('POST: 400 for accounts of others, all alike; 403 without accounts:reconnect', async () => {
    const id = await connect()
    const deleted = await connect()
    expectOk(await t.call('DELETE', `/v1/integration_account/${deleted}`))
    const answers = new Set<string>()
    for (const body of [
      { integrationAccountId: newId('acc', Date.now()) },
      { integrationAccountId: deleted },
      { integrationAccountId: id, accountIdentifier: 'customer-2' },
    ]) {
      const { status, body: answer } = await post(body)
      answers.add(JSON.stringify([status, answer.error, answer.errors]))
    }
    assert.equal(answers.size, 1, [...answers].join('\n'))
    assert.match([...answers].join(), /400,"unknown_reference"/)
    for (const name of [{ maxAccounts: 2 }, { category: [] }, { tags: {} }, { mode: 'manage' }]) {
      const body = { integrationAccountId: id, accountIdentifier: 'customer-1', ...name }
      assert.equal((await post(body)).body.error, 'validation_failed')
    }
    const token = await t.createToken({ scopes: ['read', 'links:write'] })
    const { body } = await post({ integrationAccountId: id }, { token })
    assert.equal(body.error, 'insufficient_scope')
    const support = await t.createToken({ scopes: ['links:write', 'accounts:reconnect'] })
    expectCreated(await post({ integrationAccountId: id }, { token: support }))
    const managed = { mode: 'manage', accountIdentifier: 'customer-1' }
    assert.equal((await post(managed, { token: support })).body.error, 'insufficient_scope')
  })

  it('refuses another account, a deleted one, and a session that was revoked', async () => {
    const id = await connect()
    const foreign = await connect('customer-2')
    const values = createValidFormValues(t)
    const manage = { mode: 'manage', accountIdentifier: 'customer-1' }
    const versions = async () => [
      (await readRow(id)).credential_version,
      (await readRow(foreign)).credential_version,
    ]
    const before = await versions()
    const bodies = new Set<string>()
    const refuse = (page: FetchedPage) => {
      assert.equal(page.status, 410, page.text)
      bodies.add(page.text.replaceAll(/nonce="[^"]*"/g, ''))
    }
    for (const name of ['reconnect', 'integrationAccountId']) {
      const visitor = t.visitor()
      const form = await open(visitor, await create(id))
      const { action, fields } = extractForm(form)
      refuse(await visitor.get(`${form.url}?${name}=${foreign}`))
      refuse(await visitor.post(`${action}&${name}=${foreign}`, { ...fields, ...values }))
      refuse(await visitor.post(action, { ...fields, ...values, [name]: foreign }))
    }
    const visitor = t.visitor()
    const page = await open(visitor, expectCreated(await post(manage)))
    const form = await visitor.get(`${page.url}?reconnect=${id}`)
    assert.equal(form.state, 'form', form.text)
    for (const other of [foreign, newId('acc', Date.now()), 'nonsense', '']) {
      refuse(await visitor.get(`${page.url}?reconnect=${other}`))
      const { action, fields } = extractForm(form)
      refuse(await visitor.post(action.replace(id, other), { ...fields, ...values }))
    }
    const deletedId = await connect()
    const late = t.visitor()
    const lateForm = await open(late, await create(deletedId))
    expectOk(await t.call('DELETE', `/v1/integration_account/${deletedId}`))
    refuse(await late.submit(lateForm, values))
    const revoked = await create(id)
    const revokedForm = await open(late, revoked)
    expectOk(await t.call('DELETE', `/v1/connect_session/${revoked.connectSessionId}`))
    const explained = await late.submit(revokedForm, values)
    assert.deepEqual([explained.status, explained.getData('data-reason')], [410, 'revoked'])
    assert.equal(bodies.size, 1)
    assert.deepEqual(await versions(), before)
    await visitor.submit(form, values)
    assert.deepEqual(await versions(), [Number(before[0]) + 1, before[1]])
  })

  it('explains that the tool is gone when its definition was deleted, before and after its form was opened', async () => {
    const gone = await defineDesk(t, { name: 'Gone desk' })
    const config = { api_key: 'desk_live_canary', base_url: t.stubServer.url, mode: 'told' }
    const account = await t.createAccount(gone.definitionId, { accountIdentifier: 'a', config })
    const id = account.integrationAccountId
    const opened = t.visitor()
    const openedForm = await open(opened, await create(id))
    const unopened = await create(id)
    const integrationDefinitionIds = [gone.definitionId]
    const ofTool = expectCreated(await post({ integrationDefinitionIds }))
    // The API refuses this while accounts are live; a catalogue may retire a tool.
    await t.database.transaction((trx) =>
      trx
        .updateTable('definitions')
        .set({ deleted_at: 1 })
        .where('definition_id', '=', gone.definitionId as `def_${string}`)
        .execute(),
    )
    const submitted = await opened.submit(openedForm, createValidFormValues(t))
    const late = await open(t.visitor(), unopened)
    assert.deepEqual([submitted.status, submitted.state], [410, 'notOffered'])
    assert.match(submitted.text, /Gone desk is no longer available here/)
    assert.deepEqual([late.status, late.state], [200, 'pickerEmpty'])
    assert.equal(late.getData('data-code'), 'tool_gone')
    assert.match(late.plain, /This tool is no longer available here/)
    assert.doesNotMatch(late.plain, /this link|hasn't added/)
    assert.equal((await open(t.visitor(), ofTool)).getData('data-code'), 'tool_gone')
    assert.equal((await readRow(id)).credential_version, 1)
  })
}

describeOnBothDatabases('A connect session that reconnects an account', describeReconnect(true))
describeOnBothDatabases(
  'A connect session without a link that reconnects an account',
  describeReconnect(false),
)
