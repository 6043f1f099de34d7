// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs look like this
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMiniBundle } from '../../../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../../test/postgres.ts'
import { expectError, expectOk, listAuditActions } from '../../../../../test/test-context.ts'
import { getValidCredentials } from '../get-valid-credentials.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from '../test/refresh-test-context.ts'
import { createOfflineBundle, createRotatingBundle } from '../test/rotating-bundle.ts'
import { getAuthHeaders } from './get-auth-headers.ts'

describeOnBothDatabases('getAuthHeaders', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => {
    context.provider.beforeRotation = undefined
    context.provider.expiresIn = 3_600
    context.provider.calls.length = 0
  })
  const createProviderBundle = () => createRotatingBundle(createOAuthSpec(context.provider))
  const unmanaged = { hasApp: false, row: { token_expires_at: null, refresh_at: null } }

  it('stores rotated tokens before the headers are used', async () => {
    const config = { desk: 7 }
    const { id, family } = await context.account({
      ...unmanaged,
      code: createProviderBundle(),
      config,
    })
    const { headers } = await getAuthHeaders(context.node(), id)
    assert.deepEqual(headers, { 'x-desk': '7', Authorization: `Bearer ${family.accessToken}` })
    const stored = await context.config(id)
    assert.deepEqual(stored, {
      desk: 7,
      scope: 'all',
      refresh_token: family.refreshToken,
      access_token: family.accessToken,
    })
    const { credential_version, lease_owner, refresh_sent_at } = await context.row(id)
    assert.deepEqual([credential_version, lease_owner, refresh_sent_at], [2, null, null])
  })

  it('fills templates marked as complete without calling the bundle', async () => {
    const headers = { Authorization: 'Bearer ${access_token}', 'X-Scope': '${scope}' }
    const createCode = (overrides: object) => `exports.default = async (command) => {
      if (command === 'SPEC') return ${JSON.stringify(createOAuthSpec(context.provider, { headers, ...overrides }))}
      return command === 'CHECK' ? { status: true, error: '' } : { Authorization: 'of HEADERS' }
    }`
    const row = { token_expires_at: null, refresh_at: null }
    const { id, family } = await context.account({
      code: createCode({ 'x-headers': 'complete' }),
      row,
    })
    const result = await getAuthHeaders(context.node(), id)
    const filled = { Authorization: `Bearer ${family.accessToken}`, 'X-Scope': 'all' }
    assert.deepEqual(result.headers, filled)
    const otherAccount = await context.account({ code: createCode({}), row })
    const { headers: bundleHeaders } = await getAuthHeaders(context.node(), otherAccount.id)
    assert.deepEqual(bundleHeaders, { Authorization: 'of HEADERS' })
  })

  it('calls a bundle without HEADERS once per process, for all accounts', async () => {
    const createCode = `let calls = 0
    exports.default = async (command) => {
      if (command === 'SPEC') return ${JSON.stringify(createOAuthSpec(context.provider, { headers: { 'X-A': 'a' } }))}
      throw new Error('Command not found')
    }`
    const row = { token_expires_at: null, refresh_at: null }
    const node = context.node()
    let runs = 0
    const runner = {
      ...node.runner,
      run: (call: Parameters<typeof node.runner.run>[0]) => {
        runs += 1
        return node.runner.run(call)
      },
    }
    for (let accounts = 0; accounts < 3; accounts++) {
      const { id } = await context.account({ code: createCode, row })
      const { headers } = await getAuthHeaders({ ...node, runner }, id)
      assert.deepEqual(headers, { 'X-A': 'a' })
    }
    assert.equal(runs, 1)
  })

  it('lets a bundle rotate once for many callers, and reuses its headers until they expire', async () => {
    const { id, family } = await context.account({ ...unmanaged, code: createProviderBundle() })
    const node = context.node()
    const all = await Promise.all(Array.from({ length: 30 }, () => getAuthHeaders(node, id)))
    for (const { headers } of [...all, await getAuthHeaders(node, id)])
      assert.equal(headers?.Authorization, `Bearer ${family.accessToken}`)
    assert.equal(context.provider.calls.length, 1)
  })

  it('never uses a refresh token twice on two nodes whose bundle rotates it', async () => {
    context.provider.expiresIn = undefined
    const { id, family } = await context.account({ ...unmanaged, code: createProviderBundle() })
    const nodes = [context.node(), context.node()]
    for (let round = 0; round < 5; round += 1)
      await Promise.all(nodes.map((node) => getAuthHeaders(node, id)))
    assert.equal(new Set(context.provider.calls).size, context.provider.calls.length)
    assert.equal(context.provider.reuseCount(), 0)
    assert.equal((await context.config(id)).refresh_token, family.refreshToken)
  })

  it('puts refreshed tokens into the cached headers of the bundle', async () => {
    const { id, family } = await context.account({ code: createProviderBundle() })
    const node = context.node()
    await getAuthHeaders(node, id)
    context.provider.calls.length = 0
    await context.change(id, { token_expires_at: Date.now() - 1, refresh_at: 1 })
    const { headers } = await getAuthHeaders(node, id)
    assert.equal(headers?.Authorization, `Bearer ${family.accessToken}`)
    assert.equal(context.provider.calls.length, 1)
  })

  it('leaves the refresh to a bundle that does it itself: one request for all callers', async () => {
    const { id, family } = await context.account({ code: createProviderBundle() })
    const node = context.node()
    for (let expiry = 0; expiry < 3; expiry += 1) {
      context.provider.calls.length = 0
      await context.change(id, { token_expires_at: Date.now() - 1, refresh_at: 1 })
      const all = await Promise.all(Array.from({ length: 20 }, () => getAuthHeaders(node, id)))
      for (const { headers } of [...all, await getAuthHeaders(node, id)])
        assert.equal(headers?.Authorization, `Bearer ${family.accessToken}`)
      assert.equal(context.provider.calls.length, 1)
    }
    assert.equal(context.provider.reuseCount(), 0)
  })

  it('sends one request per token with a TTL of a minute or less, on two nodes whose bundle refreshes it', async () => {
    context.provider.expiresIn = 20
    const { id } = await context.account({ code: createProviderBundle() })
    const nodes = [context.node(), context.node()]
    for (const node of nodes) await getAuthHeaders(node, id)
    context.provider.calls.length = 0
    await context.change(id, { token_expires_at: Date.now() - 1, refresh_at: 1 })
    const all = Array.from({ length: 20 }, (_, index) =>
      getAuthHeaders(nodes[index % 2] ?? context.node(), id),
    )
    assert.equal(
      new Set((await Promise.all(all)).map(({ headers }) => headers?.Authorization)).size,
      1,
    )
    assert.equal(context.provider.calls.length, 1)
    assert.equal(context.provider.reuseCount(), 0)
  })

  it('detects a revoked grant when the bundle cannot refresh', async () => {
    const { id, family } = await context.account({ code: createProviderBundle() })
    const node = context.node()
    await getAuthHeaders(node, id)
    family.isRevoked = true
    await context.change(id, { token_expires_at: Date.now() - 1, refresh_at: 1 })
    await assert.rejects(getAuthHeaders(node, id), { code: 'needs_reauth' })
    assert.equal((await context.row(id)).status_reason, 'invalid_grant')
    await context.change(id, { deleted_at: 1 })
  })

  it('fails with 502 and releases the lease when the bundle obtains no token', async () => {
    const { id } = await context.account({ ...unmanaged, code: createProviderBundle() })
    context.provider.beforeRotation = (response) => {
      response.writeHead(503).end()
      return true
    }
    await assert.rejects(getAuthHeaders(context.node(), id), { code: 'provider_error' })
    const { lease_owner, status } = await context.row(id)
    assert.deepEqual([lease_owner, status], [null, 'active'])
  })

  it('passes the client but no refresh token to a bundle that has sent no requests', async () => {
    const createCode = createOfflineBundle(createOAuthSpec(context.provider))
    const { id, family } = await context.account({ code: createCode })
    const node = context.node()
    for (let times = 0; times < 3; times += 1) {
      const { headers } = await getAuthHeaders(node, id)
      const expected = {
        Authorization: `Bearer ${family.accessToken}`,
        'x-client': 'client-of-ours',
      }
      assert.deepEqual(headers, expected)
    }
    assert.equal(context.provider.calls.length, 1)
    assert.equal((await context.row(id)).credential_version, 2)
  })

  it('fills the header templates of the spec when the bundle has no HEADERS', async () => {
    const headers = { Authorization: 'Bearer ${access_token}', 'x-scope': '${scope}' }
    const createCode = createMiniBundle(createOAuthSpec(context.provider, { headers }))
    const { id, family } = await context.account({ code: createCode })
    const node = context.node()
    const first = await getAuthHeaders(node, id)
    const expected = { Authorization: `Bearer ${family.accessToken}`, 'x-scope': 'all' }
    assert.deepEqual(first.headers, expected)
    assert.deepEqual((await getAuthHeaders(node, id)).headers, expected)
  })

  it('refreshes once for a token rejected by the API, and at most a few times when it rejects every token', async () => {
    const { id, family } = await context.account({
      row: { token_expires_at: Date.now() + 900_000 },
    })
    const node = context.node()
    const { row } = await getValidCredentials(node, id)
    const rejectedVersion = row.credentialVersion
    const requests = Array.from({ length: 20 }, () =>
      getValidCredentials(node, id, { rejectedVersion }),
    )
    const versions = (await Promise.all(requests)).map((each) => each.row.credentialVersion)
    assert.deepEqual(new Set(versions), new Set([rejectedVersion + 1]))
    const second = await getValidCredentials(node, id)
    assert.equal(second.grant.config.access_token, family.accessToken)
    assert.equal(second.row.credentialVersion, rejectedVersion + 1)
    for (let overrides = 1; overrides < 10; overrides += 1) {
      const { credential_version } = await context.row(id)
      await getValidCredentials(node, id, { rejectedVersion: credential_version })
    }
    assert.equal(context.provider.calls.length, 3)
  })

  it('detects immediately a grant that was revoked right after a refresh', async () => {
    const { id, family } = await context.account({
      row: { token_expires_at: Date.now() + 900_000 },
    })
    const node = context.node()
    await getValidCredentials(node, id, { rejectedVersion: 1 })
    family.isRevoked = true
    await assert.rejects(getValidCredentials(node, id, { rejectedVersion: 2 }), {
      code: 'needs_reauth',
    })
    assert.equal((await context.row(id)).status_reason, 'invalid_grant')
    await context.change(id, { deleted_at: 1 })
  })

  it('provides the credentials of GET …/credentials, without the client secret of the OAuth app', async () => {
    const { id, family } = await context.account()
    const path = `/v1/integration_account/${id}/credentials`
    const body = expectOk(await context.t.call('GET', path))
    assert.deepEqual(body, {
      integrationAccountId: id,
      authType: 'OAuth2',
      config: body.config,
      headers: null,
      query: {},
      expiresAt: body.expiresAt,
    })
    assert.ok(Date.parse(body.expiresAt) > Date.now())
    assert.equal(body.config.access_token, family.accessToken)
    assert.doesNotMatch(JSON.stringify(body), /app-secret/)
    assert.deepEqual(await listAuditActions(context.t, id), ['account.credentials_read'])
  })

  it('fails with 424 for a revoked grant and with 400 for a pending account', async () => {
    const revokedAccount = await context.account()
    revokedAccount.family.isRevoked = true
    const path = `/v1/integration_account/${revokedAccount.id}`
    expectError(await context.t.call('GET', `${path}/credentials`), 'needs_reauth')
    const { status, statusReason } = expectOk(await context.t.call('GET', path))
    assert.deepEqual([status, statusReason], ['needs_reauth', 'invalid_grant'])
    const listed = expectOk(
      await context.t.call('GET', '/v1/integration_account?status=needs_reauth'),
    )
    assert.deepEqual(
      listed.map((account: Record<string, string>) => account.integrationAccountId),
      [revokedAccount.id],
    )
    const pending = await context.account({ row: { status: 'pending' } })
    const response = await context.t.call(
      'GET',
      `/v1/integration_account/${pending.id}/credentials`,
    )
    expectError(response, 'account_pending')
  })

  describe('DELETE /v1/integration_account/{id}', () => {
    const createBundle = (overrides: object) =>
      createMiniBundle(createOAuthSpec(context.provider, { ...overrides }))
    const remove = (id: string) => context.t.call('DELETE', `/v1/integration_account/${id}`)

    it('revokes the refresh token first, then the access token, and reports it', async () => {
      const createCode = createBundle({ revocation_url: `${context.provider.url}/revoke` })
      const { id, family } = await context.account({ code: createCode })
      assert.equal(expectOk(await remove(id)).revocation, 'revoked')
      const { refreshToken, accessToken } = family
      const expected = [`refresh_token ${refreshToken}`, `access_token ${accessToken}`]
      assert.deepEqual(context.provider.revoked, expected)
      assert.equal((await context.row(id)).sealed_config, null)
      assert.equal(expectOk(await remove(id)).revocation, null)
      assert.equal(context.provider.revoked.length, 2)
    })

    it('erases the account even if the provider fails or has no revocation endpoint', async () => {
      const failingAccount = await context.account({
        code: createBundle({ revocation_url: `${context.provider.url}/nothing-here` }),
      })
      assert.equal(expectOk(await remove(failingAccount.id)).revocation, 'failed')
      assert.equal((await context.row(failingAccount.id)).sealed_config, null)
      const accountWithoutRevocation = await context.account()
      assert.equal(expectOk(await remove(accountWithoutRevocation.id)).revocation, 'unsupported')
    })

    it('waits at most five seconds for the provider', async () => {
      const unresponsiveUrl = context.t.stubServer.serve('/silent', () =>
        sleep(60_000, undefined, { ref: false }),
      )
      const { id } = await context.account({
        code: createBundle({ revocation_url: unresponsiveUrl }),
      })
      const startedAt = performance.now()
      assert.equal(expectOk(await remove(id)).revocation, 'failed')
      assert.ok(performance.now() - startedAt < 20_000)
    })
  })
}
