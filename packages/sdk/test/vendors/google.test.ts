import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { OAuth2Client } from 'google-auth-library'
import {
  type OAuthProxyTestContext,
  startOAuthProxyTestContext,
} from '../../../server/src/accounts/proxy/test/oauth-proxy-test-context.ts'
import { type Account, findLinchpinError, Linchpin } from '../../src/index.ts'

describe('google-auth-library', () => {
  let context: OAuthProxyTestContext
  let linchpin: Linchpin
  before(async () => {
    context = await startOAuthProxyTestContext()
    const { port } = context.t.app.server.address() as { port: number }
    const baseUrl = `http://127.0.0.1:${port}`
    linchpin = new Linchpin({ baseUrl, token: context.t.token, maxRetries: 0 })
  })
  after(() => context.close())

  const url = () => `${context.t.stubServer.url}/api/me`

  /** As in the README of the SDK. */
  const connect = (account: Account) => {
    const getToken = account.tokenProvider()
    const client = new OAuth2Client()
    client.refreshHandler = async () => {
      const { accessToken, expiresAt } = await getToken()
      return { access_token: accessToken, expiry_date: expiresAt?.getTime() ?? Date.now() }
    }
    return client
  }

  it('gets its tokens from tokenProvider(), and a new one when one has expired', async () => {
    const { id, family } = await context.connectAccount()
    const client = connect(linchpin.account(id))
    const first = family.accessToken
    for (let round = 0; round < 2; round++)
      assert.equal((await client.request({ url: url() })).data, `Bearer ${first}`)
    const now = Date.now()
    await context.change(id, { token_expires_at: now - 1_000, refresh_at: now - 1_000 })
    client.credentials.expiry_date = now - 1_000
    const { data } = await client.request({ url: url() })
    assert.notEqual(data, `Bearer ${first}`)
    assert.equal(data, `Bearer ${family.accessToken}`)
    const expiryDate = client.credentials.expiry_date
    assert.ok(expiryDate !== undefined && expiryDate > now + 60_000)
  })

  it('asks for another token when the provider refuses the first', async () => {
    const { id } = await context.connectAccount()
    const client = connect(linchpin.account(id))
    client.forceRefreshOnFailure = true
    context.reset()
    context.statusForBearer = (_bearer, index) => (index === 0 ? 401 : 200)
    assert.equal((await client.request({ url: url() })).status, 200)
    assert.equal(context.apiRequests.length, 2)
    context.reset()
  })

  it('throws the error of Linchpin, such as for an account that is gone', async () => {
    await assert.rejects(connect(linchpin.account('acc_0')).request({ url: url() }), (error) => {
      assert.equal(findLinchpinError(error)?.code, 'integration_account_not_found')
      return true
    })
  })

  it('sends its requests through account(id).fetch, without a token of its own', async () => {
    const { id, family } = await context.connectAccount()
    const fetchImplementation = linchpin.account(id).fetch
    const client = new OAuth2Client({ transporterOptions: { fetchImplementation } })
    const { data } = await client.transporter.request({ url: url() })
    assert.equal(data, `Bearer ${family.accessToken}`)
  })
})
