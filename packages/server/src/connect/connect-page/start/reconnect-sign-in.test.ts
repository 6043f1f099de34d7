import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { AnyBody } from '../../../../test/any-body.ts'
import { expectCreated, expectOk, testContext } from '../../../../test/test-context.ts'
import type { AccountRow } from '../../../accounts/accounts/account.ts'
import type { RevocationTestContext } from '../../oauth-flow/test/revocation-test-context.ts'
import {
  getReturnParams,
  ISSUER,
  respondWithJson,
} from '../../oauth-flow/test/stub-provider-context.ts'
import { type PageTestContext, RETURN_URL } from '../test/page-test-context.ts'
import { getVisibleText, pressStart } from '../test/test-visitor.ts'

const describeReconnect = (hasLink: boolean) => () => {
  let t: RevocationTestContext & PageTestContext
  let linkId: string
  before(async () => {
    t = await testContext({ provider: { revocation: true }, pages: true })
    const body = { linkName: 'a', preferOAuth: true }
    linkId = expectCreated(await t.call('POST', '/v1/link', { body })).linkId
  })
  after(() => t.close())

  const respond = (access: string) => {
    const tokens = { access_token: access, refresh_token: `rt_${access}`, expires_in: 3_600 }
    t.respondToToken = respondWithJson(200, tokens)
  }
  /** Creates an account that is not of the link. */
  const connect = async (access: string): Promise<string> => {
    respond(access)
    return getReturnParams(await t.completeFlow({ accountIdentifier: 'customer-1' }))
      .integrationAccountId
  }
  /** Signs in, and returns the page afterwards. */
  const reconnect = async (
    session: AnyBody,
    access: string,
    query = '',
    meanwhile: () => Promise<unknown> = async () => undefined,
  ) => {
    respond(access)
    const visitor = t.visitor()
    const pressed = await pressStart(visitor, session.url)
    const form = await visitor.get((pressed.location ?? '') + query)
    assert.match(form.plain, /Reconnect/)
    const sent = await visitor.submit(form)
    const state = new URL(sent.location ?? '').searchParams.get('state') ?? ''
    await meanwhile()
    const params = new URLSearchParams({ state, code: `code-${access}`, iss: ISSUER })
    const callback = await visitor.get(`/api/v1/oauth/callback?${params}`)
    return visitor.get(callback.location ?? '')
  }
  const policy = () => (hasLink ? { linkId } : {})
  const create = async (body: AnyBody) =>
    expectCreated(await t.call('POST', '/v1/connect_session', { body: { ...policy(), ...body } }))
  const readToken = async (id: string) =>
    expectOk(await t.call('GET', `/v1/integration_account/${id}/credentials`)).config.access_token
  const getStatus = async ({ connectSessionId }: AnyBody) =>
    expectOk(await t.call('GET', `/v1/connect_session/${connectSessionId}`)).status

  it('must be of the same person, who then need not be confirmed', async () => {
    const id = await connect('alice.1')
    const session = await create({ integrationAccountId: id, redirectURL: RETURN_URL })
    const other = await reconnect(session, 'bob.1')
    assert.deepEqual([other.state, other.getData('data-code')], ['failed', 'identity_mismatch'])
    assert.equal(await readToken(id), 'alice.1')
    const again = await create({ integrationAccountId: id, redirectURL: RETURN_URL })
    const done = await reconnect(again, 'alice.2')
    assert.equal(done.state, 'connected', done.text)
    assert.doesNotMatch(done.plain, /confirmToken/)
    assert.equal(await readToken(id), 'alice.2')
    assert.equal(await getStatus(again), 'completed')
  })

  it('awaits confirmation if no identity is known', async () => {
    const id = await connect('unknown.1')
    const session = await create({ integrationAccountId: id, redirectURL: RETURN_URL })
    const done = await reconnect(session, 'unknown.2')
    assert.equal(done.state, 'connected', done.text)
    const back = /href="(https:\/\/app\.example[^"]*)"/.exec(done.plain)?.[1] ?? ''
    const { confirmToken, integrationAccountId } = Object.fromEntries(new URL(back).searchParams)
    assert.equal(integrationAccountId, id)
    assert.equal(await readToken(id), 'unknown.1')
    const other = await create({ integrationAccountId: id })
    const confirm = ({ connectSessionId }: AnyBody) =>
      t.call('POST', `/v1/connect_session/${connectSessionId}/confirm`, { body: { confirmToken } })
    assert.equal((await confirm(other)).body.error, 'oauth_confirm_invalid')
    assert.equal(await readToken(id), 'unknown.1')
    expectOk(await confirm(session))
    assert.equal(await readToken(id), 'unknown.2')
    assert.equal(await getStatus(session), 'completed')
  })

  it('runs from a portal, for one account of its customer', async () => {
    const id = await connect('carol.1')
    const session = await create({ mode: 'manage', accountIdentifier: 'customer-1' })
    const done = await reconnect(session, 'carol.2', `?reconnect=${id}`)
    assert.equal(done.state, 'connected', done.text)
    assert.equal(await readToken(id), 'carol.2')
    assert.equal(await getStatus(session), 'opened')
  })

  it('ends without a change if the account left the session while the person signed in', async () => {
    const leaves: Record<string, (id: string) => Promise<unknown>> = {
      'to another customer': (id) => update(id, { account_identifier: 'customer-2' }),
      deleted: (id) => t.call('DELETE', `/v1/integration_account/${id}`),
    }
    for (const [name, leave] of Object.entries(leaves))
      for (const isPortal of [false, true]) {
        const id = await connect('dora.1')
        const session = await create(
          isPortal
            ? { mode: 'manage', accountIdentifier: 'customer-1' }
            : { integrationAccountId: id },
        )
        const query = isPortal ? `?reconnect=${id}` : ''
        const done = await reconnect(session, 'dora.2', query, () => leave(id))
        assert.notEqual(done.state, 'connected', name)
        const row = await t.database.read
          .selectFrom('accounts')
          .select(['credential_version', 'deleted_at'])
          .where('account_id', '=', id as 'acc_')
          .executeTakeFirstOrThrow()
        assert.equal(row.credential_version, 1, name)
        if (row.deleted_at === null) assert.equal(await readToken(id), 'dora.1')
        assert.equal(await getStatus(session), 'opened')
      }
  })
  const update = (id: string, change: Partial<AccountRow>) =>
    t.database.transaction((trx) =>
      trx
        .updateTable('accounts')
        .set(change)
        .where('account_id', '=', id as 'acc_')
        .execute(),
    )

  it('explains that the sign-in has to be set up again if the OAuth app is gone', async () => {
    const id = await connect('erin.1')
    const session = await create({ integrationAccountId: id })
    // The API refuses this while accounts use the app.
    await t.database.transaction((trx) =>
      trx
        .deleteFrom('oauth_apps')
        .where('oauth_app_id', '=', t.appId as `oap_${string}`)
        .execute(),
    )
    const visitor = t.visitor()
    const pressed = await pressStart(visitor, session.url)
    const page = await visitor.get(pressed.location ?? '')
    assert.deepEqual([page.state, page.getData('data-code')], ['pickerEmpty', 'app_missing'])
    const text = getVisibleText(page)
    assert.match(text, /Stub can't be reconnected right now/)
    assert.match(text, /has to set up sign-in to Stub again/)
  })
}

describe('A sign-in that reconnects an account in a connect session', describeReconnect(true))
describe(
  'A sign-in that reconnects an account in a connect session without a link',
  describeReconnect(false),
)
