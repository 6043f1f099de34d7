// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { after, before, describe, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectOk } from '../../../test/test-context.ts'
import type { AccountId } from '../accounts/account.ts'
import { createNeedWriter } from '../accounts/needed-scopes.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from '../accounts/token-refresh/test/refresh-test-context.ts'
import { findScopeErrors } from './scope-errors.ts'

describeOnBothDatabases('a proxied response that names missing scopes', defineTests)

const DAY_MS = 24 * 60 * 60_000
const SLACK = { ok: false, error: 'missing_scope', needed: 'chat:write,files:read', provided: 'a' }

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  let baseUrl: string
  let respond: RequestListener
  let now = Date.parse('2026-11-21T10:00:00Z')

  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
    baseUrl = await context.t.app.listen({ port: 0, host: '127.0.0.1' })
    context.t.stubServer.serve('/api/items', (request, response) => respond(request, response))
    context.t.stubServer.serve('/api/items/4711', (request, response) => respond(request, response))
  })
  after(() => context.close())

  const connect = async (granted: string[] = []): Promise<AccountId> => {
    const at = Date.now() + 3_600_000
    const code = createMiniBundle(
      createOAuthSpec(context.provider, {
        headers: { Authorization: 'Bearer ${access_token}' },
        default_scopes: ['chat:write', 'files:read', 'repo', 'read:org'],
        api_base_url: `${context.t.stubServer.url}/api`,
        'x-scope-errors': [{ status: 200, match: { error: 'missing_scope' }, scopes: 'needed' }],
      }),
    )
    const row = {
      token_expires_at: at,
      refresh_at: at,
      requested_scopes: JSON.stringify(granted),
      granted_scopes: JSON.stringify(granted),
      scope_source: 'reported' as const,
    }
    return (await context.account({ code, row })).id as AccountId
  }
  const send = async (id: string, path = '/items') => {
    const response = await fetch(`${baseUrl}/api/v1/integration_account/${id}/proxy${path}`, {
      headers: { authorization: `Bearer ${context.t.token}`, connection: 'close' },
    })
    const text = await response.text()
    return {
      status: response.status,
      text,
      missing: response.headers.get('linchpin-missing-scopes'),
    }
  }
  const respondWith = (status: number, body: string, headers: Record<string, string> = {}) => {
    respond = (_request, response) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
  const readNeeded = async (id: string): Promise<AnyBody[]> => {
    await context.t.neededScopes.flush()
    const path = `/v1/integration_account/${id}/health`
    return expectOk(await context.t.call('GET', path)).permissions.needed
  }
  const listEvents = async (id: string): Promise<AnyBody[]> => {
    const rows = await context.t.database.read
      .selectFrom('events')
      .select('data')
      .where('type', '=', 'account.permission_needed')
      .execute()
    return rows
      .map(({ data }) => JSON.parse(String(data)))
      .filter(({ account }) => account.integrationAccountId === id)
  }

  it('is returned unchanged, with the names in a header, and the account stays active', async () => {
    const id = await connect()
    const body = JSON.stringify(SLACK)
    respondWith(200, body)
    const { status, text, missing } = await send(id)
    assert.deepEqual([status, text, missing], [200, body, 'chat:write files:read'])
    const account = expectOk(await context.t.call('GET', `/v1/integration_account/${id}`))
    assert.equal(account.status, 'active')
  })

  it('is recorded with its count and its last operation, without ids', async () => {
    const id = await connect()
    respondWith(200, JSON.stringify(SLACK))
    await send(id)
    await send(id)
    await send(id, '/items/4711')
    const needed = await readNeeded(id)
    const [first] = needed
    assert.deepEqual(
      needed.map(({ scope, count }) => [scope, count]),
      [
        ['chat:write', 3],
        ['files:read', 3],
      ],
    )
    assert.match(first?.operation, /^GET \/api\/items\//)
    await send(id)
    assert.equal((await readNeeded(id))[0]?.count, 4)
    const query = `missingScope=${encodeURIComponent('files:read')}`
    const listed = expectOk(await context.t.call('GET', `/v1/integration_account?${query}`))
    assert.ok(listed.some((each: AnyBody) => each.integrationAccountId === id))
  })

  it('may be a 403 with the challenge of RFC 6750, and no other status', async () => {
    const id = await connect()
    const challenge = 'Bearer realm="a, b", error="insufficient_scope", scope="repo other"'
    respondWith(403, '{}', { 'www-authenticate': challenge })
    assert.equal((await send(id)).missing, 'repo other')
    // Only what the integration knows is recorded.
    assert.deepEqual(
      (await readNeeded(id)).map(({ scope }) => scope),
      ['repo'],
    )
    respondWith(400, '{}', { 'www-authenticate': challenge })
    assert.equal((await send(id)).missing, null)
  })

  it('may be a 403 or 404 with the headers of GitHub, of whose scopes one is enough', async () => {
    const id = await connect()
    const headers = {
      'x-accepted-oauth-scopes': 'admin:org, read:org, repo',
      'x-oauth-scopes': 'user',
    }
    for (const status of [403, 404]) {
      respondWith(status, '{}', headers)
      assert.equal((await send(id)).missing, 'admin:org read:org repo')
    }
    assert.deepEqual(
      (await readNeeded(id)).map(({ scope, count }) => [scope, count]),
      [['read:org', 2]],
    )
    respondWith(404, '{}', { ...headers, 'x-oauth-scopes': 'user, repo' })
    assert.equal((await send(id)).missing, null)
    respondWith(404, '{}', { 'x-accepted-oauth-scopes': 'repo' })
    assert.equal((await send(id)).missing, null)
  })

  it('is counted, also if it names scopes that no one knows, which are not recorded', async () => {
    const id = await connect()
    const { definition_id } = await context.row(id)
    const count = async () => {
      await context.t.statistics.flush()
      const query = `metrics=missing_scopes&by=code&integrationDefinitionId=${definition_id}`
      const { series } = expectOk(await context.t.call('GET', `/v1/statistics?${query}`))
      return Object.fromEntries(series.map(({ key, points }: AnyBody) => [key, points[0][1]]))
    }
    respondWith(200, JSON.stringify(SLACK))
    await send(id)
    assert.deepEqual(await count(), { known: 1 })
    for (const needed of ['chat:write,admin', 'x'.repeat(255)]) {
      respondWith(200, JSON.stringify({ ...SLACK, needed }))
      await send(id)
    }
    assert.deepEqual(await count(), { known: 1, unknown: 2 })
    respondWith(404, '{}', { 'x-accepted-oauth-scopes': 'admin, repo', 'x-oauth-scopes': 'user' })
    await send(id)
    assert.deepEqual(await count(), { known: 2, unknown: 2 })
    assert.deepEqual(
      (await readNeeded(id)).map(({ scope }) => scope),
      ['chat:write', 'files:read', 'repo'],
    )
  })

  it('omits a scope that the provider reports as granted', async () => {
    const id = await connect(['chat:write'])
    respondWith(200, JSON.stringify(SLACK))
    await send(id)
    assert.deepEqual(
      (await readNeeded(id)).map(({ scope }) => scope),
      ['files:read'],
    )
  })

  it('never comes from a header that the provider calls as ours', async () => {
    const id = await connect()
    respondWith(200, '{}', { 'linchpin-missing-scopes': 'all' })
    assert.equal((await send(id)).missing, null)
  })

  it('publishes an event per account and scope once in 7 days, on all nodes together', async () => {
    const id = await connect()
    const { database } = context.t
    const nodes = [1, 2, 3].map(() => createNeedWriter({ database, now: () => now }))
    const need = { accountId: id, scope: 'repo', count: 1, since: now, operation: 'GET /x' }
    const writeAll = () => Promise.all(nodes.map((write) => write([need])))
    await writeAll()
    now += 7 * DAY_MS - 1
    await writeAll()
    const [event, ...others] = await listEvents(id)
    assert.equal(others.length, 0)
    assert.deepEqual([event?.scope, event?.operation], ['repo', 'GET /x'])
    now += 1
    await writeAll()
    assert.equal((await listEvents(id)).length, 2)
    await nodes[0]?.([{ ...need, scope: 'read:org' }])
    assert.equal((await listEvents(id)).length, 3)
    const counts = (await readNeeded(id)).map(({ scope, count }) => [scope, count])
    assert.deepEqual(counts, [
      ['read:org', 1],
      ['repo', 9],
    ])
  })

  it('stores nothing for an account that was deleted meanwhile', async () => {
    const id = await connect()
    respondWith(200, JSON.stringify(SLACK))
    await send(id)
    expectOk(await context.t.call('DELETE', `/v1/integration_account/${id}`))
    await context.t.neededScopes.flush()
    const rows = await context.t.database.read
      .selectFrom('account_scopes')
      .select('scope')
      .where('account_id', '=', id)
      .execute()
    assert.deepEqual(rows, [])
  })
}

describe('findScopeErrors', () => {
  const find = (headers: string[], status = 403) =>
    findScopeErrors({ status, rawHeaders: headers }, [], async () => undefined)

  it('reads the challenge among others', async () => {
    for (const [value, scopes] of [
      ['Bearer error=insufficient_scope, scope="a"', ['a']],
      ['Basic realm="x", Bearer error="insufficient_scope" , scope = "a b a"', ['a', 'b']],
      ['Bearer error="invalid_token", scope="a"', undefined],
      ['Bearer scope="a"', undefined],
      ['Bearer error="insufficient_scope"', undefined],
      ['Bearer error_description="error=insufficient_scope", scope="a"', undefined],
      ['Bearer error="insufficient_scope", scope="a\\" \u00e9 ok"', ['ok']],
    ] as const)
      assert.deepEqual((await find(['WWW-Authenticate', value]))?.scopes, scopes, value)
    const both = [
      'www-authenticate',
      'Basic realm="x"',
      'WWW-authenticate',
      'bearer error="insufficient_scope",scope="z"',
    ]
    assert.deepEqual((await find(both))?.scopes, ['z'])
  })

  it('bounds what a hostile provider sends, in time and in names', async () => {
    const startedAt = performance.now()
    for (const value of [
      `Bearer error="insufficient_scope", scope="${'a '.repeat(100_000)}"`,
      'a'.repeat(1_000_000),
      'a="'.repeat(300_000),
      'a = '.repeat(300_000),
      'scope="'.repeat(100_000),
    ])
      await find([
        'www-authenticate',
        value,
        'x-accepted-oauth-scopes',
        value,
        'x-oauth-scopes',
        value,
      ])
    assert.ok(performance.now() - startedAt < 500)
    const names = Array.from({ length: 100 }, (_, index) => `s${index}`).join(' ')
    const found = await find([
      'www-authenticate',
      `Bearer error="insufficient_scope", scope="${names}"`,
    ])
    assert.equal(found?.scopes.length, 20)
  })
})
