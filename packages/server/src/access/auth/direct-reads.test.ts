import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext as TestRun } from 'node:test'
import { sql } from 'kysely'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { rawHttp } from '../../../test/raw-http.ts'
import { type TestApp, type TestAppOptions, testApp } from '../../../test/test-app.ts'
import { expectCreated, expectError, expectOk, testContext } from '../../../test/test-context.ts'

const PATH = '/api/v1/user'

describeOnBothDatabases('Direct reads', (newUrl) => {
  it('answer without the framework, unless the request is unusual', async (t) => {
    const app = await start(t, { url: await newUrl() })
    const port = portOf(app)
    const send = (token: string, headers: Record<string, string> = {}, path = PATH) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
      })
    const token = await app.createToken()
    assert.equal(await countHandled(() => send(token)), 1, 'the first request of a token')
    assert.equal(await countHandled(() => send(token)), 0)
    const lasting = await createLink(app, {})
    const expiring = await createLink(app, { expiresIn: 60 })
    assert.equal(await countHandled(() => send(token, {}, lasting)), 0)
    assert.equal(await countHandled(() => send(token, {}, `${lasting}?accountIdentifier=a`)), 1)
    assert.equal(await countHandled(() => send(token, {}, expiring)), 1, 'depends on the clock')
    const unusual: [Record<string, string>, string?][] = [
      [{}, `${PATH}?`],
      [{ 'x-forwarded-for': '203.0.113.9' }],
    ]
    for (const [headers, path] of unusual)
      assert.equal(await countHandled(() => send(token, headers, path)), 1, path)
    assert.equal(await countHandled(() => send(token, { 'x-forwarded-for': '203.0.113.9' })), 0)
    const hosts = 'host: a\r\nhost: b'
    const request = `GET ${PATH} HTTP/1.1\r\n${hosts}\r\nauthorization: Bearer ${token}\r\n\r\n`
    assert.equal((await rawHttp(port, request)).responses[0]?.status, 400)
  })

  it('leave requests that are logged to the framework', async (t) => {
    const app = await start(t, { url: await newUrl(), logLevel: 'debug' })
    for (let round = 0; round < 3; round++) expectOk(await app.call('GET', '/v1/user'))
    const lines = app.logs.map((line) => JSON.parse(line)).filter(({ route }) => route === PATH)
    assert.equal(lines.length, 6)
  })

  it('count in the metrics under their route', async (t) => {
    const app = await start(t, { url: await newUrl() })
    const count = async () => {
      const { body: text } = await app.app.inject('/metrics')
      const name = 'linchpin_http_request_duration_seconds_count'
      const series = `${name}{method="GET",route="${PATH}",status="200"} `
      return Number(text.split(series)[1]?.split('\n', 1)[0] ?? 0)
    }
    const before = await count()
    for (let round = 0; round < 3; round++) expectOk(await app.call('GET', '/v1/user'))
    assert.equal((await count()) - before, 6)
  })

  it('require the scope, and a token that has neither expired nor been revoked, at each request', async (t) => {
    let now = Date.now()
    const app = await start(t, { url: await newUrl(), now: () => now })
    const path = `/v1/integration_account/acc_${'0'.repeat(26)}`
    const writer = await app.createToken({ scopes: ['accounts:write'] })
    for (let round = 0; round < 2; round++)
      expectError(await app.call('GET', path, { token: writer }), 'insufficient_scope')
    const token = await app.createToken({ seconds: 3_600 })
    for (let round = 0; round < 3; round++) expectOk(await app.call('GET', '/v1/user', { token }))
    now += 3_600_000
    expectError(await app.call('GET', '/v1/user', { token }), 'token_invalid')
    const minted = expectCreated(await app.call('POST', '/v1/user/token', { body: { name: 'x' } }))
    expectOk(await app.call('GET', '/v1/user', { token: minted.token }))
    expectOk(await app.call('DELETE', `/v1/user/token/${minted.tokenId}`))
    expectError(await app.call('GET', '/v1/user', { token: minted.token }), 'token_invalid')
  })

  it('return what was committed last, to each user their own', async (t) => {
    const app = await start(t, { url: await newUrl() })
    const other = await app.otherUser()
    const nameOf = async (token: string) =>
      expectOk(await app.call('GET', '/v1/user', { token })).Workspace[0].slug
    for (let round = 0; round < 20; round++) {
      for (const { token, workspaceId } of [app, other]) {
        const slug = `${workspaceId.slice(-6)}-${round}`
        const body = { slug }
        expectOk(await app.call('POST', `/v1/workspace/${workspaceId}`, { body, token }))
        assert.equal(await nameOf(token), slug)
        assert.equal(await nameOf(token), slug)
      }
    }
  })

  it('never return the response of another user, or of another token of the same user', async (t) => {
    const app = await start(t, { url: await newUrl() })
    const other = await app.otherUser()
    const { workspaceId } = expectCreated(await app.call('POST', '/v1/workspace', { body: {} }))
    const bound = await app.createToken({ workspaceId })
    const workspacesOf = async (token: string) =>
      expectOk(await app.call('GET', '/v1/user', { token })).Workspace.map(
        (workspace: { workspaceId: string }) => workspace.workspaceId,
      )
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(await workspacesOf(app.token), [app.workspaceId, workspaceId])
      assert.deepEqual(await workspacesOf(other.token), [other.workspaceId])
      assert.deepEqual(await workspacesOf(bound), [workspaceId])
    }
  })

  it('give a token that is bound to accounts these, and nothing else', async (t) => {
    const context = await testContext({ url: await newUrl(), listens: true })
    t.after(() => context.close())
    const { integrationDefinitionId } = await context.createDefinition()
    const create = () => context.createAccount(integrationDefinitionId)
    const [own, other] = [await create(), await create()]
    const token = await context.createToken({
      integrationAccountIds: [own.integrationAccountId],
    })
    const send = (path: string) =>
      fetch(`http://127.0.0.1:${portOf(context)}/api${path}`, {
        headers: { authorization: `Bearer ${token}` },
      })
    const pathOf = (account: typeof own) =>
      `/v1/integration_account/${account.integrationAccountId}`
    for (let round = 0; round < 3; round++) {
      assert.equal((await send(pathOf(own))).status, 200)
      assert.equal((await send(pathOf(other))).status, 404)
      assert.equal((await send('/v1/user')).status, 403)
    }
  })

  it('have an entity tag, with which a client gets 304 until the response changes', async (t) => {
    const context = await testContext({ url: await newUrl(), listens: true })
    t.after(() => context.close())
    const { integrationDefinitionId } = await context.createDefinition()
    const { integrationAccountId } = await context.createAccount(integrationDefinitionId)
    const account = `/api/v1/integration_account/${integrationAccountId}`
    const list = '/api/v1/integration_account?limit=1'
    const definition = `/api/v1/integration_definition/${integrationDefinitionId}`
    const link = await createLink(context, {})
    const send = (path: string, headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${portOf(context)}${path}`, {
        headers: { authorization: `Bearer ${context.token}`, ...headers },
      })
    const paths = [
      PATH,
      account,
      list,
      definition,
      `${definition}/spec`,
      link,
      `${link}?accounts=true`,
    ]
    for (const path of paths) {
      const response = await send(path)
      const etag = response.headers.get('etag') ?? ''
      assert.match(etag, /^"[\w-]{22}"$/, path)
      assert.ok((await response.arrayBuffer()).byteLength > 0)
      for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const unchanged = await send(path, { 'if-none-match': known })
        assert.equal(unchanged.status, 304, `${path} ${known}`)
        assert.equal(await unchanged.text(), '')
        assert.equal(unchanged.headers.get('etag'), etag)
        assert.equal(unchanged.headers.get('cache-control'), 'no-store')
        assert.ok(unchanged.headers.get('x-request-id'))
      }
      const other = await send(path, { 'if-none-match': '"another"' })
      assert.equal(other.status, 200)
      assert.equal(other.headers.get('etag'), etag)
    }
    const tag = (await send(account)).headers.get('etag') ?? ''
    const tagOfList = (await send(list)).headers.get('etag') ?? ''
    await context.createAccount(integrationDefinitionId)
    assert.equal((await send(account, { 'if-none-match': tag })).status, 304, 'another account')
    const longer = await send(list, { 'if-none-match': tagOfList })
    assert.equal(longer.status, 200, 'the same account, but another page follows')
    assert.match(longer.headers.get('link') ?? '', /rel="next"/)
    const body = { integrationAccountName: 'Renamed' }
    expectOk(await context.call('POST', account.slice('/api'.length), { body }))
    const renamed = await send(account, { 'if-none-match': tag })
    assert.equal(renamed.status, 200)
    assert.match(await renamed.text(), /Renamed/)
  })

  it('wait in the fair queue like other requests', async (t) => {
    const app = await start(t, { url: await newUrl() })
    const other = await app.otherUser()
    const send = (token: string) => app.call('GET', '/v1/user', { token })
    await Promise.all([send(app.token), send(other.token)])
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => send(index % 4 === 0 ? other.token : app.token)),
    )
    for (const response of responses) expectOk(response)
  })
})

describe('Direct reads on SQLite', () => {
  it('see at once what another process commits: a revocation, and a new name', async (t) => {
    const app = await start(t)
    const { rows } = await sql<{ file: string }>`PRAGMA database_list`.execute(app.database.read)
    const runSql = (statement: string) =>
      execFileSync(process.execPath, ['--no-warnings', '-e', WRITE, rows[0]?.file ?? '', statement])
    const minted = expectCreated(await app.call('POST', '/v1/user/token', { body: { name: 'x' } }))
    const { token, tokenId } = minted
    const get = () => app.call('GET', '/v1/user', { token })
    assert.equal(expectOk(await get()).firstname, '')
    runSql("UPDATE users SET firstname = 'Ada' WHERE email = 'owner@localhost'")
    assert.equal(expectOk(await get()).firstname, 'Ada')
    runSql(`UPDATE tokens SET revoked_at = 1 WHERE token_id = '${tokenId}'`)
    expectError(await get(), 'token_invalid')
  })
})

describe('A list of accounts on SQLite', () => {
  it('is answered without the framework until the next commit, to each caller their own', async (t) => {
    const context = await testContext({ listens: true, requestLog: 'all' })
    t.after(() => context.close())
    const { integrationDefinitionId } = await context.createDefinition()
    const { integrationAccountId } = await context.createAccount(integrationDefinitionId)
    const { workspaceId } = context
    const path = `/api/v1/integration_account?limit=1&workspaceId=${workspaceId}`
    const send = (token: string) =>
      fetch(`http://127.0.0.1:${portOf(context)}${path}`, {
        headers: { authorization: `Bearer ${token}` },
      })
    const namesOf = async (response: Response) =>
      ((await response.json()) as { integrationAccountName: string }[]).map(
        (account) => account.integrationAccountName,
      )
    const [writer, bound] = [
      await context.createToken({ scopes: ['accounts:write'] }),
      await context.createToken({ integrationAccountIds: [integrationAccountId] }),
    ]
    const other = await context.otherUser()
    const [first] = await namesOf(await send(context.token))
    const untilCached = async () => {
      // Jobs in the background commit, too.
      let handled = 1
      for (let round = 0; round < 50 && handled > 0; round++)
        handled = await countHandled(() => send(context.token))
      assert.equal(handled, 0, 'cached')
    }
    await untilCached()
    for (let round = 0; round < 2; round++) {
      assert.equal((await send(writer)).status, 403)
      assert.equal((await send(bound)).status, 403)
      assert.equal((await send(other.token)).status, 403)
    }
    const rename = `/v1/integration_account/${integrationAccountId}`
    expectOk(await context.call('POST', rename, { body: { integrationAccountName: `${first}!` } }))
    assert.equal(await countHandled(() => send(context.token)), 1, 'after a commit')
    assert.deepEqual(await namesOf(await send(context.token)), [`${first}!`])
    await untilCached()
    await context.requestLog.flush()
    const { rows } = await sql<{ workspace_id: string | null }>`
      select workspace_id from request_log where operation = 'listAccounts' and status = 200`.execute(
      context.database.read,
    )
    assert.ok(rows.length >= 5)
    for (const row of rows) assert.equal(row.workspace_id, workspaceId)
  })
})

async function createLink(app: TestApp, expiry: object): Promise<string> {
  const body = { linkName: 'a', ...expiry }
  return `/api/v1/link/${expectCreated(await app.call('POST', '/v1/link', { body })).linkId}`
}

/** A program that runs a statement on a database file. */
const WRITE = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec(process.argv[2])`

async function start(t: TestRun, options: TestAppOptions = {}): Promise<TestApp> {
  const app = await testApp({ ...options, listens: true })
  t.after(() => app.close())
  return app
}

function portOf({ app }: TestApp): number {
  return (app.server.address() as AddressInfo).port
}

/** How many requests reach a handler of the framework while `work` runs. */
async function countHandled(work: () => Promise<Response>): Promise<number> {
  let count = 0
  const listener = () => {
    count += 1
  }
  subscribe(HANDLER_CHANNEL, listener)
  await (await work()).text()
  unsubscribe(HANDLER_CHANNEL, listener)
  return count
}

const HANDLER_CHANNEL = 'tracing:fastify.request.handler:start'
