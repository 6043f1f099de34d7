import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { registerOAuthApp } from '../../../test/register-oauth-app.ts'
import { expectOk, testContext } from '../../../test/test-context.ts'
import { BASE_URL, newBrowser } from './test/browser.ts'
import {
  CLIENT,
  createOidcAuth,
  createOidcBundle,
  type OAuthTestContext,
  type OidcProvider,
  RETURN_URL,
  startOidcProvider,
} from './test/oauth-test-context.ts'

const parseQuery = (url: string | undefined) => Object.fromEntries(new URL(url ?? '').searchParams)

describe('the OAuth flow with a certified provider that requires PKCE and rotates refresh tokens', () => {
  let t: OAuthTestContext
  let other: OidcProvider
  let otherId: string
  before(async () => {
    t = await testContext({ oauth: true })
    other = await startOidcProvider()
    const code = createOidcBundle(other.url, createOidcAuth(other.url))
    const definition = await t.createDefinition({ code, name: 'Other Books' })
    otherId = definition.integrationDefinitionId
    await registerOAuthApp(t, { integrationDefinitionId: otherId, ...CLIENT })
  })
  after(async () => {
    await t.close()
    await other.close()
  })

  const tokenCalls = (provider: OidcProvider) =>
    provider.requests.filter((request) => request === 'POST /token').length
  const listAccountRows = () => t.database.read.selectFrom('accounts').selectAll().execute()

  it('rejects a code of another session: the code verifier does not match', async () => {
    const accounts = (await listAccountRows()).length
    const first = new URL(await t.browser.signIn(await t.browser.begin(await t.start())))
    const second = new URL(await t.browser.signIn(await t.browser.begin(await t.start())))
    const code = first.searchParams.get('code') ?? ''
    first.searchParams.set('code', second.searchParams.get('code') ?? '')
    second.searchParams.set('code', code)
    for (const url of [first, second])
      assert.equal(
        parseQuery((await t.browser.get(url.href)).location).error,
        'token_exchange_failed',
      )
    assert.equal((await listAccountRows()).length, accounts)
  })

  it('never sends a code of one provider to another', async () => {
    const [accounts, ourCredentials, providerAccounts] = [
      (await listAccountRows()).length,
      tokenCalls(t.provider),
      tokenCalls(other),
    ]
    const ownPage = new URL(await t.browser.signIn(await t.browser.begin(await t.start())))
    const authorizationUrl = new URL(
      await t.browser.begin(await t.start({ integrationDefinitionId: otherId })),
    )
    ownPage.searchParams.set('state', authorizationUrl.searchParams.get('state') ?? '')
    const response = await t.browser.get(ownPage.href)
    assert.equal(parseQuery(response.location).error, 'oauth_issuer_mismatch')
    assert.deepEqual(
      [tokenCalls(t.provider), tokenCalls(other)],
      [ourCredentials, providerAccounts],
    )
    assert.equal((await listAccountRows()).length, accounts)
  })

  it('rejects a code whose code challenge was removed or replaced in transit', async () => {
    const accounts = (await listAccountRows()).length
    const stripped = new URL(await t.browser.begin(await t.start()))
    stripped.searchParams.delete('code_challenge')
    const callbackUrl = await t.browser.signIn(stripped.href)
    assert.notEqual(parseQuery((await t.browser.get(callbackUrl)).location).success, 'true')
    const tamperedUrl = new URL(await t.browser.begin(await t.start()))
    tamperedUrl.searchParams.set('code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
    const response = await t.browser.get(await t.browser.signIn(tamperedUrl.href))
    assert.equal(parseQuery(response.location).error, 'token_exchange_failed')
    assert.equal((await listAccountRows()).length, accounts)
  })

  it("leaves a victim who opens an attacker's page with their own pending account", async () => {
    const victim = newBrowser(t.app)
    const response = await victim.connect(
      await t.start({ accountIdentifier: 'attacker' }),
      'victim',
    )
    const { integrationAccountId } = parseQuery(response.location)
    const account = expectOk(await t.call('GET', `/v1/integration_account/${integrationAccountId}`))
    assert.equal(account.status, 'pending')
  })

  it("rejects an attacker's callback in the victim's browser", async () => {
    const attacker = newBrowser(t.app)
    const callback = await attacker.signIn(await attacker.begin(await t.start()), 'attacker')
    const calls = tokenCalls(t.provider)
    assert.equal((await newBrowser(t.app).get(callback)).status, 400)
    assert.equal((await attacker.get(callback)).status, 400)
    assert.equal(tokenCalls(t.provider), calls)
  })

  it('reconnects only as the same user, unless allowOtherIdentity is set', async () => {
    const first = parseQuery((await t.browser.connect(await t.start({ confirm: false }))).location)
    const reconnect = { integrationAccountId: first.integrationAccountId, confirm: false }
    const sameUserResponse = await newBrowser(t.app).connect(await t.start(reconnect), 'alice')
    assert.equal(
      parseQuery(sameUserResponse.location).integrationAccountId,
      first.integrationAccountId,
    )
    const otherUserResponse = await newBrowser(t.app).connect(await t.start(reconnect), 'bob')
    assert.equal(parseQuery(otherUserResponse.location).error, 'identity_mismatch')
    const withConsent = { ...reconnect, allowOtherIdentity: true }
    const allowed = await newBrowser(t.app).connect(await t.start(withConsent), 'bob')
    assert.equal(parseQuery(allowed.location).success, 'true')
    const row = (await listAccountRows()).find(
      (one) => one.account_id === first.integrationAccountId,
    )
    assert.deepEqual([row?.identity_id, row?.credential_version], ['bob', 3])
  })

  it('reports access_denied to the host application', async () => {
    const authorizationUrl = await t.browser.begin(await t.start())
    const response = await t.browser.get(authorizationUrl)
    const abort = await t.browser.get(`${response.location}/abort`)
    let url = abort.location ?? ''
    while (!url.startsWith(BASE_URL)) url = (await t.browser.get(url)).location ?? BASE_URL
    const finalResponse = await t.browser.get(url)
    assert.ok(finalResponse.location?.startsWith(RETURN_URL), finalResponse.text)
    assert.equal(parseQuery(finalResponse.location).error, 'access_denied')
  })
})
