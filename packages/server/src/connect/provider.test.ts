import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fine } from '../../test/fixtures.ts'
import { registerApp } from '../../test/oauth-app-fixtures.ts'
import { BASE_URL, newBrowser } from './test/browser.ts'
import {
  CLIENT,
  HOME,
  type OAuthWorld,
  type OidcProvider,
  oidcAuth,
  oidcBundle,
  startOAuthWorld,
  startOidcProvider,
} from './test/oauth-world.ts'

const query = (url: string | undefined) => Object.fromEntries(new URL(url ?? '').searchParams)

describe('with a certified provider that demands PKCE and rotates', () => {
  let t: OAuthWorld
  let other: OidcProvider
  let otherId: string
  before(async () => {
    t = await startOAuthWorld()
    other = await startOidcProvider()
    const code = oidcBundle(other.url, oidcAuth(other.url))
    const definition = await t.define({ code, name: 'Other Books' })
    otherId = String(definition.integrationDefinitionId)
    await registerApp(t, { integrationDefinitionId: otherId, ...CLIENT })
  })
  after(async () => {
    await t.close()
    await other.close()
  })

  const tokenCalls = (provider: OidcProvider) =>
    provider.requests.filter((request) => request === 'POST /token').length
  const rows = () => t.database.read.selectFrom('accounts').selectAll().execute()

  it('refuses a code that belongs to another flow: verifiers are not exchanged', async () => {
    const accounts = (await rows()).length
    const first = new URL(await t.browser.signIn(await t.browser.begin(await t.start())))
    const second = new URL(await t.browser.signIn(await t.browser.begin(await t.start())))
    const code = first.searchParams.get('code') ?? ''
    first.searchParams.set('code', second.searchParams.get('code') ?? '')
    second.searchParams.set('code', code)
    for (const url of [first, second])
      assert.equal(query((await t.browser.get(url.href)).location).error, 'token_exchange_failed')
    assert.equal((await rows()).length, accounts)
  })

  it("sends one provider's code to no other provider", async () => {
    const [accounts, ours, theirs] = [
      (await rows()).length,
      tokenCalls(t.provider),
      tokenCalls(other),
    ]
    const mine = new URL(await t.browser.signIn(await t.browser.begin(await t.start())))
    const begun = new URL(
      await t.browser.begin(await t.start({ integrationDefinitionId: otherId })),
    )
    mine.searchParams.set('state', begun.searchParams.get('state') ?? '')
    const visit = await t.browser.get(mine.href)
    assert.equal(query(visit.location).error, 'oauth_issuer_mismatch')
    assert.deepEqual([tokenCalls(t.provider), tokenCalls(other)], [ours, theirs])
    assert.equal((await rows()).length, accounts)
  })

  it('refuses a code for which the challenge was stripped or swapped on the way', async () => {
    const accounts = (await rows()).length
    const stripped = new URL(await t.browser.begin(await t.start()))
    stripped.searchParams.delete('code_challenge')
    const back = await t.browser.signIn(stripped.href)
    assert.notEqual(query((await t.browser.get(back)).location).success, 'true')
    const swapped = new URL(await t.browser.begin(await t.start()))
    swapped.searchParams.set('code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
    const visit = await t.browser.get(await t.browser.signIn(swapped.href))
    assert.equal(query(visit.location).error, 'token_exchange_failed')
    assert.equal((await rows()).length, accounts)
  })

  it('connects no stranger: the page goes to a victim, who ends with their own pending account', async () => {
    const victim = newBrowser(t.app)
    const visit = await victim.connect(await t.start({ accountIdentifier: 'attacker' }), 'victim')
    const { integrationAccountId } = query(visit.location)
    const account = fine(await t.call('GET', `/v1/integration_account/${integrationAccountId}`))
    assert.equal(account.status, 'pending')
  })

  it("refuses a victim's browser the callback of an attacker who signed in first", async () => {
    const attacker = newBrowser(t.app)
    const callback = await attacker.signIn(await attacker.begin(await t.start()), 'attacker')
    const calls = tokenCalls(t.provider)
    assert.equal((await newBrowser(t.app).get(callback)).status, 400)
    assert.equal((await attacker.get(callback)).status, 400)
    assert.equal(tokenCalls(t.provider), calls)
  })

  it('reconnects as the same person only, unless asked for', async () => {
    const first = query((await t.browser.connect(await t.start({ confirm: false }))).location)
    const again = { integrationAccountId: first.integrationAccountId, confirm: false }
    const same = await newBrowser(t.app).connect(await t.start(again), 'alice')
    assert.equal(query(same.location).integrationAccountId, first.integrationAccountId)
    const bob = await newBrowser(t.app).connect(await t.start(again), 'bob')
    assert.equal(query(bob.location).error, 'identity_mismatch')
    const asked = { ...again, allowOtherIdentity: true }
    const allowed = await newBrowser(t.app).connect(await t.start(asked), 'bob')
    assert.equal(query(allowed.location).success, 'true')
    const row = (await rows()).find((one) => one.account_id === first.integrationAccountId)
    assert.deepEqual([row?.identity_id, row?.credential_version], ['bob', 3])
  })

  it('tells the host when the person says no', async () => {
    const begun = await t.browser.begin(await t.start())
    const visit = await t.browser.get(begun)
    const abort = await t.browser.get(`${visit.location}/abort`)
    let url = abort.location ?? ''
    while (!url.startsWith(BASE_URL)) url = (await t.browser.get(url)).location ?? BASE_URL
    const back = await t.browser.get(url)
    assert.ok(back.location?.startsWith(HOME), back.text)
    assert.equal(query(back.location).error, 'access_denied')
  })
})
