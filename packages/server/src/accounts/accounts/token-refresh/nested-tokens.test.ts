// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { expectOk } from '../../../../test/test-context.ts'
import { getValidCredentials } from './get-valid-credentials.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from './test/refresh-test-context.ts'

describeOnBothDatabases('an account with a token of the app and a token of the person', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => {
    Object.assign(context.provider, { expiresIn: 3_600, beforeRotation: undefined })
    context.provider.calls.length = 0
    context.provider.revoked.length = 0
  })

  async function connect(nestedFields: Readonly<Record<string, unknown>> = {}) {
    const user = context.provider.newFamily()
    const spec = createOAuthSpec(context.provider, {
      revocation_url: `${context.provider.url}/revoke`,
      headers: {
        authorization: 'Bearer ${access_token}',
        'x-user': 'Bearer ${authed_user.access_token}',
      },
      'x-headers': 'complete',
    })
    const { id, family } = await context.account({
      code: createMiniBundle(spec),
      config: {
        'authed_user.access_token': user.accessToken,
        'authed_user.refresh_token': user.refreshToken,
        'authed_user.expires_at': new Date(Date.now() + 10_000).toISOString(),
        ...nestedFields,
      },
    })
    return { id, app: family, user, old: { app: family.accessToken, user: user.accessToken } }
  }

  it('has both refreshed with their own refresh tokens, and both in credentials and headers', async () => {
    const { id, app, user, old } = await connect()
    const token = await context.t.createToken({ scopes: ['credentials:read'] })
    const path = `/v1/integration_account/${id}/credentials`
    const { config, headers } = expectOk(await context.t.call('GET', path, { token }))
    assert.notEqual(config['authed_user.access_token'], old.user)
    assert.notEqual(config.access_token, old.app)
    assert.deepEqual(
      [config.access_token, config.refresh_token],
      [app.accessToken, app.refreshToken],
    )
    assert.deepEqual(
      [config['authed_user.access_token'], config['authed_user.refresh_token']],
      [user.accessToken, user.refreshToken],
    )
    assert.deepEqual(headers, {
      authorization: `Bearer ${app.accessToken}`,
      'x-user': `Bearer ${user.accessToken}`,
    })
    assert.equal(context.provider.calls.length, 2)
    assert.equal(context.provider.reuseCount(), 0)
  })

  it('expires when the first of its tokens does', async () => {
    const { id } = await connect()
    let requests = 0
    context.provider.afterRotation = (response) => {
      requests += 1
      const family = context.provider.families.at(requests === 1 ? -2 : -1)
      context.provider.afterRotation = undefined
      if (requests > 1) return false
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ok: true, authed_user: { ...toTokens(family), expires_in: 600 } }))
      return true
    }
    await getValidCredentials(context.node(), id)
    const { token_expires_at } = await context.row(id)
    const seconds = (Number(token_expires_at) - Date.now()) / 1_000
    assert.ok(seconds > 500 && seconds <= 600, `${seconds}`)
  })

  it('keeps the new token of the person when the other request fails', async () => {
    const { id, user, old } = await connect()
    let requests = 0
    context.provider.beforeRotation = (response) => {
      requests += 1
      if (requests === 1) return false
      response.writeHead(503).end()
      return true
    }
    const { grant } = await getValidCredentials(context.node(), id)
    assert.equal(grant.config.access_token, old.app)
    assert.equal(grant.config['authed_user.access_token'], user.accessToken)
    assert.notEqual(user.accessToken, old.user)
    assert.equal((await context.row(id)).refresh_failures, 1)
  })

  it('becomes needs_reauth when the token of the person has ended', async () => {
    const { id, user } = await connect()
    user.isRevoked = true
    await assert.rejects(getValidCredentials(context.node(), id))
    const { status, status_reason } = await context.row(id)
    assert.deepEqual([status, status_reason], ['needs_reauth', 'invalid_grant'])
  })

  it('has all of them revoked when it is deleted, each refresh token first', async () => {
    const { id, app, user } = await connect()
    const list = (tokens: typeof app) => [
      `refresh_token ${tokens.refreshToken}`,
      `access_token ${tokens.accessToken}`,
    ]
    const deleted = expectOk(await context.t.call('DELETE', `/v1/integration_account/${id}`))
    assert.equal(deleted.revocation, 'revoked')
    assert.deepEqual(context.provider.revoked, [...list(app), ...list(user)])
  })

  it('has a further token without a refresh token revoked, too', async () => {
    const { id, user } = await connect({ 'authed_user.refresh_token': undefined })
    expectOk(await context.t.call('DELETE', `/v1/integration_account/${id}`))
    assert.deepEqual(context.provider.revoked.slice(2), [`access_token ${user.accessToken}`])
  })

  it('reports failed and is deleted when only a further token could not be revoked', async () => {
    const { id, user } = await connect()
    context.provider.refusedRevocations.add(user.refreshToken)
    const deleted = expectOk(await context.t.call('DELETE', `/v1/integration_account/${id}`))
    assert.equal(deleted.revocation, 'failed')
    assert.notEqual(deleted.deleted, null)
    assert.equal((await context.row(id)).sealed_config, null)
  })

  it('never shows a token in a response without credentials', async () => {
    const { id, user, app } = await connect()
    await getValidCredentials(context.node(), id)
    const account = await context.t.call('GET', `/v1/integration_account/${id}`)
    const events = await context.t.call('GET', `/v1/event?wait=1&subject=${id}`)
    for (const secret of [user.accessToken, user.refreshToken, app.accessToken])
      assert.ok(!JSON.stringify([account.body, events.body]).includes(secret))
  })
}

function toTokens(family: { accessToken: string; refreshToken: string } | undefined) {
  return { access_token: family?.accessToken, refresh_token: family?.refreshToken }
}
