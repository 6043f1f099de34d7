import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { expectOk, testContext } from '../../../../test/test-context.ts'
import { selectAuditEntries } from '../../../platform/storage/audit-inbox.ts'
import { createValidFormValues, defineDesk } from '../test/desk.ts'
import { type PageTestContext, RETURN_URL, toFramePath } from '../test/page-test-context.ts'
import { extractForm, type FetchedPage, getVisibleText } from '../test/test-visitor.ts'

describeOnBothDatabases('POST /link/{linkId}/connect', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: PageTestContext
  let desk: Awaited<ReturnType<typeof defineDesk>>
  before(async () => {
    t = await testContext({ pages: true, url: await newUrl() })
    desk = await defineDesk(t)
  })
  after(() => t.close())

  const accounts = async () =>
    t.database.read.selectFrom('accounts').selectAll().where('deleted_at', 'is', null).execute()
  const createDeskLink = (body = {}) =>
    t.link({ integrationDefinitionId: desk.definitionId, ...body })

  it('creates the account, redirects to a URL that can be reloaded, and returns to the redirect URL', async () => {
    const path = await createDeskLink()
    const visitor = t.visitor()
    const query = new URLSearchParams({ accountIdentifier: 'customer-17', redirectURL: RETURN_URL })
    const form = await visitor.get(`${path}?${query}`)
    const submitted = await visitor.submit(form, createValidFormValues(t))
    assert.equal(submitted.status, 303, getVisibleText(submitted))
    const page = await visitor.get(submitted.location ?? '')
    assert.equal(page.state, 'connected')
    const [row] = await accounts()
    assert.equal(row?.account_identifier, 'customer-17')
    assert.equal(row?.name, 'Desk')
    assert.deepEqual(JSON.parse(page.getData('data-account') ?? ''), {
      integrationAccountId: row?.account_id,
      integrationAccountName: 'Desk',
      integrationDefinitionId: desk.definitionId,
      integrationName: 'Desk',
      integrationKey: 'desk',
      accountIdentifier: 'customer-17',
      linkId: path.slice('/link/'.length),
      connectSessionId: null,
    })
    const returnUrl = /<a href="([^"]*)" class="button primary"[^>]*>/.exec(page.plain)?.[1] ?? ''
    assert.deepEqual(Object.fromEntries(new URL(returnUrl).searchParams), {
      tab: '1',
      success: 'true',
      integrationName: 'Desk',
      accountIdentifier: 'customer-17',
      integrationAccountId: row?.account_id,
      linkId: path.slice('/link/'.length),
    })
    const reloaded = await visitor.get(submitted.location ?? '')
    assert.equal(reloaded.state, 'connected')
    assert.doesNotMatch(page.text + reloaded.text, /canary/)
    const audit = await selectAuditEntries(t.database.read)
      .selectAll()
      .where('subject', '=', row?.account_id ?? '')
      .executeTakeFirst()
    assert.deepEqual([audit?.action, audit?.token_id], ['account.created', null])
    expectOk(await t.call('DELETE', `/v1/integration_account/${row?.account_id}`))
  })

  it('reports every invalid field and keeps the entered values except secrets', async () => {
    const visitor = t.visitor()
    const form = await visitor.get(await createDeskLink())
    const callsBefore = desk.providerCalls()
    const page = await visitor.submit(form, {
      'field.api_key': 'short77',
      'field.base_url': 'no address',
      'field.region': 'mars',
      'field.port': 'seventy',
      'field.email': 'invalid',
      'field.code': 'ABC-1',
      'field.is_test': 'true',
    })
    assert.equal(page.status, 422)
    assert.equal(page.getData('data-code'), 'validation_failed')
    const visibleText = getVisibleText(page)
    for (const expectedText of [
      /Check 6 fields/,
      /Check Code : it isn't in the expected format/,
      /Choose Region Port : Enter a number/,
      /Enter at least 8 characters/,
      /Enter a full address/,
      /Choose Region/,
      /Enter a number/,
      /Enter an email address/,
    ])
      assert.match(visibleText, expectedText)
    const { fields } = extractForm(page)
    assert.equal(fields['field.base_url'], 'no address')
    assert.equal(fields['field.port'], 'seventy')
    assert.equal(fields['field.is_test'], 'true')
    assert.equal(fields['field.api_key'], '')
    assert.doesNotMatch(page.text, /short77/)
    assert.match(page.text, /role="alert" id="summary" tabindex="-1"/)
    assert.match(page.text, /<a href="#field-0">/)
    assert.equal(desk.providerCalls(), callsBefore, 'the provider received a request')
    const pattern = await visitor.submit(page, {
      ...createValidFormValues(t),
      ...VALID,
      'field.code': 'abc',
    })
    assert.match(getVisibleText(pattern), /Check Code ?: it isn't in the expected format/)
    const submitted = await visitor.submit(pattern, { ...createValidFormValues(t), ...VALID })
    assert.equal(submitted.status, 303, getVisibleText(submitted))
    const [row] = await accounts()
    assert.deepEqual(
      { ...JSON.parse(row?.public_config ?? '{}'), base_url: undefined },
      { base_url: undefined, email: 'me@example.com', region: 'eu' },
    )
    expectOk(await t.call('DELETE', `/v1/integration_account/${row?.account_id}`))
  })

  it('logs why a rejected form connected nothing, for which tool and through what, without secrets', async () => {
    const visitor = t.visitor()
    const path = await createDeskLink()
    const form = await visitor.get(path)
    desk.setCheckResponse({ status: false, error: 'no', code: 'invalid_credentials' })
    const before = t.logs.length
    assert.equal((await visitor.submit(form, createValidFormValues(t))).status, 422)
    const lines = t.logs.slice(before)
    const line = JSON.parse(lines.find((text) => text.includes('"status":422')) ?? '{}')
    const link = path.slice('/link/'.length, '/link/'.length + 8)
    assert.deepEqual([line.error, line.tool, line.link], ['credentials_rejected', 'desk', link])
    assert.ok(line.reqId)
    assert.doesNotMatch(lines.join(''), /canary|customer-17/)
    assert.ok(!lines.join('').includes(path.slice('/link/'.length)))
  })

  it('shows a rejection with its hint at the field that the integration reported', async () => {
    const visitor = t.visitor()
    const form = await visitor.get(await createDeskLink())
    const refusal = { status: false, error: 'no', code: 'invalid_credentials', field: 'api_key' }
    desk.setCheckResponse({ ...refusal, hint: 'Keys start with desk_live_.' })
    const page = await visitor.submit(form, createValidFormValues(t))
    assert.equal(page.status, 422)
    assert.equal(page.getData('data-code'), 'credentials_rejected')
    assert.match(getVisibleText(page), /Desk didn't accept this key/)
    assert.match(page.text, /id="field-0-error">.*Keys start with desk_live_\./)
    assert.doesNotMatch(page.text, /canary/)
    desk.setCheckResponse({ status: false, error: 'Your plan has no access.' })
    const rejectedPage = await visitor.submit(page, createValidFormValues(t))
    assert.equal(rejectedPage.getData('data-code'), 'credentials_rejected')
    assert.match(getVisibleText(rejectedPage), /Your plan has no access\./)
    desk.setCheckResponse({ status: false, error: 'x', code: 'wrong_host', field: 'base_url' })
    const wrongHostPage = await visitor.submit(rejectedPage, createValidFormValues(t))
    assert.match(getVisibleText(wrongHostPage), /There's no Desk at this address/)
    desk.setCheckResponse({ status: true })
    assert.equal((await visitor.submit(wrongHostPage, createValidFormValues(t))).status, 303)
    for (const { account_id } of await accounts())
      expectOk(await t.call('DELETE', `/v1/integration_account/${account_id}`))
  })

  it('distinguishes an unavailable provider from a rejected key', async () => {
    const visitor = t.visitor()
    const form = await visitor.get(await createDeskLink())
    t.stubServer.serve('/told', (_request, response) =>
      response.writeHead(503).end('{"status":false}'),
    )
    const page = await visitor.submit(form, createValidFormValues(t))
    assert.equal(page.getData('data-code'), 'provider_error')
    assert.match(getVisibleText(page), /Desk isn't responding right now/)
    t.stubServer.serve('/told', (_request, response) => response.end('{"status":true}'))
  })

  it('processes a form once, however often it is submitted', async () => {
    const path = await createDeskLink()
    const visitor = t.visitor()
    const form = await visitor.get(path)
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => visitor.submit(form, createValidFormValues(t))),
    )
    assert.equal((await accounts()).length, 1)
    const states = responses.map(({ status, state }) => (status === 303 ? 'gone on' : state))
    assert.equal(states.filter((state) => state === 'gone on').length, 1, String(states))
    assert.ok(
      states.every((state) => state !== 'failed' && state !== 'notOurs'),
      String(states),
    )
    const resubmitted = await visitor.submit(form, createValidFormValues(t))
    assert.equal(resubmitted.state, 'alreadyFinished')
    assert.match(getVisibleText(resubmitted), /Nothing was done twice/)
    assert.equal((await accounts()).length, 1)
    const list = await visitor.get(await t.link())
    assert.doesNotMatch(getVisibleText(list), /Connected just now/)
    for (const { account_id } of await accounts())
      expectOk(await t.call('DELETE', `/v1/integration_account/${account_id}`))
  })

  it('creates one numbered account per tab', async () => {
    const path = await createDeskLink()
    const visitor = t.visitor()
    const [firstForm, secondForm] = [await visitor.get(path), await visitor.get(path)]
    const submitted: FetchedPage[] = [
      await visitor.submit(firstForm, createValidFormValues(t)),
      await visitor.submit(secondForm, createValidFormValues(t)),
    ]
    assert.deepEqual(
      submitted.map(({ status }) => status),
      [303, 303],
    )
    const names = (await accounts()).map(({ name }) => name)
    assert.deepEqual(names.sort(), ['Desk', 'Desk 2'])
    const other = await t.visitor().get(path)
    assert.doesNotMatch(getVisibleText(other), /Connected/)
    for (const { account_id } of await accounts())
      expectOk(await t.call('DELETE', `/v1/integration_account/${account_id}`))
  })

  it('creates no account when the link was closed before submission', async () => {
    const path = await createDeskLink()
    const visitor = t.visitor()
    const form = await visitor.get(path)
    expectOk(await t.call('DELETE', `/v1${path}`))
    const page = await visitor.submit(form, createValidFormValues(t))
    assert.equal(page.status, 410)
    assert.equal(page.state, 'revoked')
    assert.equal((await accounts()).length, 0)
  })

  it('creates no account when the link is closed during the check', async () => {
    const path = await createDeskLink()
    const visitor = t.visitor()
    const form = await visitor.get(path)
    t.stubServer.serve('/told', async (_request, response) => {
      expectOk(await t.call('DELETE', `/v1${path}`))
      response.end('{"status":true}')
    })
    const page = await visitor.submit(form, createValidFormValues(t))
    assert.equal(page.state, 'revoked')
    assert.equal((await accounts()).length, 0)
    t.stubServer.serve('/told', (_request, response) => response.end('{"status":true}'))
  })

  it('works in a frame without cookies, and responds with the result', async () => {
    const path = toFramePath(await createDeskLink())
    const visitor = t.visitor()
    const form = await visitor.get(path)
    assert.equal(visitor.jar.size, 0)
    const page = await visitor.submit(form, createValidFormValues(t))
    assert.equal(page.status, 200)
    assert.equal(page.state, 'connected')
    assert.equal(visitor.jar.size, 0)
    const session = page.getData('data-visit') ?? ''
    const submissionId = page.getData('data-attempt') ?? ''
    const url = `${path.replace('/frame', '')}/attempts/${submissionId}`
    const state = async (headers: Record<string, string>) =>
      JSON.parse((await visitor.get(url, headers)).text)
    const status = await state({ 'x-linchpin-visit': session })
    assert.equal(status.state, 'connected')
    assert.equal(status.account.integrationKey, 'desk')
    assert.deepEqual(await state({}), { state: 'unknown' })
    const otherSession = (await t.visitor().get(path)).getData('data-visit') ?? ''
    assert.deepEqual(await state({ 'x-linchpin-visit': otherSession }), { state: 'unknown' })
    for (const { account_id } of await accounts())
      expectOk(await t.call('DELETE', `/v1/integration_account/${account_id}`))
  })
}

const VALID = {
  'field.region': 'eu',
  'field.port': '8080',
  'field.email': 'me@example.com',
  'field.code': 'ABC-12',
}
