import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { expectCreated, expectOk, testContext } from '../../../../test/test-context.ts'
import { newId } from '../../../platform/storage/id.ts'
import type { StubProviderContext } from '../../oauth-flow/test/stub-provider-context.ts'
import { ISSUER, respondWithJson } from '../../oauth-flow/test/stub-provider-context.ts'
import { type PageTestContext, RETURN_URL } from '../test/page-test-context.ts'
import { BASE_URL } from '../test/test-visitor.ts'

const describeSignIn = (hasLink: boolean) => () => {
  let t: StubProviderContext & PageTestContext
  before(async () => {
    t = await testContext({ provider: true, pages: true })
  })
  after(() => t.close())

  it('leaves the account pending until the product confirms it', async () => {
    const linkBody = { linkName: 'a', preferOAuth: true }
    const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body: linkBody }))
    const tags = { plan: 'pro' }
    const policy = hasLink ? { linkId } : {}
    const body = { ...policy, accountIdentifier: 'customer-1', redirectURL: RETURN_URL, tags }
    const session = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
    const visitor = t.visitor()
    // The form of the only tool opens the session, too.
    const form = await visitor.get(session.url)
    assert.equal(form.state, 'signIn')
    const sent = await visitor.submit(form)
    const state = new URL(sent.location ?? '').searchParams.get('state') ?? ''
    assert.notEqual(state, '', sent.text)
    t.respondToToken = respondWithJson(200, { access_token: 'alice.1', expires_in: 3_600 })
    const callback = await visitor.get(
      `/api/v1/oauth/callback?${new URLSearchParams({ state, code: 'code-1', iss: ISSUER })}`,
    )
    assert.ok(
      callback.location?.includes(`/connect/${session.connectSessionId}?`),
      JSON.stringify([callback.status, callback.location, callback.plain]),
    )
    const done = await visitor.get(callback.location ?? '')
    assert.equal(done.state, 'connected', done.text)
    const back = /href="(https:\/\/app\.example[^"]*)"/.exec(done.plain)?.[1] ?? ''
    const values = Object.fromEntries(new URL(back).searchParams)
    const account = `/v1/integration_account/${values.integrationAccountId}`
    const read = async () => t.call('GET', account)
    assert.notEqual((await read()).body.status, 'active')
    const confirm = { body: { confirmToken: values.confirmToken } }
    const other = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
    for (const [id, code] of [
      [other.connectSessionId, 'oauth_confirm_invalid'],
      [newId('cns', Date.now()), 'connect_session_not_found'],
    ]) {
      const refused = await t.call('POST', `/v1/connect_session/${id}/confirm`, confirm)
      assert.equal(refused.body.error, code)
    }
    const { connectSessionId } = session
    const confirmPath = `/v1/connect_session/${connectSessionId}/confirm`
    expectOk(await t.call('POST', confirmPath, confirm))
    assert.equal((await t.call('POST', confirmPath, confirm)).body.error, 'oauth_confirm_invalid')
    const confirmed = expectOk(await read())
    assert.deepEqual([confirmed.status, confirmed.accountIdentifier], ['active', 'customer-1'])
    assert.deepEqual(confirmed.tags, tags)
    const created = await t.database.read
      .selectFrom('events')
      .select('data')
      .where('type', '=', 'account.created')
      .executeTakeFirstOrThrow()
    assert.equal(JSON.parse(created.data).connectSessionId, session.connectSessionId)
    const path = `/v1/connect_session/${session.connectSessionId}`
    assert.equal(expectOk(await t.call('GET', path)).status, 'completed')
  })

  /** Signs in through a frame, in a window with its own cookies, which no frame sees. */
  const signInFramed = async (body: Record<string, unknown>, access: string) => {
    const session = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
    const frameUrl = session.url.replace('/connect/', '/connect/frame/')
    const [frame, popup] = [t.visitor(), t.visitor()]
    // A sign-in of another session has set the cookie before.
    popup.jar.set('linchpin-oauth', 'A'.repeat(43))
    const form = await frame.submit(await frame.get(frameUrl, { 'sec-fetch-dest': 'iframe' }))
    const sent = await popup.submit(form)
    const state = new URL(sent.location ?? '').searchParams.get('state') ?? ''
    t.respondToToken = respondWithJson(200, { access_token: access, expires_in: 3_600 })
    const callback = await popup.get(
      `/api/v1/oauth/callback?${new URLSearchParams({ state, code: 'code-1', iss: ISSUER })}`,
    )
    assert.match(callback.location ?? '', /\/closed\?/)
    assert.doesNotMatch(callback.location ?? '', /confirmToken/)
    const attempt = form.getData('data-attempt')
    const done = await frame.get(`${BASE_URL}${form.getData('data-path')}?attempt=${attempt}`, {
      'x-linchpin-visit': form.getData('data-visit') ?? '',
    })
    assert.equal(done.state, 'connected', done.text)
    return { session, account: JSON.parse(done.getData('data-account') ?? '{}') }
  }

  it('leaves it pending in a frame too, whose host receives the token', async () => {
    const body = { accountIdentifier: 'customer-2', redirectURL: RETURN_URL }
    const { session, account } = await signInFramed(body, 'bella.1')
    const path = `/v1/integration_account/${account.integrationAccountId}`
    assert.equal(expectOk(await t.call('GET', path)).status, 'pending')
    const { confirmToken } = account
    const confirm = `/v1/connect_session/${session.connectSessionId}/confirm`
    expectOk(await t.call('POST', confirm, { body: { confirmToken } }))
    assert.equal(expectOk(await t.call('GET', path)).status, 'active')
  })

  it('asks for no confirmation without a redirectURL', async () => {
    const { account } = await signInFramed({ accountIdentifier: 'customer-3' }, 'carla.1')
    assert.equal(account.confirmToken, undefined)
    const path = `/v1/integration_account/${account.integrationAccountId}`
    assert.equal(expectOk(await t.call('GET', path)).status, 'active')
  })

  it('is not started on the frame page by a browser that shows it as a document, or does not say so', async () => {
    const body = { accountIdentifier: 'customer-4', redirectURL: RETURN_URL }
    const session = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
    const frameUrl = session.url.replace('/connect/', '/connect/frame/')
    const get = (headers: Record<string, string>) => t.visitor().get(frameUrl, headers)
    for (const dest of [undefined, '', 'document', 'Document', 'object', 'iframe, document']) {
      const page = await get(dest === undefined ? {} : { 'sec-fetch-dest': dest })
      assert.deepEqual([page.status, page.location], [303, session.url], dest)
    }
    assert.equal((await get({ 'sec-fetch-dest': 'iframe' })).state, 'sessionStart')
  })
}

describe('A sign-in in a connect session with a redirectURL', describeSignIn(true))
describe(
  'A sign-in in a connect session with a redirectURL and without a link',
  describeSignIn(false),
)
