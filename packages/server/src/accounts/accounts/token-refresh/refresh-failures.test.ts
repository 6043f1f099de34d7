import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { createEgressGateway, parseAllowList } from '@linchpin/runner'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { expectOk, listAuditActions } from '../../../../test/test-context.ts'
import type { ApiError } from '../../../platform/errors.ts'
import { createLog } from '../../../platform/http/log.ts'
import type { AccountId } from '../account.ts'
import { getValidCredentials } from './get-valid-credentials.ts'
import { type RefreshTestContext, startRefreshTestContext } from './test/refresh-test-context.ts'

interface EventData {
  readonly oauthApp: {
    readonly integrationOAuthAppId: string
    readonly failingSince: string | null
  }
  readonly code?: string
  readonly accounts?: number
}

describeOnBothDatabases('a failing token refresh', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => {
    const defaults = { graceMs: 0, beforeRotation: undefined, afterRotation: undefined }
    Object.assign(context.provider, { expiresIn: 3_600, ...defaults })
    context.provider.calls.length = 0
  })

  const expectFailure = (id: AccountId, node = context.node()): Promise<ApiError> =>
    getValidCredentials(node, id).then(
      () => assert.fail('the old token was returned'),
      (error: ApiError) => error,
    )
  const respondWith = (status: number, body: object, headers: Record<string, string> = {}) => {
    context.provider.beforeRotation = (response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify(body))
      return true
    }
  }
  const expiredRow = { token_expires_at: Date.now() - 1_000, refresh_at: 1 }

  it('sets needs_reauth immediately on invalid_grant, with an audit record', async () => {
    const { id, family } = await context.account()
    family.isRevoked = true
    assert.equal((await expectFailure(id)).code, 'needs_reauth')
    const { status, status_reason, refresh_at } = await context.row(id)
    assert.deepEqual([status, status_reason, refresh_at], ['needs_reauth', 'invalid_grant', null])
    assert.deepEqual(await listAuditActions(context.t, id), ['account.needs_reauth'])
    assert.equal((await expectFailure(id)).code, 'needs_reauth')
    assert.equal(context.provider.calls.length, 1)
  })

  it('logs a refused refresh with account, definition, workspace and error', async () => {
    const { id } = await context.account()
    respondWith(400, { error: 'invalid_client' })
    const lines: string[] = []
    const log = createLog('info', { write: (line) => void lines.push(line) })
    await getValidCredentials(context.node({ log }), id)
    const { accountId, definitionId, workspaceId, error } = JSON.parse(
      lines.find((line) => line.includes('the provider rejected a token refresh')) ?? '{}',
    )
    const row = await context.row(id)
    assert.deepEqual(
      [accountId, definitionId, workspaceId, error],
      [id, row.definition_id, row.workspace_id, 'invalid_client'],
    )
  })

  for (const [status, body] of [
    [503, {}],
    [500, { error: 'invalid_grant' }],
    [429, {}],
    [200, { surprise: true }],
  ] as const)
    it(`returns the old token after ${status} ${JSON.stringify(body)}, and backs off`, async () => {
      const { id, family } = await context.account()
      respondWith(status, body)
      const { grant } = await getValidCredentials(context.node(), id)
      assert.equal(grant.config.access_token, family.accessToken)
      const requestCount = context.provider.calls.length
      await getValidCredentials(context.node(), id)
      assert.equal(context.provider.calls.length, requestCount, 'no request while backing off')
      const row = await context.row(id)
      assert.deepEqual([row.status, row.refresh_failures, row.lease_owner], ['active', 1, null])
      const wait = Number(row.refresh_at) - Date.now()
      assert.ok(wait > 20_000 && wait < 40_000, `${wait}`)
    })

  it('is reported as 502 once the token has expired, and retried after the back-off', async () => {
    const { id, family } = await context.account({ row: expiredRow })
    respondWith(503, {}, { 'retry-after': '120' })
    const error = await expectFailure(id)
    assert.deepEqual([error.code, error.statusCode], ['provider_error', 502])
    assert.ok(Number(error.headers['retry-after']) > 100)
    assert.equal((await context.row(id)).status, 'active')
    context.provider.beforeRotation = undefined
    assert.equal((await expectFailure(id)).code, 'provider_error')
    await context.change(id, { refresh_at: 1 })
    const { grant } = await getValidCredentials(context.node(), id)
    assert.equal(grant.config.access_token, family.accessToken)
    assert.equal((await context.row(id)).refresh_failures, 0)
  })

  it('is reported as 503 egress_unavailable when the outgoing network is down', async () => {
    const { id } = await context.account({ row: expiredRow })
    // Nothing listens on the port of the outgoing proxy.
    const egressGateway = createEgressGateway({
      allow: parseAllowList('127.0.0.0/8'),
      proxy: new URL('http://127.0.0.1:1'),
    })
    try {
      const error = await expectFailure(id, context.node({ egressGateway }))
      assert.deepEqual([error.code, error.statusCode], ['egress_unavailable', 503])
      assert.ok(Number(error.headers['retry-after']) > 0)
      assert.equal((await context.row(id)).status, 'active')
    } finally {
      await egressGateway.close()
    }
  })

  it('is reported as 504 when the provider times out', async () => {
    const { id } = await context.account({ row: expiredRow })
    context.provider.beforeRotation = () => new Promise(() => {})
    const refreshTimeouts = { leaseMs: 10_000, providerMs: 2_000, waitMs: 30_000 }
    const error = await expectFailure(id, context.node({ refreshTimeouts: refreshTimeouts }))
    assert.deepEqual([error.code, error.statusCode], ['provider_timeout', 504])
    assert.equal(context.provider.calls.length, 1, 'no immediate retry')
    assert.equal((await context.row(id)).status, 'active')
  })

  it('waits for the operator on invalid_client, and retries once the OAuth app has changed', async () => {
    const { id, family } = await context.account({ row: expiredRow })
    respondWith(401, { error: 'invalid_client' })
    assert.equal((await expectFailure(id)).code, 'provider_error')
    const { status, status_reason, oauth_app_id } = await context.row(id)
    assert.deepEqual([status, status_reason], ['error', 'invalid_client'])
    await expectFailure(id)
    assert.equal(context.provider.calls.length, 1)
    context.provider.beforeRotation = undefined
    const path = `/v1/integration_oauth/${oauth_app_id}`
    const { failingSince } = expectOk(await context.t.call('GET', path))
    assert.ok(Math.abs(Date.now() - Date.parse(failingSince)) < 60_000)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await context.t.call('POST', path, {
      body: { clientSecret: 'the current refresh token was sent' },
    })
    const { grant } = await getValidCredentials(context.node(), id)
    assert.equal(grant.config.access_token, family.accessToken)
    const row = await context.row(id)
    assert.deepEqual([row.status, row.status_reason], ['active', null])
    const actions = ['account.error', 'account.recovered']
    assert.deepEqual(await listAuditActions(context.t, id), actions, 'each transition once')
    const eventPath = `/v1/event?wait=20&subject=${oauth_app_id}&types=`
    await context.t.call('GET', `${eventPath}oauth_app.recovered`)
    const events = await context.t.call('GET', `${eventPath}oauth_app.*`)
    assert.deepEqual(
      events.body.map(({ type, data }: { type: string; data: EventData }) => [
        ...[type, data.oauthApp.integrationOAuthAppId, data.code, data.accounts],
        data.oauthApp.failingSince,
      ]),
      [
        ['oauth_app.failing', oauth_app_id, 'invalid_client', 1, failingSince],
        ['oauth_app.recovered', oauth_app_id, undefined, undefined, null],
      ],
    )
    const ofAccount = await context.t.call('GET', `/v1/event?subject=${id}&types=account.*`)
    assert.deepEqual(ofAccount.body, [], 'the events of the app stand for those of its accounts')
  })

  it('tries a changed OAuth app once per call, even if it was changed in the future of the database', async () => {
    const { id } = await context.account({ row: expiredRow })
    respondWith(401, { error: 'invalid_client' })
    await expectFailure(id)
    const { oauth_app_id } = await context.row(id)
    await context.t.database.transaction((trx) =>
      trx
        .updateTable('oauth_apps')
        .set({ updated_at: Date.now() + 3_600_000 })
        .where('oauth_app_id', '=', oauth_app_id)
        .execute(),
    )
    assert.equal((await expectFailure(id)).code, 'provider_error')
    assert.equal(context.provider.calls.length, 2)
  })

  it("retries immediately with the old token when the response is cut off, within the provider's grace period", async () => {
    const { id, family } = await context.account()
    context.provider.graceMs = 5_000
    dropNextResponse()
    const { grant } = await getValidCredentials(context.node(), id)
    assert.equal(context.provider.calls.length, 2)
    assert.equal(new Set(context.provider.calls).size, 1)
    assert.equal(grant.config.access_token, family.accessToken)
    assert.equal((await context.row(id)).refresh_sent_at, null)
  })

  it('sets reply_lost after a lost response when the provider has no grace period', async () => {
    const { id } = await context.account()
    dropNextResponse()
    assert.equal((await expectFailure(id)).code, 'needs_reauth')
    assert.equal((await context.row(id)).status_reason, 'reply_lost')
  })

  it('sets reply_lost when the process that sent the previous request has crashed', async () => {
    const { id, family } = await context.account({ row: { refresh_sent_at: Date.now() - 60_000 } })
    family.isRevoked = true
    assert.equal((await expectFailure(id)).code, 'needs_reauth')
    assert.equal((await context.row(id)).status_reason, 'reply_lost')
  })

  it('sets needs_reauth when a token without a refresh token has expired', async () => {
    const row = { token_expires_at: Date.now() - 1, refresh_at: null }
    const { id } = await context.account({ row, config: { refresh_token: undefined } })
    assert.equal((await expectFailure(id)).code, 'needs_reauth')
    assert.equal((await context.row(id)).status_reason, 'token_expired')
    assert.deepEqual(context.provider.calls, [])
  })

  it('never uses credentials of a pending account', async () => {
    const { id } = await context.account({ row: { status: 'pending' } })
    assert.equal((await expectFailure(id)).code, 'account_pending')
  })

  function dropNextResponse(): void {
    context.provider.afterRotation = (response) => {
      context.provider.afterRotation = undefined
      response.destroy()
      return true
    }
  }
}
