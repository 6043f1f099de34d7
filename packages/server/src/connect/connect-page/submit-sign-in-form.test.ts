import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectCreated, expectOk, testContext } from '../../../test/test-context.ts'
import type { LinkId } from '../links/link.ts'
import {
  ISSUER,
  respondWithJson,
  type StubProviderContext,
} from '../oauth-flow/test/stub-provider-context.ts'
import { toFramePath } from './test/page-test-context.ts'
import {
  BASE_URL,
  type FetchedPage,
  getVisibleText,
  listenForVisitors,
  type TestVisitor,
} from './test/test-visitor.ts'

const HOST = 'https://app.example.com'
const CALLBACK = '/api/v1/oauth/callback'

describeOnBothDatabases('POST /link/{linkId}/sign-in', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: StubProviderContext
  let newVisitor: () => TestVisitor
  let now = Date.now()
  before(async () => {
    t = await testContext({
      provider: true,
      now: () => now,
      url: await newUrl(),
    })
    expectOk(
      await t.call('POST', `/v1/workspace/${t.workspaceId}`, {
        body: { allowedFrameOrigins: [HOST] },
      }),
    )
    newVisitor = await listenForVisitors(t.app)
  })
  after(() => t.close())

  const createLink = async (body = {}) => {
    const linkBody = { linkName: 'x', integrationDefinitionId: t.definitionId, ...body }
    return `/link/${expectCreated(await t.call('POST', '/v1/link', { body: linkBody })).linkId}`
  }
  const getState = (page: FetchedPage) =>
    new URL(page.location ?? '').searchParams.get('state') ?? ''
  const followCallback = (visitor: TestVisitor, query: Record<string, string>) =>
    visitor.get(`${CALLBACK}?${new URLSearchParams({ iss: ISSUER, ...query })}`)
  const fetchSubmissionState = async (
    visitor: TestVisitor,
    path: string,
    page: FetchedPage,
    session?: string,
  ) => {
    const headers = session === undefined ? {} : { 'x-linchpin-visit': session }
    const submissionId = page.getData('data-attempt')
    return JSON.parse((await visitor.get(`${path}/attempts/${submissionId}`, headers)).text)
  }

  it('redirects to the provider and back to the page, which shows the result after a reload too', async () => {
    const path = await createLink()
    const visitor = newVisitor()
    const form = await visitor.get(`${path}?accountIdentifier=customer-17&lang=de`)
    assert.equal(form.state, 'signIn')
    const redirected = await visitor.submit(form)
    assert.equal(redirected.status, 303)
    assert.match(redirected.location ?? '', new RegExp(`^${t.stubServer.url}/authorize\\?`))
    assert.deepEqual(await fetchSubmissionState(visitor, path, form), { state: 'running' })
    const waiting = await visitor.get(`${path}?attempt=${form.getData('data-attempt')}`)
    assert.equal(waiting.state, 'waitingSignIn')
    const callbackResponse = await followCallback(visitor, {
      state: getState(redirected),
      code: 'c',
    })
    assert.equal(callbackResponse.status, 303)
    assert.match(
      callbackResponse.location ?? '',
      new RegExp(`^${BASE_URL}${path}\\?accountIdentifier=customer-17&lang=de&attempt=`),
    )
    for (const page of [
      await visitor.get(callbackResponse.location ?? ''),
      await visitor.get(callbackResponse.location ?? ''),
    ])
      assert.equal(page.state, 'connected')
    const { state, account } = await fetchSubmissionState(visitor, path, form)
    assert.equal(state, 'connected')
    assert.equal(account.accountIdentifier, 'customer-17')
    assert.equal(account.integrationAccountName, 'A user')
    const row = await t.database.read
      .selectFrom('oauth_sessions')
      .selectAll()
      .where('link_id', '=', path.slice('/link/'.length) as LinkId)
      .executeTakeFirst()
    assert.deepEqual([row?.token_id, row?.needs_confirm, row?.sealed], [null, 0, null])
    const otherVisitor = await newVisitor().get(callbackResponse.location ?? '')
    assert.equal(otherVisitor.state, 'signIn')
    const replayed = await followCallback(visitor, { state: getState(redirected), code: 'c' })
    assert.equal(replayed.location, callbackResponse.location)
  })

  it('ends a popup on a page that shows the result to its own browser', async () => {
    const path = await createLink()
    const visitor = newVisitor()
    const form = await visitor.get(path)
    const redirected = await visitor.submit(form, { window: 'popup' })
    const callbackResponse = await followCallback(visitor, {
      state: getState(redirected),
      code: 'c',
    })
    assert.match(
      callbackResponse.location ?? '',
      new RegExp(`^${BASE_URL}${path}/closed\\?attempt=`),
    )
    const closed = await visitor.get(callbackResponse.location ?? '')
    assert.equal(closed.state, 'closed')
    assert.match(closed.text, /<body data-mode="closed">/)
    for (const page of [redirected, callbackResponse, closed])
      assert.equal(
        page.headers.get('cross-origin-opener-policy'),
        null,
        'a page with COOP could not be closed',
      )
    assert.match(getVisibleText(closed), /Stub is connected/)
    const otherVisitor = newVisitor()
    await otherVisitor.submit(await otherVisitor.get(path))
    for (const other of [newVisitor(), otherVisitor])
      assert.doesNotMatch(getVisibleText(await other.get(callbackResponse.location ?? '')), /Stub/)
    assert.equal((await fetchSubmissionState(visitor, path, form)).state, 'connected')
  })

  it('runs in a window beside a frame, without cookies in the frame', async () => {
    const path = await createLink()
    const inFrame = newVisitor()
    const form = await inFrame.get(toFramePath(path))
    assert.match(form.text, /target="_blank"/)
    const window = newVisitor()
    const redirected = await window.submit(form)
    assert.equal(redirected.status, 303, getVisibleText(redirected))
    const callbackResponse = await followCallback(window, {
      state: getState(redirected),
      code: 'c',
    })
    assert.match(callbackResponse.location ?? '', /\/closed\?attempt=/)
    const session = form.getData('data-visit') ?? ''
    const resultPage = await inFrame.get(
      `${toFramePath(path)}?attempt=${form.getData('data-attempt')}`,
      {
        'x-linchpin-visit': session,
      },
    )
    assert.equal(resultPage.state, 'connected')
    assert.equal((await fetchSubmissionState(inFrame, path, form, session)).state, 'connected')
    assert.equal(inFrame.jar.size, 0)
  })

  it('distinguishes denied access from an unavailable provider', async () => {
    const path = await createLink()
    const visitor = newVisitor()
    const finishWith = async (query: Record<string, string>) => {
      const form = await visitor.get(path)
      const redirected = await visitor.submit(form)
      const callbackResponse = await followCallback(visitor, {
        state: getState(redirected),
        ...query,
      })
      const page = await visitor.get(callbackResponse.location ?? '')
      assert.equal(page.state, 'failed')
      assert.equal(
        (await fetchSubmissionState(visitor, path, form)).code,
        page.getData('data-code'),
      )
      return page
    }
    const denied = await finishWith({ error: 'access_denied', error_description: '<b>no</b>' })
    assert.equal(denied.getData('data-code'), 'access_denied')
    assert.match(getVisibleText(denied), /Access was denied. Nothing is shared.*Try again/)
    assert.doesNotMatch(denied.text, /<b>no/)
    const { respondToToken } = t
    t.respondToToken = respondWithJson(503, {})
    const unavailableResponse = await finishWith({ code: 'c' })
    assert.equal(unavailableResponse.getData('data-code'), 'provider_error')
    t.respondToToken = respondToToken
  })

  it('an earlier failed attempt does not affect the next one', async () => {
    const path = await createLink()
    const visitor = newVisitor()
    const [one, two] = [await visitor.get(path), await visitor.get(path)]
    const first = await visitor.submit(one)
    const second = await visitor.submit(two)
    await followCallback(visitor, { state: getState(first), error: 'access_denied' })
    assert.equal((await fetchSubmissionState(visitor, path, one)).state, 'failed')
    assert.equal((await fetchSubmissionState(visitor, path, two)).state, 'running')
    const callbackResponse = await followCallback(visitor, { state: getState(second), code: 'c' })
    assert.equal((await visitor.get(callbackResponse.location ?? '')).state, 'connected')
    assert.equal((await fetchSubmissionState(visitor, path, two)).state, 'connected')
  })

  it('a reopened window replaces the first OAuth session of the submission', async () => {
    const path = await createLink()
    const visitor = newVisitor()
    const form = await visitor.get(path)
    const first = await visitor.submit(form)
    const resubmitted = await visitor.submit(form)
    assert.equal(resubmitted.status, 303)
    assert.notEqual(getState(first), getState(resubmitted))
    const before = await t.countAccounts()
    const staleCallback = await followCallback(visitor, { state: getState(first), code: 'c' })
    assert.equal(staleCallback.status, 303)
    assert.match(
      getVisibleText(await visitor.get(staleCallback.location ?? '')),
      /Close this one and continue there/,
    )
    assert.equal(await t.countAccounts(), before)
    assert.equal((await fetchSubmissionState(visitor, path, form)).state, 'running')
    await followCallback(visitor, { state: getState(resubmitted), code: 'c' })
    assert.equal((await fetchSubmissionState(visitor, path, form)).state, 'connected')
    assert.equal(await t.countAccounts(), before + 1)
    const third = await visitor.submit(form)
    assert.equal(third.state, 'alreadyFinished')
  })

  it('treats two simultaneous submissions as one browser', async () => {
    const path = await createLink()
    const visitor = newVisitor()
    const form = await visitor.get(path)
    const session = `linchpin-visit=${visitor.jar.get('linchpin-visit')}`
    const responses = await Promise.all(
      [1, 2].map(() => visitor.submit(form, {}, { cookie: session })),
    )
    const secrets = responses.map(({ headers }) => headers.getSetCookie().join())
    assert.equal(secrets[0], secrets[1])
    const callbackResponses = await Promise.all(
      responses.map((redirected) =>
        followCallback(visitor, { state: getState(redirected), code: 'c' }),
      ),
    )
    assert.ok(callbackResponses.every(({ status }) => status === 303))
    assert.equal((await fetchSubmissionState(visitor, path, form)).state, 'connected')
  })

  it('creates no account in another browser, and reports that to the page', async () => {
    const path = await createLink()
    const visitor = newVisitor()
    const form = await visitor.get(path)
    const redirected = await visitor.submit(form)
    const before = t.tokenRequests.length
    const otherBrowserResponse = await followCallback(newVisitor(), {
      state: getState(redirected),
      code: 'c',
    })
    assert.equal(otherBrowserResponse.status, 400)
    assert.equal(t.tokenRequests.length, before)
    assert.deepEqual(await fetchSubmissionState(visitor, path, form), {
      state: 'failed',
      code: 'other_browser',
    })
  })

  it('times out when the person does not return', async () => {
    const path = await createLink()
    const visitor = newVisitor()
    const form = await visitor.get(path)
    await visitor.submit(form)
    now += 13 * 60_000
    assert.deepEqual(await fetchSubmissionState(visitor, path, form), {
      state: 'failed',
      code: 'sign_in_overdue',
    })
    const page = await visitor.get(`${path}?attempt=${form.getData('data-attempt')}`)
    assert.match(getVisibleText(page), /within 10 minutes/)
  })

  it('creates no account when the link is revoked during the sign-in', async () => {
    const path = await createLink()
    const visitor = newVisitor()
    const form = await visitor.get(path)
    const redirected = await visitor.submit(form)
    expectOk(await t.call('DELETE', `/v1${path}`))
    const before = await t.countAccounts()
    const callbackResponse = await followCallback(visitor, {
      state: getState(redirected),
      code: 'c',
    })
    assert.equal((await visitor.get(callbackResponse.location ?? '')).state, 'revoked')
    assert.equal((await fetchSubmissionState(visitor, path, form)).code, 'link_revoked')
    assert.equal(await t.countAccounts(), before)
  })

  it('is rejected without its cookie and from another site', async () => {
    const path = await createLink()
    const form = await newVisitor().get(path)
    const sessionLost = await newVisitor().submit(form)
    assert.deepEqual([sessionLost.status, sessionLost.getData('data-code')], [403, 'visit_lost'])
    const visitor = newVisitor()
    const page = await visitor.get(path)
    const crossSiteResponse = await visitor.submit(page, {}, { 'sec-fetch-site': 'cross-site' })
    assert.equal(crossSiteResponse.state, 'notOurs')
  })
}

describe('Sign-in with fields for the authorization URL', () => {
  it('prompts for the fields, shows the form again on an error, and fills in the URL', async (context) => {
    const t = await testContext({
      provider: {
        auth: {
          input_specification: {
            type: 'object',
            required: ['subdomain'],
            properties: {
              subdomain: { type: 'string', pattern: '^[a-z]+$' },
              access_token: { type: 'string' },
            },
          },
          authorization_params: { shop: `\${subdomain}` },
        },
      },
    })
    context.after(() => t.close())
    const visitor = (await listenForVisitors(t.app))()
    const body = { linkName: 'x', integrationDefinitionId: t.definitionId }
    const path = `/link/${expectCreated(await t.call('POST', '/v1/link', { body })).linkId}`
    const form = await visitor.get(path)
    assert.equal(form.state, 'signIn')
    assert.match(form.text, /name="field.subdomain"/)
    assert.doesNotMatch(form.text, /name="field.access_token"/)
    const wrong = await visitor.submit(form, { 'field.subdomain': 'NO!' })
    assert.equal(wrong.status, 422)
    assert.equal(wrong.getData('data-attempt'), form.getData('data-attempt'))
    assert.match(getVisibleText(wrong), /Check Subdomain/)
    const redirected = await visitor.submit(wrong, { 'field.subdomain': 'north' })
    assert.equal(redirected.status, 303, getVisibleText(redirected))
    assert.equal(new URL(redirected.location ?? '').searchParams.get('shop'), 'north')
  })
})

describe('Sign-in at a certified OpenID provider', () => {
  it('creates an account from the connect page', async (context) => {
    const t = await testContext({ oauth: true })
    context.after(() => t.close())
    const body = { linkName: 'x', integrationDefinitionId: t.definitionId }
    const path = `/link/${expectCreated(await t.call('POST', '/v1/link', { body })).linkId}`
    const form = await t.browser.get(BASE_URL + path)
    const names = [...form.text.matchAll(/name="([^"]+)" value="([^"]*)"/g)]
    const fields = Object.fromEntries(names.map(([, name = '', value = '']) => [name, value]))
    const redirected = await t.browser.post(`${BASE_URL}${path}/sign-in`, fields)
    assert.equal(redirected.status, 303, redirected.text)
    const callback = await t.browser.signIn(redirected.location ?? '')
    const callbackResponse = await t.browser.get(callback)
    const page = await t.browser.get(callbackResponse.location ?? '')
    assert.match(page.text, /data-state="connected"/)
  })
})
