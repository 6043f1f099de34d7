import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createValidFormValues, defineDesk } from '../src/connect/connect-page/test/desk.ts'
import type { PageTestContext } from '../src/connect/connect-page/test/page-test-context.ts'
import type { StubProviderContext } from '../src/connect/oauth-flow/test/stub-provider-context.ts'
import { shortenCapabilities } from '../src/platform/http/log.ts'
import { selectAuditEntries } from '../src/platform/storage/audit-inbox.ts'
import { describeOnBothDatabases } from './postgres.ts'
import { expectCreated, expectOk, testContext, waitUntilChained } from './test-context.ts'

describeOnBothDatabases('The log, the audit trail and its export', (newUrl) => {
  let t: StubProviderContext & PageTestContext
  let deskId: string
  before(async () => {
    t = await testContext({ pages: true, provider: true, url: await newUrl() })
    deskId = (await defineDesk(t)).definitionId
  })
  after(() => t.close())

  const config = () => ({ api_key: 'key_that_works', base_url: t.stubServer.url, mode: 'told' })
  const account = () => ({
    integrationDefinitionId: deskId,
    integrationAccountName: 'A',
    authType: 'Api Key',
    config: config(),
  })

  it('have no whole id of a link and no token of a session, after every operation and page that takes one', async () => {
    const linkIds = [await useLink(), await useOAuthThroughLink()]
    const tokens = [await useSession()]
    await waitUntilChained(t)
    const listed = expectOk(await t.call('GET', '/v1/audit?limit=1000'))
    const exported = (await t.call('GET', '/v1/audit/export')).text
    const rows = await selectAuditEntries(t.database.read).selectAll().execute()
    const texts = [t.logs.join(''), JSON.stringify(rows), JSON.stringify(listed), exported]
    for (const text of texts) {
      assert.doesNotMatch(text, /lnk_[0-9a-z]{32}|cnt_[\w-]{27}|lp_[0-9A-Za-z]{36}/)
      for (const value of [...linkIds, ...tokens]) assert.ok(!text.includes(value.slice(4, 20)))
    }
    const [first = ''] = linkIds
    assert.ok(exported.includes(first.slice(0, 8)) && t.logs.join('').includes(first.slice(0, 8)))
  })

  it('find the entries of a link by its whole id and by its first characters', async () => {
    const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'L' } }))
    await waitUntilChained(t)
    for (const subject of [linkId, linkId.slice(0, 8)]) {
      const [entry, ...others] = expectOk(await t.call('GET', `/v1/audit?subject=${subject}`))
      assert.deepEqual([entry?.action, others.length], ['link.created', 0])
    }
  })

  it('have no whole capability, in no line, field, message or error', () => {
    const values = [
      `lnk_${'a1'.repeat(16)}`,
      `cnt_${'aB-_1'.repeat(6).slice(0, 27)}`,
      `lp_${'aB1'.repeat(12)}`,
      `whsec_${'aB1+/'.repeat(8)}=`,
    ]
    for (const value of values) {
      const text = `at https://a.example/link/${value}?x=1, ${value}, "${value}"`
      const shortened = shortenCapabilities(text)
      assert.ok(!shortened.includes(value.slice(8)), shortened)
      assert.equal(shortened.split(value.slice(0, 8)).length, 4)
      const before = t.logs.length
      t.app.log.warn({ linkId: value, err: new Error(text, { cause: new Error(text) }) }, text)
      const lines = t.logs.slice(before).join('')
      assert.ok(lines.length > 0 && !lines.includes(value.slice(8)), lines)
    }
  })

  /** Every operation of a link, and its page. */
  async function useLink(): Promise<string> {
    const created = { linkName: 'L', integrationDefinitionId: deskId }
    const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body: created }))
    const path = `/v1/link/${linkId}`
    expectOk(await t.call('GET', path))
    expectOk(await t.call('POST', path, { body: { linkName: 'M', maxAccounts: 100 } }))
    const through = `/v1/integration_account/link/${linkId}`
    expectCreated(await t.call('POST', through, { body: account() }))
    await t.call('POST', through, { body: { ...account(), authType: 'Other' } })
    const visitor = t.visitor()
    for (const key of ['x', 'desk_live_canary_0123']) {
      const form = await visitor.get(`/link/${linkId}?accountIdentifier=c`)
      await visitor.submit(form, { ...createValidFormValues(t), 'field.api_key': key })
    }
    await t.call('GET', `!/link/${linkId}x`, { token: null })
    expectOk(await t.call('DELETE', path))
    await t.call('POST', through, { body: account() })
    return linkId
  }

  async function useOAuthThroughLink(): Promise<string> {
    const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'O' } }))
    await t.completeFlow({ linkId })
    const state = await t.begin(await t.start({ linkId }))
    await t.callback({ state, error: 'access_denied' })
    await t.callback({ state, error: 'access_denied' })
    return linkId
  }

  async function useSession(): Promise<string> {
    const session = expectCreated(
      await t.call('POST', '/v1/connect_session', { body: { accountIdentifier: 'c' } }),
    )
    const visitor = t.visitor()
    const page = await visitor.get(`/connect/${session.token}`)
    await visitor.submit(page).catch(() => undefined)
    expectOk(await t.call('DELETE', `/v1/connect_session/${session.connectSessionId}`))
    await visitor.get(`/connect/${session.token}`)
    return session.token
  }
})
