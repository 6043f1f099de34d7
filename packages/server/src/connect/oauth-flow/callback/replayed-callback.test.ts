import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { testContext } from '../../../../test/test-context.ts'
import type { OAuthSessionId } from '../session/oauth-session.ts'
import { BASE_URL, type BrowserResponse, newBrowser } from '../test/browser.ts'
import {
  expectPage,
  getReturnParams,
  ISSUER,
  respondWithJson,
  type StubProviderContext,
} from '../test/stub-provider-context.ts'
import { sweep } from '../test/sweep.ts'

describeOnBothDatabases('a repeated OAuth callback', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: StubProviderContext
  let clock = 0
  const now = () => Date.now() + clock
  const tokens = respondWithJson(200, {
    access_token: 'at_1',
    refresh_token: 'rt_1',
    expires_in: 3600,
  })
  before(async () => {
    t = await testContext({ provider: true, url: await newUrl(), now })
  })
  beforeEach(() => {
    clock = 0
    t.respondToToken = tokens
    t.tokenRequests.length = 0
  })
  after(() => t.close())

  const confirm = (confirmToken: string | undefined) =>
    t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } })
  /** Calls the callback twice; returns the second response. */
  const callBackTwice = async (body = {}, query: Record<string, string> = { code: 'c' }) => {
    const state = await t.begin(await t.start({ confirm: true, ...body }))
    const sendCallback = () => t.callback({ state, iss: ISSUER, ...query })
    const first = await sendCallback()
    return { back: sendCallback, first, replayed: await sendCallback() }
  }
  /** The URL of the page's button. */
  const getActionUrl = ({ text }: BrowserResponse) =>
    /<a [^>]*href="([^"]*)"[^>]*class="button/.exec(text)?.[1] ?? ''
  const followAction = (page: BrowserResponse, browser = t.browser) =>
    browser.get(getActionUrl(page))

  /** The URL of the finish page of the latest session. */
  const getLatestFinishUrl = async () => {
    const { attempt_id: id } = await t.database.read
      .selectFrom('oauth_sessions')
      .select('attempt_id')
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow()
    return `${BASE_URL}/oauth/finished/${id}`
  }

  it('shows a progress page during the code exchange, which then redirects with the result', async () => {
    const state = await t.begin(await t.start({ confirm: true }))
    const requestArrived = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    t.respondToToken = async (response) => {
      requestArrived.resolve()
      await released.promise
      await tokens(response)
    }
    // The browser discards this response on reload.
    const droppedRequest = t.callback({ state, code: 'c', iss: ISSUER })
    await requestArrived.promise
    const replayedPage = await t.callback({ state, code: 'c', iss: ISSUER })
    expectPage(replayedPage, 400)
    assert.match(replayedPage.text, /data-state="stillRunning"/)
    assert.equal(replayedPage.headers.get('refresh'), `2; url=${getActionUrl(replayedPage)}`)
    const waitingPage = await followAction(replayedPage)
    expectPage(waitingPage, 200)
    assert.equal(waitingPage.headers.get('refresh'), `2; url=${getActionUrl(replayedPage)}`)
    released.resolve()
    const firstResult = getReturnParams(await droppedRequest)
    const replayedResult = getReturnParams(await followAction(replayedPage))
    assert.deepEqual(replayedResult, firstResult)
    assert.equal((await confirm(replayedResult.confirmToken)).body.status, 'active')
    assert.equal(t.tokenRequests.length, 1)
  })

  it('shows that the session is finished, with a return button, without the confirmation token once it was used', async () => {
    const accounts = await t.countAccounts()
    const { first, replayed } = await callBackTwice()
    expectPage(replayed, 400)
    assert.match(replayed.text, /already done/)
    assert.match(replayed.text, /Return to <bdi>North<\/bdi>/)
    assert.doesNotMatch(replayed.text, /confirmToken|code=/)
    const { confirmToken, ...rest } = getReturnParams(first)
    assert.deepEqual(getReturnParams(await followAction(replayed)), { ...rest, confirmToken })
    assert.equal((await confirm(confirmToken)).status, 200)
    assert.deepEqual(getReturnParams(await followAction(replayed)), rest)
    assert.equal(t.tokenRequests.length, 1)
    assert.equal(await t.countAccounts(), accounts + 1)
  })

  it('returns with the confirmation token of a reconnect while it can be confirmed', async () => {
    const { integrationAccountId } = getReturnParams(await t.completeFlow())
    const { first, replayed } = await callBackTwice({ integrationAccountId })
    assert.deepEqual(getReturnParams(await followAction(replayed)), getReturnParams(first))
    clock = 15 * 60_000 + 1
    assert.equal(getReturnParams(await followAction(replayed)).error, 'oauth_attempt_invalid')
  })

  it('returns with the error of a failed session, and of an account that was not confirmed', async () => {
    const failed = await callBackTwice({}, { error: 'access_denied' })
    assert.deepEqual(
      getReturnParams(await followAction(failed.replayed)),
      getReturnParams(failed.first),
    )
    const { replayed } = await callBackTwice()
    clock = 15 * 60_000 + 1
    await sweep(t, now)
    assert.equal(getReturnParams(await followAction(replayed)).error, 'oauth_attempt_invalid')
  })

  it('redirects neither in another browser nor to a URL that is no longer allowed', async () => {
    const { replayed, back: sendCallback } = await callBackTwice()
    const other = newBrowser(t.app)
    expectPage(await followAction(replayed, other), 404)
    // Another browser with a secret of its own.
    await t.begin(await t.start(), other)
    expectPage(await followAction(replayed, other), 404)
    const state = new URL((await sendCallback()).url).searchParams.get('state') ?? ''
    const otherResponse = await t.callback({ state, code: 'c', iss: ISSUER }, other)
    expectPage(otherResponse, 400)
    assert.equal(getActionUrl(otherResponse), '')
    const none = { body: { allowedRedirectURLs: [] } }
    const settings = `/v1/workspace/${t.workspaceId}`
    const { allowedRedirectURLs } = (await t.call('GET', '/v1/workspace')).body[0]
    await t.call('POST', settings, none)
    assert.equal(getActionUrl(await sendCallback()), '')
    expectPage(await followAction(replayed), 200)
    await t.call('POST', settings, { body: { allowedRedirectURLs } })
  })

  it('shows the outcome on a page when there is no redirectURL', async () => {
    const { first, replayed } = await callBackTwice({ confirm: false, redirectURL: null })
    assert.match(first.location ?? '', /\/oauth\/finished\//)
    expectPage(replayed, 400)
    assert.equal(getActionUrl(replayed), '')
  })

  it('shows that another browser returned instead', async () => {
    const state = await t.begin(await t.start({ confirm: false, redirectURL: null }))
    expectPage(await t.callback({ state, code: 'c', iss: ISSUER }, newBrowser(t.app)), 400)
    const page = await t.browser.get(await getLatestFinishUrl())
    assert.match(page.text, /in another browser/)
  })

  it('returns with an error when the process was killed during the callback', async () => {
    const { back: sendCallback, replayed } = await callBackTwice()
    const id = getActionUrl(replayed).slice(`${BASE_URL}/oauth/finished/`.length)
    await t.database.transaction((trx) =>
      trx
        .updateTable('oauth_sessions')
        .set({ finished_at: null, outcome: null, account_id: null })
        .where('attempt_id', '=', id as OAuthSessionId)
        .execute(),
    )
    assert.match((await sendCallback()).text, /data-state="stillRunning"/)
    clock = 2 * 60_000 + 1
    const latePage = await sendCallback()
    expectPage(latePage, 400)
    assert.match(latePage.text, /data-state="finished"/)
    assert.equal(getReturnParams(await followAction(latePage)).error, 'oauth_attempt_invalid')
  })

  it('has no finish page before the first callback', async () => {
    await t.begin(await t.start())
    expectPage(await t.browser.get(await getLatestFinishUrl()), 404)
  })
}
