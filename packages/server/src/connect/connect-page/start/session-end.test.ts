import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { AnyBody } from '../../../../test/any-body.ts'
import { expectCreated, expectOk, testContext } from '../../../../test/test-context.ts'
import { LANGUAGES } from '../../../platform/i18n/language.ts'
import { createValidFormValues, defineDesk } from '../test/desk.ts'
import { type PageTestContext, RETURN_URL } from '../test/page-test-context.ts'
import {
  type FetchedPage,
  getVisibleText,
  pressStart,
  type TestVisitor,
} from '../test/test-visitor.ts'

const SUPPORT = 'Questions? Write to support@acme.example.'

describe('The link of a connect session that cannot be used', () => {
  let t: PageTestContext
  let now = Date.UTC(2026, 10, 21)
  before(async () => {
    t = await testContext({ pages: true, now: () => now })
    await defineDesk(t)
    const theme = { accentColor: '#00aa55', texts: { support: { default: SUPPORT } } }
    expectOk(await t.call('POST', `/v1/workspace/${t.workspaceId}`, { body: { theme } }))
  })
  after(() => t.close())

  const create = async (body: AnyBody = {}) =>
    expectCreated(await t.call('POST', '/v1/connect_session', { body }))
  const open = async (visitor: TestVisitor, { url }: AnyBody) =>
    visitor.get((await pressStart(visitor, url)).location ?? '')
  const revoke = ({ connectSessionId }: AnyBody) =>
    t.call('DELETE', `/v1/connect_session/${connectSessionId}`)
  const setReturnUrls = (allowedRedirectURLs: string[]) =>
    t.call('POST', `/v1/workspace/${t.workspaceId}`, { body: { allowedRedirectURLs } })
  const getReturnUrls = ({ plain }: FetchedPage) =>
    [...plain.matchAll(/<a href="(https:\/\/app\.example\.com\/[^"]*)"/g)].map(([, url]) => url)
  const assertExplained = (page: FetchedPage, reason: string, text: RegExp) => {
    assert.deepEqual([page.status, page.state], [410, 'sessionRefused'], page.text)
    assert.deepEqual(
      [page.getData('data-reason'), page.getData('data-code')],
      [reason, 'sessionRefused'],
    )
    assert.match(getVisibleText(page), text)
    assert.ok(page.plain.includes('Acme') && page.plain.includes(SUPPORT), page.plain)
    assert.equal(page.headers.get('set-cookie'), null)
  }

  it('says when it expired, in the appearance of the workspace, and whom to ask', async () => {
    const session = await create()
    const form = t.visitor()
    const start = await form.get(session.url)
    now += 31 * 60_000
    const text = /This link expired on 21 November 2026 .*Ask Acme for a new one/
    assertExplained(await t.visitor().get(session.url), 'expired', text)
    assertExplained(await form.submit(start), 'expired', text)
  })

  it('says that it was used, and that it was opened in another browser', async () => {
    const session = await create()
    const visitor = t.visitor()
    const late = t.visitor()
    const lateStart = await late.get(session.url)
    const form = await open(visitor, session)
    const elsewhere = /opened in another browser .*Acme/
    assertExplained(await late.submit(lateStart), 'elsewhere', elsewhere)
    assertExplained(await t.visitor().get(session.url), 'elsewhere', elsewhere)
    assert.equal((await visitor.submit(form, createValidFormValues(t))).status, 303)
    assertExplained(await t.visitor().get(session.url), 'used', /already used .*Acme/)
  })

  it('says that it was closed', async () => {
    const session = await create()
    await revoke(session)
    assertExplained(await t.visitor().get(session.url), 'revoked', /Acme has closed this link/)
  })

  it('leads back to the redirect URL of the session, with success=false, while that is on the list', async () => {
    const body = { redirectURL: RETURN_URL, accountIdentifier: 'customer-17' }
    const session = await create(body)
    const visitor = t.visitor()
    const form = await open(visitor, session)
    await revoke(session)
    const expected = new URL(RETURN_URL)
    expected.searchParams.set('success', 'false')
    expected.searchParams.set('error', 'cancelled')
    expected.searchParams.set('connectSessionId', session.connectSessionId)
    for (const page of [await visitor.get(form.url), await t.visitor().get(session.url)]) {
      assertExplained(page, 'revoked', /Return to Acme/)
      assert.deepEqual(getReturnUrls(page), [expected.href])
      assert.ok(!page.plain.includes('customer-17'), 'a mail scanner may read the page')
    }
    const frame = await t.visitor().get(session.url.replace('/connect/', '/connect/frame/'))
    assert.deepEqual(getReturnUrls(frame), [], 'a frame is closed by its host page')
    assert.deepEqual(getReturnUrls(await t.visitor().get(form.url)), [], 'only the ID')
    expectOk(await setReturnUrls([]))
    assert.deepEqual(getReturnUrls(await visitor.get(form.url)), [], 'no longer on the list')
    expectOk(await setReturnUrls([RETURN_URL]))
    const withoutUrl = await create()
    await revoke(withoutUrl)
    assert.deepEqual(getReturnUrls(await t.visitor().get(withoutUrl.url)), [])
  })

  it('explains the end of a session that is revoked while its form is submitted', async () => {
    const session = await create({ redirectURL: RETURN_URL })
    const visitor = t.visitor()
    const form = await open(visitor, session)
    t.stubServer.serve('/told', async (_request, response) => {
      await revoke(session)
      response.end(JSON.stringify({ status: true }))
    })
    const page = await visitor.submit(form, createValidFormValues(t))
    assertExplained(page, 'revoked', /Acme has closed this link .*Return to Acme/)
  })

  it('says so to the browser that opened it, too, and to no other one that has only its ID', async () => {
    const session = await create()
    const visitor = t.visitor()
    const form = await open(visitor, session)
    await revoke(session)
    assertExplained(await visitor.get(form.url), 'revoked', /Acme has closed this link/)
    const guest = await t.visitor().get(form.url)
    assert.deepEqual([guest.status, guest.getData('data-reason')], [410, undefined])
    const guessed = await t.visitor().get(`/connect/cnt_${'A'.repeat(27)}`)
    for (const page of [guest, guessed]) {
      assert.match(getVisibleText(page), /This page can't be used/)
      assert.doesNotMatch(page.plain, /Acme|acme\.example|00aa55/)
    }
  })

  it('explains it in every language', async () => {
    const session = await create()
    await open(t.visitor(), session)
    const titles = new Set<string>()
    for (const lang of LANGUAGES) {
      const page = await t.visitor().get(`${session.url}?lang=${lang}`)
      assert.equal(page.getData('data-reason'), 'elsewhere')
      titles.add(/<h1[^>]*>(.*?)<\/h1>/.exec(page.text)?.[1] ?? '')
    }
    assert.equal(titles.size, LANGUAGES.length)
  })
})

describe('The first page of a connect session', () => {
  let t: PageTestContext
  let desk: string
  before(async () => {
    t = await testContext({ pages: true })
    desk = (await defineDesk(t)).definitionId
    await t.createDefinition({ name: 'Other' })
  })
  after(() => t.close())

  const getStart = async (body: AnyBody) => {
    const session = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
    return getVisibleText(await t.visitor().get(session.url))
  }

  it('names the tool that it is for, and promises a choice only if there is one', async () => {
    const only = await getStart({ integrationDefinitionIds: [desk] })
    assert.match(only, /Connect Desk to Acme/)
    assert.doesNotMatch(only, /You choose/)
    assert.match(await getStart({}), /Acme asks you to connect a tool .*You choose/)
    const config = { api_key: 'desk_live_canary_0123', base_url: t.stubServer.url, mode: 'told' }
    const { integrationAccountId } = await t.createAccount(desk, { config })
    const reconnect = await getStart({ integrationAccountId })
    assert.match(reconnect, /Reconnect Desk to Acme/)
    assert.doesNotMatch(reconnect, /You choose/)
    assert.doesNotMatch(reconnect, /127\.0\.0\.1|told/, 'stored values')
  })
})
