import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { BASE_URL, type BrowserResponse, newBrowser } from '../test/browser.ts'
import {
  expectPage,
  getReturnParams,
  ISSUER,
  json,
  type StubProviderContext,
  startStubProviderContext,
} from '../test/stub-provider-context.ts'
import { sweep } from '../test/sweep.ts'

describeOnBothDatabases('who comes back twice', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: StubProviderContext
  let clock = 0
  const now = () => Date.now() + clock
  const tokens = json(200, { access_token: 'at_1', refresh_token: 'rt_1', expires_in: 3600 })
  before(async () => {
    t = await startStubProviderContext({ url: await newUrl(), now })
  })
  beforeEach(() => {
    clock = 0
    t.respondToToken = tokens
    t.tokenRequests.length = 0
  })
  after(() => t.close())

  const confirm = (confirmToken: string | undefined) =>
    t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } })
  /** Comes back and then once more: what the reload shows. */
  const callBackTwice = async (body = {}, query: Record<string, string> = { code: 'c' }) => {
    const state = await t.begin(await t.start({ confirm: true, ...body }))
    const back = () => t.callback({ state, iss: ISSUER, ...query })
    const first = await back()
    return { back, first, replayed: await back() }
  }
  /** Where the button of a page leads. */
  const actionUrl = ({ text }: BrowserResponse) =>
    /<a [^>]*href="([^"]*)"[^>]*class="button/.exec(text)?.[1] ?? ''
  const followAction = (page: BrowserResponse, browser = t.browser) => browser.get(actionUrl(page))

  /** Where the newest attempt tells how it ended. */
  const latestFinishUrl = async () => {
    const { attempt_id: id } = await t.database.read
      .selectFrom('oauth_attempts')
      .select('attempt_id')
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow()
    return `${BASE_URL}/oauth/finished/${id}`
  }

  it('is told that it goes on while the code is exchanged, and goes home with all of it then', async () => {
    const state = await t.begin(await t.start({ confirm: true }))
    const arrived = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    t.respondToToken = async (response) => {
      arrived.resolve()
      await released.promise
      await tokens(response)
    }
    // The browser drops this one when its person reloads.
    const droppedRequest = t.callback({ state, code: 'c', iss: ISSUER })
    await arrived.promise
    const replayedPage = await t.callback({ state, code: 'c', iss: ISSUER })
    expectPage(replayedPage, 400)
    assert.match(replayedPage.text, /data-state="stillRunning"/)
    assert.equal(replayedPage.headers.get('refresh'), `2; url=${actionUrl(replayedPage)}`)
    const waitingPage = await followAction(replayedPage)
    expectPage(waitingPage, 200)
    assert.equal(waitingPage.headers.get('refresh'), `2; url=${actionUrl(replayedPage)}`)
    released.resolve()
    const firstResult = getReturnParams(await droppedRequest)
    const replayedResult = getReturnParams(await followAction(replayedPage))
    assert.deepEqual(replayedResult, firstResult)
    assert.equal((await confirm(replayedResult.confirmToken)).body.status, 'active')
    assert.equal(t.tokenRequests.length, 1)
  })

  it('is told that it is finished, with a button that leads home, without the token once it was used', async () => {
    const accounts = await t.countAccounts()
    const { first, replayed } = await callBackTwice()
    expectPage(replayed, 400)
    assert.match(replayed.text, /already finished/)
    assert.match(replayed.text, /Return to <bdi>North<\/bdi>/)
    assert.doesNotMatch(replayed.text, /confirmToken|code=/)
    const { confirmToken, ...rest } = getReturnParams(first)
    assert.deepEqual(getReturnParams(await followAction(replayed)), { ...rest, confirmToken })
    assert.equal((await confirm(confirmToken)).status, 200)
    assert.deepEqual(getReturnParams(await followAction(replayed)), rest)
    assert.equal(t.tokenRequests.length, 1)
    assert.equal(await t.countAccounts(), accounts + 1)
  })

  it('is led home with what a reconnect brought, as long as it can be confirmed', async () => {
    const { integrationAccountId } = getReturnParams(await t.completeFlow())
    const { first, replayed } = await callBackTwice({ integrationAccountId })
    assert.deepEqual(getReturnParams(await followAction(replayed)), getReturnParams(first))
    clock = 15 * 60_000 + 1
    assert.equal(getReturnParams(await followAction(replayed)).error, 'oauth_attempt_invalid')
  })

  it('is led home with the error of an attempt that failed, and of an account that nobody confirmed', async () => {
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

  it('is led nowhere in another browser, nor where the way home is not allowed any more', async () => {
    const { replayed, back } = await callBackTwice()
    const other = newBrowser(t.app)
    expectPage(await followAction(replayed, other), 404)
    // With a secret, but its own.
    await t.begin(await t.start(), other)
    expectPage(await followAction(replayed, other), 404)
    const state = new URL((await back()).url).searchParams.get('state') ?? ''
    const elsewhere = await t.callback({ state, code: 'c', iss: ISSUER }, other)
    expectPage(elsewhere, 400)
    assert.equal(actionUrl(elsewhere), '')
    const none = { body: { allowedRedirectURLs: [] } }
    const settings = `/v1/workspace/${t.workspaceId}`
    const { allowedRedirectURLs } = (await t.call('GET', '/v1/workspace')).body[0]
    await t.call('POST', settings, none)
    assert.equal(actionUrl(await back()), '')
    expectPage(await followAction(replayed), 200)
    await t.call('POST', settings, { body: { allowedRedirectURLs } })
  })

  it('is told the end on a page of ours where there is no home', async () => {
    const { first, replayed } = await callBackTwice({ confirm: false, redirectURL: null })
    assert.match(first.location ?? '', /\/oauth\/finished\//)
    expectPage(replayed, 400)
    assert.equal(actionUrl(replayed), '')
  })

  it('is told there that another browser came back in its place', async () => {
    const state = await t.begin(await t.start({ confirm: false, redirectURL: null }))
    expectPage(await t.callback({ state, code: 'c', iss: ISSUER }, newBrowser(t.app)), 400)
    const page = await t.browser.get(await latestFinishUrl())
    assert.match(page.text, /in another browser/)
  })

  it('is led home to start again when a node was killed over it', async () => {
    const { back, replayed } = await callBackTwice()
    const id = actionUrl(replayed).slice(`${BASE_URL}/oauth/finished/`.length)
    await t.database.transaction((trx) =>
      trx
        .updateTable('oauth_attempts')
        .set({ finished_at: null, outcome: null, account_id: null })
        .where('attempt_id', '=', id)
        .execute(),
    )
    assert.match((await back()).text, /data-state="stillRunning"/)
    clock = 2 * 60_000 + 1
    const latePage = await back()
    expectPage(latePage, 400)
    assert.match(latePage.text, /data-state="finished"/)
    assert.equal(getReturnParams(await followAction(latePage)).error, 'oauth_attempt_invalid')
  })

  it('has no page before it has been to the provider', async () => {
    await t.begin(await t.start())
    expectPage(await t.browser.get(await latestFinishUrl()), 404)
  })
}
