// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs look like this
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, beforeEach, it } from 'node:test'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { expectOk, listAuditActions } from '../../../../test/test-context.ts'
import type { ApiError } from '../../../platform/errors.ts'
import { createLog } from '../../../platform/http/log.ts'
import { getValidCredentials } from './get-valid-credentials.ts'
import {
  type AccountOptions,
  createOAuthSpec,
  type RefreshTestContext,
  refreshDueAccounts,
  startRefreshTestContext,
} from './test/refresh-test-context.ts'

const DAY_MS = 24 * 3_600_000

describeOnBothDatabases('the exchange of a token without refresh token', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  let requests: { method: string | undefined; query: Record<string, string> }[] = []
  let respond: (response: ServerResponse) => void
  const send = (status: number, body: object) => (response: ServerResponse) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(body))
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
    context.t.stubServer.serve('/exchange', ({ method, url = '' }, response) => {
      const { searchParams } = new URL(url, 'http://x')
      requests.push({ method, query: Object.fromEntries(searchParams) })
      respond(response)
    })
  })
  after(() => context.close())
  beforeEach(() => {
    requests = []
    respond = send(200, { access_token: 'token-2', token_type: 'bearer', expires_in: 5_184_000 })
  })

  const connect = (options: AccountOptions = {}) => {
    const { url } = context.t.stubServer
    const params = {
      grant_type: 'exchange',
      access_token: '${access_token}',
      id: '${client_id}',
      client_secret: '${client_secret}',
    }
    const exchange = { url: `${url}/exchange?v=1`, params }
    return context.account({
      code: createMiniBundle(createOAuthSpec(context.provider, { 'x-renew': exchange })),
      config: { refresh_token: undefined, access_token: 'token-1&é', user_id: '7' },
      ...options,
    })
  }

  it('replaces the token shortly before it expires, once for all callers of two nodes', async () => {
    const { id } = await connect()
    const nodes = [context.node(), context.node()]
    const results = await Promise.all(
      [...nodes, ...nodes, ...nodes].map((node) => getValidCredentials(node, id)),
    )
    assert.deepEqual(
      new Set(results.map(({ grant }) => grant.config.access_token)),
      new Set(['token-2']),
    )
    const [{ query, method } = { query: {}, method: '' }] = requests
    assert.deepEqual([requests.length, method], [1, 'GET'])
    const { id: clientId, ...rest } = query
    assert.deepEqual(rest, {
      v: '1',
      grant_type: 'exchange',
      access_token: 'token-1&é',
      client_secret: 'app-secret',
    })
    assert.ok(clientId)
    const { user_id } = await context.config(id)
    const { token_expires_at, refresh_at, refreshed_at, status_reason } = await context.row(id)
    assert.equal(user_id, '7', 'the rest of the configuration stays')
    const days = [token_expires_at, refresh_at].map(
      (at) => (Number(at) - Number(refreshed_at)) / DAY_MS,
    )
    assert.deepEqual([Math.round(days[0] ?? 0), status_reason], [60, null])
    assert.ok(Number(days[1]) > 38 && Number(days[1]) < 55, `exchanged after ${days[1]} days`)
  })

  it('happens in the background when it is due, not before', async () => {
    const at = Date.now()
    const later = await connect({
      row: { token_expires_at: at + 9 * DAY_MS, refresh_at: at + DAY_MS },
    })
    const due = await connect({ row: { token_expires_at: at + 9 * DAY_MS, refresh_at: at - 1 } })
    await refreshDueAccounts(context.node())
    assert.equal((await context.config(due.id)).access_token, 'token-2')
    assert.equal((await context.config(later.id)).access_token, 'token-1&é')
    const { token_host } = await context.row(due.id)
    assert.equal(token_host, context.t.stubServer.host, 'outages of the host are shared')
  })

  it('leaves the old token usable while the provider fails, and backs off', async () => {
    const { id } = await connect()
    for (const [status, body] of [
      [503, {}],
      [400, { error: { type: 'OAuthException', code: 4, message: 'limit' } }],
    ] as const) {
      respond = send(status, body)
      await context.change(id, { refresh_at: 1, refresh_failures: 0 })
      const { grant } = await getValidCredentials(context.node(), id)
      assert.equal(grant.config.access_token, 'token-1&é')
      const row = await context.row(id)
      assert.deepEqual([row.status, row.refresh_failures], ['active', 1])
      assert.ok(Number(row.refresh_at) > Date.now() + 10_000)
    }
  })

  it('ends the connection when the provider says that the token has ended', async () => {
    const { id } = await connect()
    const lines: string[] = []
    const log = createLog('debug', { write: (line) => void lines.push(line) })
    respond = send(400, {
      error: { type: 'OAuthException', code: 190, message: 'Session of token-1&é has expired' },
    })
    const error = await getValidCredentials(context.node({ log }), id).catch(
      (each: ApiError) => each,
    )
    assert.equal((error as ApiError).code, 'needs_reauth')
    const { status, status_reason } = await context.row(id)
    assert.deepEqual([status, status_reason], ['needs_reauth', 'invalid_grant'])
    assert.deepEqual(await listAuditActions(context.t, id), ['account.needs_reauth'])
    const health = expectOk(await context.t.call('GET', `/v1/integration_account/${id}/health`))
    assert.deepEqual([health.lastErrorCode, health.token.nextRefreshAt], ['refresh_failed', null])
    assert.ok(lines.length > 0)
    assert.doesNotMatch([...lines, JSON.stringify(health)].join(), /token-1|app-secret/)
  })

  it('is not tried for a token that the API has rejected, and stays scheduled', async () => {
    const at = Date.now()
    const row = { token_expires_at: at + 9 * DAY_MS, refresh_at: at + DAY_MS }
    const { id } = await connect({ row })
    await getValidCredentials(context.node(), id, { rejectedVersion: 1 })
    const after = await context.row(id)
    assert.deepEqual(
      [requests.length, after.refresh_at, after.lease_until],
      [0, row.refresh_at, null],
    )
  })
}
