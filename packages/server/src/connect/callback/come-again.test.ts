import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { describePostgres } from '../../../test/postgres.ts'
import { BASE_URL, newBrowser, type Visit } from '../test/browser.ts'
import {
  ISSUER,
  isPage,
  json,
  returned,
  type StubWorld,
  startStubWorld,
} from '../test/stub-world.ts'
import { sweep } from '../test/sweep.ts'

describe('who comes back twice, on SQLite', () => keepsItsPromises(async () => ({})))

describePostgres('who comes back twice, on PostgreSQL', (server) =>
  keepsItsPromises(async () => ({ url: await server().createDatabase('come_again') })),
)

function keepsItsPromises(options: () => Promise<{ url?: string }>): void {
  let t: StubWorld
  let clock = 0
  const now = () => Date.now() + clock
  const tokens = json(200, { access_token: 'at_1', refresh_token: 'rt_1', expires_in: 3600 })
  before(async () => {
    t = await startStubWorld({ ...(await options()), now })
  })
  beforeEach(() => {
    clock = 0
    t.answer = tokens
    t.tokenRequests.length = 0
  })
  after(() => t.close())

  const confirm = (confirmToken: string | undefined) =>
    t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } })
  /** Comes back and then once more: what the reload shows. */
  const twice = async (body = {}, query: Record<string, string> = { code: 'c' }) => {
    const state = await t.begin(await t.start({ confirm: true, ...body }))
    const back = () => t.back({ state, iss: ISSUER, ...query })
    const first = await back()
    return { back, first, again: await back() }
  }
  /** Where the button of a page leads. */
  const way = ({ text }: Visit) => /<a [^>]*href="([^"]*)"[^>]*class="button/.exec(text)?.[1] ?? ''
  const press = (page: Visit, browser = t.browser) => browser.get(way(page))

  /** Where the newest attempt tells how it ended. */
  const newestEnd = async () => {
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
    t.answer = async (response) => {
      arrived.resolve()
      await released.promise
      await tokens(response)
    }
    // The browser drops this one when its person reloads.
    const dropped = t.back({ state, code: 'c', iss: ISSUER })
    await arrived.promise
    const reload = await t.back({ state, code: 'c', iss: ISSUER })
    isPage(reload, 400)
    assert.match(reload.text, /data-state="stillRunning"/)
    assert.equal(reload.headers.get('refresh'), `2; url=${way(reload)}`)
    const waiting = await press(reload)
    isPage(waiting, 200)
    assert.equal(waiting.headers.get('refresh'), `2; url=${way(reload)}`)
    released.resolve()
    const missed = returned(await dropped)
    const home = returned(await press(reload))
    assert.deepEqual(home, missed)
    assert.equal((await confirm(home.confirmToken)).body.status, 'active')
    assert.equal(t.tokenRequests.length, 1)
  })

  it('is told that it is finished, with a button that leads home, without the token once it was used', async () => {
    const accounts = await t.accounts()
    const { first, again } = await twice()
    isPage(again, 400)
    assert.match(again.text, /already finished/)
    assert.match(again.text, /Return to <bdi>North<\/bdi>/)
    assert.doesNotMatch(again.text, /confirmToken|code=/)
    const { confirmToken, ...rest } = returned(first)
    assert.deepEqual(returned(await press(again)), { ...rest, confirmToken })
    assert.equal((await confirm(confirmToken)).status, 200)
    assert.deepEqual(returned(await press(again)), rest)
    assert.equal(t.tokenRequests.length, 1)
    assert.equal(await t.accounts(), accounts + 1)
  })

  it('is led home with what a reconnect brought, as long as it can be confirmed', async () => {
    const { integrationAccountId } = returned(await t.through())
    const { first, again } = await twice({ integrationAccountId })
    assert.deepEqual(returned(await press(again)), returned(first))
    clock = 15 * 60_000 + 1
    assert.equal(returned(await press(again)).error, 'oauth_attempt_invalid')
  })

  it('is led home with the error of an attempt that failed, and of an account that nobody confirmed', async () => {
    const failed = await twice({}, { error: 'access_denied' })
    assert.deepEqual(returned(await press(failed.again)), returned(failed.first))
    const { again } = await twice()
    clock = 15 * 60_000 + 1
    await sweep(t, now)
    assert.equal(returned(await press(again)).error, 'oauth_attempt_invalid')
  })

  it('is led nowhere in another browser, nor where the way home is not allowed any more', async () => {
    const { again, back } = await twice()
    const other = newBrowser(t.app)
    isPage(await press(again, other), 404)
    // With a secret, but its own.
    await t.begin(await t.start(), other)
    isPage(await press(again, other), 404)
    const state = new URL((await back()).url).searchParams.get('state') ?? ''
    const elsewhere = await t.back({ state, code: 'c', iss: ISSUER }, other)
    isPage(elsewhere, 400)
    assert.equal(way(elsewhere), '')
    const none = { body: { allowedRedirectURLs: [] } }
    const settings = `/v1/workspace/${t.workspaceId}`
    const { allowedRedirectURLs } = (await t.call('GET', '/v1/workspace')).body[0]
    await t.call('POST', settings, none)
    assert.equal(way(await back()), '')
    isPage(await press(again), 200)
    await t.call('POST', settings, { body: { allowedRedirectURLs } })
  })

  it('is told the end on a page of ours where there is no home', async () => {
    const { first, again } = await twice({ confirm: false, redirectURL: null })
    assert.match(first.location ?? '', /\/oauth\/finished\//)
    isPage(again, 400)
    assert.equal(way(again), '')
  })

  it('is told there that another browser came back in its place', async () => {
    const state = await t.begin(await t.start({ confirm: false, redirectURL: null }))
    isPage(await t.back({ state, code: 'c', iss: ISSUER }, newBrowser(t.app)), 400)
    const told = await t.browser.get(await newestEnd())
    assert.match(told.text, /in another browser/)
  })

  it('is led home to start again when a node was killed over it', async () => {
    const { back, again } = await twice()
    const id = way(again).slice(`${BASE_URL}/oauth/finished/`.length)
    await t.database.transaction((trx) =>
      trx
        .updateTable('oauth_attempts')
        .set({ finished_at: null, outcome: null, account_id: null })
        .where('attempt_id', '=', id)
        .execute(),
    )
    assert.match((await back()).text, /data-state="stillRunning"/)
    clock = 2 * 60_000 + 1
    const late = await back()
    isPage(late, 400)
    assert.match(late.text, /data-state="finished"/)
    assert.equal(returned(await press(late)).error, 'oauth_attempt_invalid')
  })

  it('has no page before it has been to the provider', async () => {
    await t.begin(await t.start())
    isPage(await t.browser.get(await newestEnd()), 404)
  })
}
