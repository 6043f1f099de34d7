import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import http, { type IncomingMessage } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { AnyBody } from '../../../test/any-body.ts'
import { createMiniBundle, MINI_SPEC } from '../../../test/mini-bundle.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { testApp } from '../../../test/test-app.ts'
import { expectCreated, expectError, expectOk } from '../../../test/test-context.ts'
import { hashSecret } from '../../access/auth/access-token.ts'
import type { ProxyTestContext } from '../../accounts/proxy/test/proxy-test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import type { Id } from '../../platform/storage/id.ts'
import {
  createVisitor,
  extractForm,
  type FetchedPage,
  getVisibleText,
} from '../connect-page/test/test-visitor.ts'
import {
  answer,
  connectClient,
  consent,
  createClientProvider,
  openSignIn,
  signInAt,
} from './test/sign-in-client.ts'
import {
  REDIRECT_URI,
  type SignInContext,
  startSignInContext,
  type TokenResponse,
} from './test/sign-in-context.ts'

/** How many codes are redeemed twice: 1,000 in the proof. */
const CODES = Number(process.env.LINCHPIN_TEST_CODES ?? 10)

const PLACES = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/mcp-auth/authorize',
  '/mcp-auth/jwks',
]

describeOnBothDatabases('The sign-in of MCP clients', (newUrl) => {
  let t: SignInContext
  let offset = 0
  const now = () => Date.now() + offset
  let statusesBefore: number[] = []
  let clientId = ''
  let isPostgres = false
  before(async () => {
    const options = { url: await newUrl(), now }
    isPostgres = options.url !== undefined
    t = await startSignInContext(options, async (context) => {
      statusesBefore = await listStatuses(context)
    })
    clientId = await t.register()
  })
  after(() => t.close())

  const listStatuses = (context: ProxyTestContext) => {
    const paths = [...PLACES, `/.well-known/oauth-protected-resource/mcp/${context.workspaceId}`]
    return Promise.all(paths.map(async (path) => (await fetch(`${context.baseUrl}${path}`)).status))
  }
  const newBrowser = () => createVisitor(t.publicUrl, t.publicUrl)
  const fetchJson = async (url: string) => (await (await fetch(url)).json()) as AnyBody
  const listSessions = async (): Promise<AnyBody[]> =>
    expectOk(await t.call('GET', '/v1/agent_session')) as unknown as AnyBody[]
  const getSession = async (token: string) => {
    const [session] = await listSessions()
    assert.ok(session && token)
    return session
  }

  it('leads clients from the MCP server to the authorization server', async () => {
    assert.deepEqual(statusesBefore, [404, 404, 404, 404, 404])
    const { status, challenge } = await t.callTool('none', 'list_accounts')
    assert.equal(status, 401)
    const [, url = ''] =
      /^Bearer scope="read", resource_metadata="([^"]+)"$/.exec(challenge ?? '') ?? []
    const resource = await fetchJson(url)
    assert.equal(resource.resource, t.mcpUrl)
    assert.deepEqual(resource.authorization_servers, [t.publicUrl])
    assert.deepEqual(resource.scopes_supported, ['read'])
    const places = [...PLACES.slice(0, 2), `${PLACES[0]}/mcp/${t.workspaceId}`]
    for (const place of places) {
      const server = await fetchJson(`${t.publicUrl}${place}`)
      assert.equal(server.issuer, t.publicUrl, place)
      assert.deepEqual(server.code_challenge_methods_supported, ['S256'])
      for (const [name, value] of Object.entries<string>(server))
        if (name.endsWith('_endpoint'))
          assert.ok(value.startsWith(`${t.publicUrl}/mcp-auth/`), name)
    }
    const unknown = [
      '/x',
      '/mcp/wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
      `/mcp/${t.workspaceId}/x`,
      '/mcp/x',
    ]
    for (const path of unknown)
      for (const name of ['oauth-authorization-server', 'oauth-protected-resource'])
        assert.equal((await fetch(`${t.publicUrl}/.well-known/${name}${path}`)).status, 404, path)
  })

  it('lets pages of any origin do what needs no cookie, such as clients that run in browsers', async () => {
    const origin = 'https://inspector.example'
    const request = async (path: string, method: string, headers: Record<string, string> = {}) => {
      const body = method === 'POST' ? { body: 'grant_type=refresh_token' } : {}
      const init = { method, headers: { origin, ...headers }, ...body }
      return fetch(`${t.publicUrl}${path}`, { ...init, redirect: 'manual' })
    }
    const open: [path: string, method: string][] = [
      ...PLACES.slice(0, 2).map((path): [string, string] => [path, 'GET']),
      [`/.well-known/oauth-protected-resource/mcp/${t.workspaceId}`, 'GET'],
      ['/mcp-auth/jwks', 'GET'],
      ['/mcp-auth/token', 'POST'],
      ['/mcp-auth/revoke', 'POST'],
      ['/mcp-auth/register', 'POST'],
    ]
    for (const [path, method] of open) {
      const preflight = await request(path, 'OPTIONS', {
        'access-control-request-method': method,
        'access-control-request-headers': 'mcp-protocol-version',
      })
      assert.equal(preflight.status, 204, path)
      assert.equal(preflight.headers.get('access-control-allow-methods'), method)
      assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /\*/)
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const json = { 'content-type': 'application/json' }
      const type = path.endsWith('register') ? json : form
      const { headers } = await request(path, method, method === 'POST' ? type : {})
      for (const response of [preflight.headers, headers]) {
        assert.equal(response.get('access-control-allow-origin'), '*', path)
        assert.equal(response.get('access-control-allow-credentials'), null)
        assert.equal(response.get('set-cookie'), null)
      }
    }
    const { code, verifier } = await t.obtainCode({ clientId })
    const redeemed = await fetch(`${t.publicUrl}/mcp-auth/token`, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        code_verifier: verifier,
        redirect_uri: REDIRECT_URI,
      }),
    })
    assert.equal(redeemed.status, 200)
    assert.equal(redeemed.headers.get('access-control-allow-origin'), '*')
    // What reads cookies, or calls tools, is for no other page.
    for (const [path, method] of [
      ['/mcp-auth/authorize', 'GET'],
      ['/mcp-auth/authorize', 'OPTIONS'],
      [`/mcp/${t.workspaceId}`, 'OPTIONS'],
      [`/mcp/${t.workspaceId}`, 'POST'],
    ] as const) {
      const { status, headers } = await request(path, method)
      assert.equal(headers.get('access-control-allow-origin'), null, path)
      if (path.startsWith('/mcp/')) assert.equal(status, 403)
    }
  })

  it('lets the official client call tools, after it has registered itself', async () => {
    const stored = createClientProvider({
      client_name: 'Official client',
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
    })
    const client = await connectClient(t.product, t.mcpUrl, stored)
    assert.ok((await client.listTools()).tools.length > 3)
    const { structuredContent } = await client.callTool({ name: 'list_accounts', arguments: {} })
    const { accounts } = structuredContent as AnyBody
    assert.deepEqual(
      accounts.map(({ name }: AnyBody) => name),
      ['Alice at work'],
    )
    await client.close()
    const session = await getSession(stored.getTokens()?.access_token ?? '')
    assert.deepEqual([session.clientName, session.accountIdentifier], ['Official client', 'alice'])
  })

  it('ends when the customer ends it in the portal, and by no one else', async () => {
    const tokens = await t.signIn({ clientId })
    const call = async () => (await t.callTool(tokens.access_token, 'list_accounts')).status
    const openPortal = async (accountIdentifier: string) => {
      const browser = newBrowser()
      const body = { mode: 'manage', accountIdentifier }
      const session = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
      const pressed = await browser.submit(await browser.get(session.url))
      return { browser, page: await browser.get(pressed.location ?? '') }
    }
    const [bob, alice] = [await openPortal('bob'), await openPortal('alice')]
    assert.doesNotMatch(getVisibleText(bob.page), /Apps with access/)
    assert.match(getVisibleText(alice.page), /Apps with access to your connections A A client/)
    const { agentSessionId } = await getSession(tokens.access_token)
    const path = `${new URL(bob.page.url).pathname}/clients`
    const visit = /data-visit="([^"]+)"/.exec(bob.page.plain)?.[1] ?? ''
    await bob.browser.post(path, { visit, client: agentSessionId })
    await bob.browser.submit(alice.page, { client: agentSessionId })
    assert.equal(await call(), 200)
    const ended = await alice.browser.submit(alice.page, { client: agentSessionId })
    assert.equal(ended.state, 'portal')
    assert.equal(await call(), 401)
    const { body } = await t.requestToken({
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: tokens.refresh_token,
    })
    assert.equal(body.error, 'invalid_grant')
  })

  it('shows the person who asks, for what, and where the answer goes', async () => {
    const scope = 'read write'
    const browser = newBrowser()
    const { url } = t.buildUrl({ clientId, scope })
    const page = await signInAt(t.product, browser, await openSignIn(browser, url), 'alice')
    const text = getVisibleText(page)
    for (const expected of [
      'A client',
      'Acme',
      'localhost:33418',
      'Alice at work',
      'on this device',
    ])
      assert.ok(text.includes(expected), `${expected}: ${text}`)
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /frame-ancestors 'none'/)
    assert.match(policy, /form-action 'self' https: [^;]*http:\/\/localhost:33418/)
    assert.match(text, /Allow reading Allow reading and changes.*Do not allow/)
    const denied = await answer(browser, page, 'deny')
    assert.equal(denied.searchParams.get('error'), 'access_denied')
    assert.equal(denied.searchParams.get('state'), 'a state')
  })

  it('allows what the person has chosen: reading, or changes too', async () => {
    const accountOf = async (token: string) =>
      ((await t.callTool(token, 'list_accounts')).body as AnyBody).result.structuredContent
        .accounts[0].id
    const reading = await t.signIn({ clientId, scope: 'read write' })
    assert.equal(reading.scope, 'read')
    const account = await accountOf(reading.access_token)
    const input = { account, path: '/people' }
    const post = { ...input, method: 'POST', body: {} }
    const isError = async (token: string, name: string, args: object) =>
      ((await t.callTool(token, name, args)).body as AnyBody).result.isError === true
    assert.equal(await isError(reading.access_token, 'read_api', input), false)
    const refused = await t.callTool(reading.access_token, 'write_api', post)
    assert.equal(refused.status, 403)
    assert.match(
      refused.challenge ?? '',
      /^Bearer error="insufficient_scope", scope="read write", resource_metadata="http/,
    )
    const writing = await t.signIn({ clientId, scope: 'read write', decision: 'write' })
    assert.equal(writing.scope, 'read write')
    assert.equal(await isError(writing.access_token, 'write_api', post), false)
    const method = {
      ...MINI_SPEC.auth_specification['Api Key'],
      headers: { 'x-api-key': 'key' },
      'x-headers': 'complete',
    }
    const spec = {
      auth_specification: { 'Api Key': method },
      api_base_url: t.providerUrl,
      'x-get-may-write': true,
    }
    const rpc = await t.createDefinition({ code: createMiniBundle(spec) })
    const { integrationAccountId } = await t.createAccount(rpc.integrationDefinitionId, {
      accountIdentifier: 'alice',
    })
    const get = { account: integrationAccountId, path: '/chat.postMessage' }
    const { body } = await t.callTool(reading.access_token, 'read_api', get)
    assert.equal((body as AnyBody).result.structuredContent.code, 'insufficient_scope')
    assert.equal(await isError(writing.access_token, 'read_api', get), false)
    expectOk(await t.call('DELETE', `/v1/integration_account/${integrationAccountId}`))
    // Not more than the client has asked for.
    const browser = newBrowser()
    const { url } = t.buildUrl({ clientId })
    const page = await signInAt(t.product, browser, await openSignIn(browser, url), 'alice')
    const redirected = await answer(browser, page, 'write')
    assert.ok(redirected.searchParams.get('code'))
    const [session] = await listSessions()
    const entry = await selectAuditEntries(t.database.read)
      .selectAll()
      .where('subject', '=', session?.agentSessionId)
      .where('action', '=', 'agent_session.created')
      .executeTakeFirstOrThrow()
    assert.equal(JSON.parse(entry.detail).canWrite, false)
  })

  it('gives the accounts that the customer has at each call, and no others', async () => {
    const { access_token: token } = await t.signIn({ clientId, accountIdentifier: 'carol' })
    const list = async () =>
      ((await t.callTool(token, 'list_accounts')).body as AnyBody).result.structuredContent.accounts
    assert.deepEqual(await list(), [])
    const { integrationDefinitionId } = expectOk(
      await t.call('GET', `/v1/integration_account/${t.accountId}`),
    )
    const { integrationAccountId: account } = await t.createAccount(integrationDefinitionId, {
      config: { api_key: 'key-of-carol' },
      accountIdentifier: 'carol',
    })
    assert.deepEqual(
      (await list()).map(({ id }: AnyBody) => id),
      [account],
    )
    const other = await t.callTool(token, 'read_api', { account: t.accountId, path: '/people' })
    assert.equal((other.body as AnyBody).result.isError, true)
    // It is for the MCP server only.
    for (const path of [`/v1/integration_account/${account}`, '/v1/integration_account'])
      expectError(await t.call('GET', path, { token }), 'token_invalid')
  })

  it('ends with the session, at once and on every node', async () => {
    const tokens = await t.signIn({ clientId })
    const { agentSessionId } = await getSession(tokens.access_token)
    assert.equal((await t.callTool(tokens.access_token, 'list_accounts')).status, 200)
    expectOk(await t.call('DELETE', `/v1/agent_session/${agentSessionId}`))
    assert.equal((await t.callTool(tokens.access_token, 'list_accounts')).status, 401)
    assert.equal((await refresh(tokens)).body.error, 'invalid_grant')
    const { count } = await t.database.read
      .selectFrom('oauth_server_records')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('agent_session_id', '=', agentSessionId)
      .executeTakeFirstOrThrow()
    assert.equal(Number(count), 0)
  })

  it('ends when the client revokes its refresh token', async () => {
    const tokens = await t.signIn({ clientId })
    const body = new URLSearchParams({ token: tokens.refresh_token, client_id: clientId })
    const revoked = await fetch(`${t.publicUrl}/mcp-auth/revoke`, { method: 'POST', body })
    assert.equal(revoked.status, 200)
    assert.equal((await t.callTool(tokens.access_token, 'list_accounts')).status, 401)
  })

  const refresh = ({ refresh_token }: TokenResponse['body'], client = clientId) =>
    t.requestToken({ grant_type: 'refresh_token', client_id: client, refresh_token })

  describe('A refresh token', () => {
    it('can be used again for a minute, as clients lose responses', async () => {
      const first = await t.signIn({ clientId })
      const successors = []
      for (let use = 0; use < 5; use += 1) successors.push(await refresh(first))
      assert.deepEqual(
        successors.map(({ status }) => status),
        [200, 200, 200, 200, 200],
      )
      for (const { body } of successors)
        assert.equal((await t.callTool(body.access_token, 'list_accounts')).status, 200)
      assert.equal((await refresh(first)).body.error, 'invalid_grant')
      for (const { body } of successors)
        assert.equal((await t.callTool(body.access_token, 'list_accounts')).status, 401)
    })

    it('ends the session if it is used later: it was stolen, here or there', async () => {
      const stolen = await t.signIn({ clientId })
      const { body: next } = await refresh(stolen)
      offset += 61_000
      assert.equal((await refresh(stolen)).body.error, 'invalid_grant')
      assert.equal((await refresh(next)).body.error, 'invalid_grant')
      assert.equal((await t.callTool(next.access_token, 'list_accounts')).status, 401)
      const { agentSessionId } = await getSession(next.access_token)
      const entry = await selectAuditEntries(t.database.read)
        .selectAll()
        .where('subject', '=', agentSessionId)
        .where('action', '=', 'agent_session.revoked')
        .executeTakeFirstOrThrow()
      assert.deepEqual(JSON.parse(entry.detail), { clientId, endedBy: 'client' })
    })

    it('has no successor in a session that has filled the database with 20,000', async () => {
      const tokens = await t.signIn({ clientId })
      const { agentSessionId } = await getSession(tokens.access_token)
      const { body: next } = await refresh(tokens)
      for (let from = 0; from < 20_000; from += 2_000)
        await t.database.transaction((trx) =>
          trx
            .insertInto('oauth_server_records')
            .values(
              Array.from({ length: 2_000 }, (_, index) => ({
                kind: 'RefreshToken',
                id_hash: hashSecret(`${agentSessionId} ${from + index}`),
                payload: '{}',
                agent_session_id: agentSessionId,
                consumed_at: null,
                uses: 0,
                expires_at: now() + 60_000,
              })),
            )
            .execute(),
        )
      assert.equal((await refresh(next)).body.error, 'invalid_grant')
      assert.equal((await t.callTool(next.access_token, 'list_accounts')).status, 200)
      expectOk(await t.call('DELETE', `/v1/agent_session/${agentSessionId}`))
    })

    it('is for its client only', async () => {
      const tokens = await t.signIn({ clientId })
      const other = await t.register()
      assert.equal((await refresh(tokens, other)).body.error, 'invalid_grant')
      assert.equal((await refresh(tokens)).status, 200)
    })
  })

  it(`lets one of two nodes redeem a code, ${CODES} times`, async (test) => {
    const url = await newUrl()
    const first = await startSignInContext({ url, now })
    test.after(() => first.close())
    // SQLite has one node.
    const second = url === undefined ? undefined : await startSecondNode(first, url)
    test.after(() => second?.close())
    const client = await first.register()
    const counts: number[] = []
    for (let index = 0; index < CODES; index += 1) {
      // A network may begin sixty sign-ins in a minute.
      offset += 2_000
      const code = await first.obtainCode({ clientId: client })
      const bases = [first.publicUrl, second?.url ?? first.publicUrl]
      const redeemed = await Promise.all(bases.map((base) => first.redeem(client, code, {}, base)))
      counts.push(redeemed.filter(({ status }) => status === 200).length)
      for (const { body } of redeemed) assert.equal(body.error ?? 'invalid_grant', 'invalid_grant')
    }
    assert.ok(Math.max(...counts) <= 1, `tokens of a code: ${counts.join(' ')}`)
  })

  /** It replaces the token of the owner. */
  async function startSecondNode(first: SignInContext, url: string) {
    const node = await testApp({ url, now, baseUrl: () => first.publicUrl })
    Object.assign(first.product, { call: node.call })
    const nodeUrl = await node.app.listen({ port: 0, host: '127.0.0.1' })
    return { url: nodeUrl, close: () => node.close() }
  }

  it('ends the session of a code that is used twice', async () => {
    const code = await t.obtainCode({ clientId })
    const { body: tokens } = await t.redeem(clientId, code)
    assert.equal((await t.redeem(clientId, code)).body.error, 'invalid_grant')
    assert.equal((await t.callTool(tokens.access_token, 'list_accounts')).status, 401)
    assert.equal((await refresh(tokens)).body.error, 'invalid_grant')
  })

  /** Each mixes the sign-ins of two browsers; returns the pages that were shown. */
  const VARIANTS: Readonly<Record<string, () => Promise<readonly FetchedPage[]>>> = {
    'Bob opens the page that Alice has sent him': async () => {
      const [alice, bob] = [newBrowser(), newBrowser()]
      const start = await openSignIn(alice, t.buildUrl({ clientId }).url)
      return [await bob.get(start.url), await bob.submit(start), await bob.get(start.url)]
    },
    'Bob presses the button with his own cookie of the same name': async () => {
      const [alice, bob] = [newBrowser(), newBrowser()]
      const start = await openSignIn(alice, t.buildUrl({ clientId }).url)
      await openSignIn(bob, t.buildUrl({ clientId }).url)
      const [[, value] = ['', '']] = [...bob.jar].filter(([name]) => name.includes('agent'))
      bob.jar.set(getPageCookie(start.url), value)
      return [await bob.get(start.url), await bob.submit(start)]
    },
    'Bob has the cookie of the page, and not that of the authorization request': async () => {
      const [alice, bob] = [newBrowser(), newBrowser()]
      const start = await openSignIn(alice, t.buildUrl({ clientId }).url)
      const name = getPageCookie(start.url)
      bob.jar.set(name, alice.jar.get(name) ?? '')
      return [await signInAt(t.product, bob, start, 'bob'), await bob.get(start.url)]
    },
    'Bob has the cookie of the page, and that of his own authorization request': async () => {
      const [alice, bob] = [newBrowser(), newBrowser()]
      const start = await openSignIn(alice, t.buildUrl({ clientId }).url)
      await openSignIn(bob, t.buildUrl({ clientId }).url)
      const name = getPageCookie(start.url)
      bob.jar.set(name, alice.jar.get(name) ?? '')
      return [await signInAt(t.product, bob, start, 'bob'), await bob.get(start.url)]
    },
    'Bob begins, and Alice is lured to the address of the product (login CSRF)': async () => {
      const [alice, bob] = [newBrowser(), newBrowser()]
      const start = await openSignIn(bob, t.buildUrl({ clientId }).url)
      const pressed = await bob.submit(start)
      const returned = await alice.get(await confirm(pressed, 'alice'))
      return [returned, await alice.get(start.url), await bob.get(start.url)]
    },
    'Bob returns while Alice is lured to the address of the product': async () => {
      const bob = newBrowser()
      const start = await openSignIn(bob, t.buildUrl({ clientId }).url)
      const opened = await bob.submit(start)
      const returnUrl = await confirm(opened, 'bob')
      const returned = await t.database.transaction(async (trx) => {
        await trx
          .updateTable('sign_in_requests')
          .set({ code_hash: new Uint8Array(32), expected_identifier: 'alice' })
          .where('sign_in_request_id', '=', start.url.slice(-30) as Id<'sir'>)
          .execute()
        const page = bob.get(returnUrl)
        // On PostgreSQL, the page reads the request before this change, and waits to make its own.
        if (isPostgres) await setTimeout(100)
        return [page]
      })
      return [...(await Promise.all(returned)), await bob.get(start.url)]
    },
    'Alice signs in, and Bob has her cookies of the library only': async () => {
      const [alice, bob] = [newBrowser(), newBrowser()]
      const start = await openSignIn(alice, t.buildUrl({ clientId }).url)
      await signInAt(t.product, alice, start, 'alice')
      for (const [name, value] of alice.jar) if (name.includes('mcp')) bob.jar.set(name, value)
      return [await bob.get(start.url), await bob.post(`${start.url}/answer`, { decision: 'read' })]
    },
    'another site posts the answer from the browser of Alice': async () => {
      const alice = newBrowser()
      const start = await openSignIn(alice, t.buildUrl({ clientId }).url)
      const page = await signInAt(t.product, alice, start, 'alice')
      const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
      return [await alice.submit(page, { decision: 'read' }, headers)]
    },
    'the form of one sign-in is posted to another': async () => {
      const alice = newBrowser()
      const first = await openSignIn(alice, t.buildUrl({ clientId }).url)
      const page = await signInAt(t.product, alice, first, 'alice')
      const second = await openSignIn(alice, t.buildUrl({ clientId }).url)
      const fields = { ...extractForm(page).fields, decision: 'read' }
      return [await alice.post(`${second.url}/answer`, fields)]
    },
    'Bob resumes the authorization request of Alice': async () => {
      const [alice, bob] = [newBrowser(), newBrowser()]
      const start = await openSignIn(alice, t.buildUrl({ clientId }).url)
      const resume = [...alice.jar].find(([name]) => name.endsWith('mcp-resume'))?.[1]
      return [start, await bob.get(`${t.publicUrl}/mcp-auth/authorize/${resume}`)]
    },
    'Alice resumes before she has answered': async () => {
      const alice = newBrowser()
      const start = await openSignIn(alice, t.buildUrl({ clientId }).url)
      const resume = [...alice.jar].find(([name]) => name.endsWith('mcp-resume'))?.[1]
      return [start, await alice.get(`${t.publicUrl}/mcp-auth/authorize/${resume}`)]
    },
    'answers that there are not': async () => {
      const alice = newBrowser()
      const start = await openSignIn(alice, t.buildUrl({ clientId }).url)
      const page = await signInAt(t.product, alice, start, 'alice')
      const pages = []
      for (const decision of ['', 'approve', 'READ', 'constructor'])
        pages.push(await alice.submit(page, { decision }))
      return pages
    },
  }
  const getPageCookie = (url: string) => `linchpin-agent-${new URL(url).pathname.split('sir_')[1]}`
  const confirm = async ({ location = '' }: FetchedPage, accountIdentifier: string) => {
    const id = new URL(location).searchParams.get('linchpin_request')
    const path = `/v1/sign_in_request/${id}/confirm`
    const { returnURL } = expectOk(await t.call('POST', path, { body: { accountIdentifier } }))
    return returnURL as string
  }

  for (const [name, run] of Object.entries(VARIANTS))
    it(`shows and grants nothing: ${name}`, async () => {
      const count = (await listSessions()).length
      for (const { text, state, location, status, url } of await run()) {
        assert.ok(!text.includes('Alice at work') && state !== 'agentConsent', `${url}: ${state}`)
        assert.ok(!location?.includes('code=') || location.includes('/agent/'), location)
        assert.ok(status < 500, `${url}: ${status}`)
      }
      assert.equal((await listSessions()).length, count)
    })

  it('lets no site fill a browser with cookies until its requests are too large', async () => {
    const browser = newBrowser()
    let last = ''
    for (let count = 0; count < 30; count += 1) {
      offset += 2_000
      last = (await browser.get(t.buildUrl({ clientId }).url)).location ?? ''
      // As a browser does.
      for (const [name, value] of browser.jar) if (value === '') browser.jar.delete(name)
    }
    const names = [...browser.jar.keys()].filter((name) => name.startsWith('linchpin-agent-'))
    assert.equal(names.length, 21)
    assert.ok(names.includes(getPageCookie(last)))
    // Of a minute of this network, thirty are used.
    offset += 61_000
  })

  it('lets a person answer once', async () => {
    const alice = newBrowser()
    const start = await openSignIn(alice, t.buildUrl({ clientId }).url)
    const page = await signInAt(t.product, alice, start, 'alice')
    const count = (await listSessions()).length
    const answered = await Promise.all(
      [1, 2, 3].map(() => alice.submit(page, { decision: 'read' })),
    )
    assert.equal(answered.filter(({ status }) => status === 303).length, 1)
    assert.equal((await listSessions()).length, count + 1)
  })

  describe('An authorization request', () => {
    /** Where the error goes: to the client, or to the person, as no redirect URI can be trusted. */
    const REFUSED: readonly (readonly [name: string, params: object, to: 'client' | 'person'])[] = [
      ['without PKCE', { code_challenge: '', code_challenge_method: '' }, 'client'],
      ['with PKCE plain', { code_challenge_method: 'plain' }, 'client'],
      ['without a method of PKCE, which means plain', { code_challenge_method: '' }, 'client'],
      ['for a token in the browser', { response_type: 'token' }, 'client'],
      ['for another server', { resource: 'https://evil.example/mcp' }, 'client'],
      ['for a resource in other letters', { resource: 'UPPER' }, 'client'],
      ['for a resource with a slash more', { resource: 'SLASH' }, 'client'],
      ['for another workspace', { resource: 'OTHER' }, 'client'],
      ['that must not ask the person', { prompt: 'none' }, 'client'],
      ['with a form as its response', { response_mode: 'form_post' }, 'client'],
      ['with a request object', { request: 'e30.e30.' }, 'client'],
      ['with a redirect URI of another site', { redirect_uri: 'https://evil.example/' }, 'person'],
      ['with another path', { redirect_uri: 'http://localhost:33418/callback/..' }, 'person'],
      ['with a query', { redirect_uri: `${REDIRECT_URI}?x=1` }, 'person'],
      ['with a user name', { redirect_uri: 'http://localhost:1@evil.example/callback' }, 'person'],
      ['with another loopback name', { redirect_uri: 'http://127.0.0.1:33418/callback' }, 'person'],
      [
        'with a name like localhost',
        { redirect_uri: 'http://localhost.evil.example/callback' },
        'person',
      ],
      ['with https', { redirect_uri: 'https://localhost:33418/callback' }, 'person'],
      [
        'with a backslash',
        { redirect_uri: 'http://localhost:33418\\@evil.example/callback' },
        'person',
      ],
      ['without a redirect URI', { redirect_uri: '' }, 'person'],
      ['of an unknown client', { client_id: 'unknown' }, 'person'],
    ]
    for (const [name, params, to] of REFUSED)
      it(`${name} is refused`, async () => {
        const { url } = t.buildUrl({ clientId })
        const target = new URL(url)
        const resources: Record<string, string> = {
          UPPER: t.mcpUrl.toUpperCase(),
          SLASH: `${t.mcpUrl}/`,
          OTHER: `${t.publicUrl}/mcp/wsp_01kahn2s6ke2vb7gq4yq1c0m9t`,
        }
        for (const [key, value] of Object.entries<string>(params as Record<string, string>))
          if (value === '') target.searchParams.delete(key)
          else target.searchParams.set(key, resources[value] ?? value)
        const { status, location, state } = await newBrowser().get(target.href)
        if (to === 'person') return assert.deepEqual([status, state], [400, 'signInInvalid'])
        assert.equal(status, 303)
        const redirected = new URL((location ?? '').replace('#', '?'))
        assert.equal(`${redirected.origin}${redirected.pathname}`, REDIRECT_URI)
        assert.ok(redirected.searchParams.get('error'), location)
        assert.equal(redirected.searchParams.get('iss'), t.publicUrl)
      })

    it('redirects to no other site before a person has signed in', async () => {
      const id = 'https://evil.example/metadata.json'
      const redirectUri = 'https://evil.example/'
      t.documents.set(id, { body: { client_id: id, redirect_uris: [redirectUri] } })
      const refused = [
        { response_type: 'token' },
        { prompt: 'none' },
        { resource: 'https://x.example/' },
      ]
      for (const params of refused) {
        const { url } = t.buildUrl({ clientId: id, redirectUri, params })
        const { status, location, state, text } = await newBrowser().get(url)
        assert.deepEqual([status, location, state], [400, undefined, 'signInInvalid'])
        assert.match(text, /(?:invalid_request|consent_required|invalid_target): /)
        assert.doesNotMatch(text, /incomplete/)
      }
    })

    it('without a resource is for the only workspace in which people sign in', async () => {
      const code = await t.obtainCode({ clientId, resource: null })
      const { body } = await t.redeem(clientId, code)
      assert.equal((await t.callTool(body.access_token, 'list_accounts')).status, 200)
      const other = await t.otherUser()
      const path = `/v1/workspace/${other.workspaceId}`
      const agents = { signInURL: 'https://other.example/' }
      expectOk(await t.call('POST', path, { token: other.token, body: { agents } }))
      const { location } = await newBrowser().get(t.buildUrl({ clientId, resource: null }).url)
      assert.equal(new URL(location ?? '').searchParams.get('error'), 'invalid_target')
      // A token is for the workspace of its consent.
      const foreign = `${t.publicUrl}/mcp/${other.workspaceId}`
      assert.equal((await t.callTool(body.access_token, 'list_accounts', {}, foreign)).status, 401)
      assert.equal((await refreshFor(body, foreign)).body.error, 'invalid_target')
      expectOk(await t.call('POST', path, { token: other.token, body: { agents: {} } }))
    })
    const refreshFor = ({ refresh_token }: TokenResponse['body'], resource: string) =>
      t.requestToken({ grant_type: 'refresh_token', client_id: clientId, refresh_token, resource })

    it('leads to the public URL, whatever its headers say', async () => {
      const { url } = t.buildUrl({ clientId })
      const { pathname, search } = new URL(url)
      const hostile = {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        'x-forwarded-for': '192.0.2.1',
        forwarded: 'host=evil.example;proto=https',
        'x-original-url': 'https://evil.example/',
      }
      const responses = [
        await request(pathname + search, { ...hostile, host: 'evil.example' }),
        await request(`http://evil.example${pathname}${search}`, { host: 'evil.example' }),
      ]
      for (const { statusCode, headers } of responses) {
        assert.equal(statusCode, 303)
        assert.ok(headers.location?.startsWith(`${t.publicUrl}/agent/sir_`), headers.location)
        for (const cookie of headers['set-cookie'] ?? [])
          assert.match(cookie, /[Pp]ath=\/(?:;|agent\/sir_|mcp-auth\/authorize\/)/)
      }
    })
    const request = (path: string, headers: Record<string, string>) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const { hostname, port } = new URL(t.publicUrl)
        http.get({ hostname, port, path, headers }, resolve).on('error', reject)
      })
  })

  describe('A code', () => {
    const ATTEMPTS: readonly (readonly [name: string, fields: object])[] = [
      ['with another verifier', { code_verifier: 'x'.repeat(43) }],
      ['without a verifier', { code_verifier: '' }],
      ['with another redirect URI', { redirect_uri: 'http://localhost:1/callback' }],
      ['without a redirect URI', { redirect_uri: '' }],
      ['for another resource', { resource: 'https://evil.example/mcp' }],
      ['by another client', { client_id: 'OTHER' }],
    ]
    for (const [name, fields] of ATTEMPTS)
      it(`is not redeemed ${name}`, async () => {
        const other = await t.register()
        const code = await t.obtainCode({ clientId })
        const all = Object.fromEntries(
          Object.entries(fields).map(([key, value]) => [key, value === 'OTHER' ? other : value]),
        )
        const { status, body } = await t.redeem(clientId, code, all)
        assert.equal(status, 400)
        assert.match(body.error ?? '', /^invalid_(?:grant|request|target)$/)
      })
  })

  describe('Clients as they are deployed', () => {
    // Others have registered in this hour.
    before(() => {
      offset += 3_600_000
    })
    const DOCUMENT = {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

    it('Claude Code: a document with loopback URIs without a port (claude-code#37747)', async () => {
      const clientId = publish('https://claude.ai/oauth/claude-code-client-metadata', {
        client_name: 'Claude Code',
        redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
        ...DOCUMENT,
      })
      await signIn({ clientId, redirectUri: 'http://localhost:58135/callback' }, 'claude.ai')
    })

    it('claude.ai: registers, and asks for a scope of its own (claude-ai-mcp#124)', async () => {
      const redirectUri = 'https://claude.ai/api/mcp/auth_callback'
      const clientId = await t.register({
        client_name: 'Claude',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
        scope: 'claudeai',
      })
      await signIn({ clientId, redirectUri, scope: 'claudeai' }, 'claude.ai')
    })

    it('claude.ai: a document, with an empty scope beside offline_access (claude-ai-mcp#96)', async () => {
      const redirectUri = 'https://claude.ai/api/mcp/auth_callback'
      const clientId = publish('https://claude.ai/oauth/mcp-oauth-client-metadata', {
        client_name: 'Claude',
        redirect_uris: [redirectUri],
        ...DOCUMENT,
      })
      const params = { prompt: 'consent' }
      await signIn({ clientId, redirectUri, scope: ' offline_access', params }, 'claude.ai')
    })

    it('claude.ai: endpoints where MCP 2025-03-26 has them (claude-ai-mcp#962)', async () => {
      const redirectUri = 'https://claude.ai/api/mcp/auth_callback'
      const registered = await fetch(`${t.publicUrl}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_name: 'Claude', redirect_uris: [redirectUri] }),
      })
      assert.equal(registered.status, 201)
      const { client_id } = (await registered.json()) as AnyBody
      const { url, verifier } = t.buildUrl({ clientId: client_id, redirectUri })
      const redirected = await consent(t.product, url.replace('/mcp-auth/', '/'))
      const response = await fetch(`${t.publicUrl}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id,
          code: redirected.searchParams.get('code') ?? '',
          code_verifier: verifier,
          redirect_uri: redirectUri,
        }),
      })
      assert.equal(response.status, 200)
      const { access_token } = (await response.json()) as AnyBody
      assert.equal((await t.callTool(access_token, 'list_accounts')).status, 200)
    })

    it('ChatGPT: a document with keys, and the response of a callback of its own (operately#5164)', async () => {
      const redirectUri = 'https://chatgpt.com/connector/oauth/OUbdUMlL15Ct'
      const jwks_uri = 'https://chatgpt.com/oauth/jwks.json'
      const jwk = { ...publicKey.export({ format: 'jwk' }), kid: '1', alg: 'ES256', use: 'sig' }
      t.documents.set(jwks_uri, { body: { keys: [jwk] } })
      const clientId = publish('https://chatgpt.com/oauth/client.json', {
        client_name: 'ChatGPT',
        redirect_uris: [redirectUri],
        ...DOCUMENT,
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
        jwks_uri,
      })
      const options = { clientId, redirectUri, scope: 'openid profile read' }
      const code = await t.obtainCode(options)
      const fields = { redirect_uri: redirectUri }
      // The code alone is not enough.
      assert.equal((await t.redeem(clientId, code, fields)).body.error, 'invalid_client')
      const assertion = createAssertion(clientId)
      const { status } = await t.redeem(clientId, code, { ...fields, ...assertion })
      assert.equal(status, 200)
      const again = await t.obtainCode(options)
      const replayed = await t.redeem(clientId, again, { ...fields, ...assertion })
      assert.equal(replayed.body.error, 'invalid_client')
      const present = async (each: Record<string, string>) => {
        const token = { grant_type: 'refresh_token', refresh_token: 'none', client_id: clientId }
        return (await t.requestToken({ ...token, ...each })).body.error
      }
      const twice = createAssertion(clientId)
      const errors = await Promise.all([1, 2, 3].map(() => present(twice)))
      assert.deepEqual(errors.sort(), ['invalid_client', 'invalid_client', 'invalid_grant'])
      assert.equal(t.fetched.filter((url) => url === jwks_uri).length, 1)
      const now = Math.floor(Date.now() / 1_000)
      // Until then, the service would have to remember it.
      for (const exp of [now + 3_700, 1e18, 1e300])
        assert.equal(await present(createAssertion(clientId, exp)), 'invalid_client')
      assert.equal(await present(createAssertion(clientId, now + 60.000_12)), 'invalid_grant')
    })

    it('VS Code: registers, and uses another port if its own is taken (vscode#278512)', async () => {
      const clientId = await t.register({
        client_name: 'Visual Studio Code',
        redirect_uris: [
          'https://insiders.vscode.dev/redirect',
          'https://vscode.dev/redirect',
          'http://127.0.0.1/',
          'http://127.0.0.1:33418/',
        ],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      })
      await signIn({ clientId, redirectUri: 'http://127.0.0.1:59656/' }, '127.0.0.1:59656')
      await signIn({ clientId, redirectUri: 'https://vscode.dev/redirect' }, 'vscode.dev')
    })

    it('VS Code: a document, if the server reads them (vscode#298300)', async () => {
      const clientId = publish('https://vscode.dev/oauth/client-metadata.json', {
        client_name: 'Visual Studio Code',
        redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
        ...DOCUMENT,
      })
      await signIn({ clientId, redirectUri: 'http://127.0.0.1:59656/' }, 'vscode.dev')
    })

    it('Cursor: calls itself a web application, and registers its scheme alone (inbox-zero#3780)', async () => {
      const redirectUri = 'cursor://anysphere.cursor-mcp/oauth/callback'
      const clientId = await t.register({
        client_name: 'Cursor',
        redirect_uris: [redirectUri],
        application_type: 'web',
        token_endpoint_auth_method: 'none',
      })
      await signIn({ clientId, redirectUri }, 'cursor:')
    })

    it('Cursor: registers the scheme of its application (agent-connector-for-wp#111)', async () => {
      const redirectUri = 'cursor://anysphere.cursor-mcp/oauth/callback'
      const clientId = await t.register({
        client_name: 'Cursor',
        redirect_uris: [
          redirectUri,
          'https://www.cursor.com/agents/mcp/oauth/callback',
          'http://localhost:8787/callback',
        ],
        token_endpoint_auth_method: 'none',
      })
      const page = await signIn({ clientId, redirectUri }, 'cursor:')
      assert.match(page.headers.get('content-security-policy') ?? '', /form-action [^;]* cursor:;/)
    })

    const publish = (clientId: string, metadata: object) => {
      t.documents.set(clientId, { body: { client_id: clientId, ...metadata } })
      return clientId
    }
    /** Signs in and calls a tool; the page names where the answer goes. */
    async function signIn(
      options: Parameters<SignInContext['buildUrl']>[0],
      target: string,
    ): Promise<FetchedPage> {
      const alice = newBrowser()
      const { url, verifier } = t.buildUrl(options)
      const page = await signInAt(t.product, alice, await openSignIn(alice, url), 'alice')
      assert.ok(getVisibleText(page).includes(target), getVisibleText(page))
      const redirected = await answer(alice, page, 'read')
      const { redirectUri = '', clientId } = options
      assert.ok(redirected.href.startsWith(`${redirectUri}?code=`), redirected.href)
      const code = { code: redirected.searchParams.get('code') ?? '', verifier }
      const { body } = await t.redeem(clientId, code, { redirect_uri: redirectUri })
      assert.equal((await t.callTool(body.access_token, 'list_accounts')).status, 200)
      assert.ok(body.refresh_token)
      return page
    }
    function createAssertion(clientId: string, exp = Math.floor(Date.now() / 1_000) + 60) {
      const claims = {
        iss: clientId,
        sub: clientId,
        aud: t.publicUrl,
        jti: randomUUID(),
        exp,
      }
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const input = `${encode({ alg: 'ES256', kid: '1' })}.${encode(claims)}`
      const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
      const signature = sign('sha256', Buffer.from(input), key).toString('base64url')
      return {
        client_assertion: `${input}.${signature}`,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      }
    }
  })

  describe('The document of a client', () => {
    const ID = 'https://client.example/metadata.json'
    const GOOD = { client_id: ID, client_name: 'X', redirect_uris: [REDIRECT_URI] }
    const HOSTILE: readonly (readonly [
      name: string,
      id: string,
      document?: unknown,
      status?: number,
    ])[] = [
      ['of an address of this machine', 'https://127.0.0.1/metadata.json'],
      ['of the metadata service of a cloud', 'https://169.254.169.254/latest/meta-data'],
      ['of an address in disguise', 'https://0x7f.1/metadata.json'],
      ['of IPv6', 'https://[::ffff:127.0.0.1]/metadata.json'],
      ['of a name without a dot', 'https://localhost/metadata.json'],
      ['over http', 'http://client.example/metadata.json'],
      ['with a user name', 'https://client.example@127.0.0.1/metadata.json'],
      ['with a fragment', `${ID}#x`],
      ['with dot segments', 'https://client.example/x/../metadata.json'],
      ['that is missing', 'https://client.example/missing.json'],
      ['that redirects', 'https://client.example/redirect', GOOD, 302],
      ['of another client', 'https://client.example/other', GOOD],
      ['with a secret', 'https://client.example/secret', { client_secret: 'x' }],
      [
        'that shares a secret',
        'https://client.example/basic',
        { token_endpoint_auth_method: 'client_secret_basic' },
      ],
      ['that is too long', 'https://client.example/long', { client_name: 'x'.repeat(6_000) }],
      ['that is no JSON', 'https://client.example/text', 'client_id'],
      ['that is a list', 'https://client.example/list', [GOOD]],
      [
        'with http elsewhere',
        'https://client.example/http',
        { redirect_uris: ['http://evil.example/'] },
      ],
      [
        'with a script as its redirect URI',
        'https://client.example/js',
        { redirect_uris: ['javascript:alert(1)'] },
      ],
      [
        'with a fragment in its redirect URI',
        'https://client.example/hash',
        { redirect_uris: ['https://client.example/#x'] },
      ],
      ['without redirect URIs', 'https://client.example/none', { redirect_uris: [] }],
    ]
    for (const [name, id, document, status] of HOSTILE)
      it(`${name} is refused`, async () => {
        const isChange =
          typeof document === 'object' && !Array.isArray(document) && document !== GOOD
        const body = isChange ? { ...GOOD, client_id: id, ...document } : document
        if (document !== undefined) t.documents.set(id, { body, ...(status && { status }) })
        // Each network may have twenty fetched in a minute.
        offset += 61_000
        const page = await newBrowser().get(t.buildUrl({ clientId: id }).url)
        assert.deepEqual(
          [page.status, page.state, page.location],
          [400, 'signInInvalid', undefined],
        )
      })

    it('is fetched twenty times in a minute for a network', async () => {
      offset += 122_000
      const states = []
      for (let count = 0; count < 22; count += 1) {
        const id = `https://client.example/${count}`
        t.documents.set(id, { body: { ...GOOD, client_id: id } })
        states.push((await newBrowser().get(t.buildUrl({ clientId: id }).url)).status)
      }
      assert.deepEqual(states, [...Array(20).fill(303), 400, 400])
    })
  })

  it('shows a name without what cannot be seen, and stores any', async () => {
    offset += 3_600_000
    const name = ' \u202eedoC edualC\0\ud800 '.concat('\u{1f600}'.repeat(200))
    const client = 'https://hostile.example/metadata.json'
    const document = { client_id: client, client_name: name, redirect_uris: [REDIRECT_URI] }
    t.documents.set(client, { body: document })
    const browser = newBrowser()
    const { url } = t.buildUrl({ clientId: client })
    const page = await signInAt(t.product, browser, await openSignIn(browser, url), 'alice')
    assert.match(getVisibleText(page), /\\u\{202e\}edoC edualC/)
    await answer(browser, page, 'read')
    const [session] = await listSessions()
    assert.equal([...String(session?.clientName)].length, 100)
    const nameless = await t.register({ client_name: undefined })
    const other = await signInAt(
      t.product,
      browser,
      await openSignIn(browser, t.buildUrl({ clientId: nameless }).url),
      'alice',
    )
    assert.ok(getVisibleText(other).includes(nameless))
    const long = `https://long.example/${'x'.repeat(3_000)}`
    t.documents.set(long, { body: { client_id: long, redirect_uris: [REDIRECT_URI] } })
    const urlOfLong = t.buildUrl({ clientId: long }).url
    const third = await signInAt(t.product, browser, await openSignIn(browser, urlOfLong), 'alice')
    assert.match(getVisibleText(third), /Let long\.example use your connections/)
  })

  it('leaves nothing of a customer who is erased', async () => {
    const tokens = await t.signIn({ clientId, accountIdentifier: 'dave' })
    const browser = newBrowser()
    const { url } = t.buildUrl({ clientId })
    const page = await signInAt(t.product, browser, await openSignIn(browser, url), 'erin')
    for (const accountIdentifier of ['dave', 'erin']) {
      const path = '/v1/erasure'
      const erased = await t.call('POST', path, { body: { accountIdentifier } })
      assert.ok(erased.status < 300, JSON.stringify(erased.body))
    }
    assert.equal((await t.callTool(tokens.access_token, 'list_accounts')).status, 401)
    assert.equal((await refresh(tokens)).body.error, 'invalid_grant')
    const answered = await browser.submit(page, { decision: 'read' })
    assert.notEqual(answered.status, 303)
    const { rows } = {
      rows: await t.database.read
        .selectFrom('sign_in_requests')
        .select('purpose')
        .where('expected_identifier', 'in', ['dave', 'erin'])
        .execute(),
    }
    assert.deepEqual(rows, [])
  })

  it('lets a network register ten clients in an hour', async () => {
    offset += 3_600_000
    for (let count = 0; count < 10; count += 1) await t.register()
    await assert.rejects(t.register(), /rate_limited/)
    offset += 3_600_000
    await t.register()
  })

  it('lets a network ask for 600 tokens in a minute', async () => {
    // A minute begins.
    offset += 3_660_000 - (now() % 60_000)
    const statuses = new Map<number, number>()
    for (let count = 0; count < 650; count += 1) {
      const { status } = await fetch(`${t.publicUrl}/mcp-auth/token`, { method: 'POST' })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    assert.deepEqual([...statuses.keys()], [400, 429])
    assert.ok((statuses.get(400) ?? 0) <= 600)
    offset += 3_600_000
  })
})

describe('The authorization server', () => {
  it('takes nothing of a service without sign-ins: its library is a program of its own', async () => {
    const generated = new URL('../../../generated/', import.meta.url)
    const [main = '', library = ''] = await Promise.all(
      ['main.mjs', 'oidc-provider.mjs'].map((name) => readFile(new URL(name, generated), 'utf8')),
    )
    assert.match(library, /must be a web uri|Issuer Identifier must be a valid web uri/)
    assert.doesNotMatch(main, /Issuer Identifier must be a valid web uri/)
    assert.match(main, /await import\("\.\/oidc-provider\.mjs"\)/)
  })

  it('has secure cookies, and the path of a public URL that a proxy removes', async (test) => {
    let publicUrl = 'https://connect.example.com'
    const t = await startSignInContext({ baseUrl: () => publicUrl })
    test.after(() => t.close())
    const resource = `${publicUrl}/mcp/${t.workspaceId}`
    const clientId = await t.register()
    const { url, verifier } = t.buildUrl({ clientId, resource })
    const browser = createVisitor(t.baseUrl, publicUrl)
    const product = { publicUrl, call: t.call }
    const start = await openSignIn(browser, url.replace(t.baseUrl, publicUrl))
    for (const name of browser.jar.keys()) assert.match(name, /^__(?:Host|Secure)-linchpin-/)
    assert.equal(browser.jar.size, 5)
    const page = await signInAt(product, browser, start, 'alice')
    const redirected = await answer(browser, page, 'read')
    const code = { code: redirected.searchParams.get('code') ?? '', verifier }
    const { body } = await t.redeem(clientId, code, {}, t.baseUrl)
    const target = `${t.baseUrl}/mcp/${t.workspaceId}`
    assert.equal((await t.callTool(body.access_token, 'list_accounts', {}, target)).status, 200)
    // It is for the server of this URL.
    publicUrl = 'https://other.example'
    assert.equal((await t.callTool(body.access_token, 'list_accounts', {}, target)).status, 401)
  })

  it('has the path of a public URL that a proxy removes', async (test) => {
    const publicUrl = 'https://connect.example.com/linchpin'
    const t = await startSignInContext({ baseUrl: () => publicUrl })
    test.after(() => t.close())
    const resource = `${publicUrl}/mcp/${t.workspaceId}`
    const { url } = t.buildUrl({ clientId: await t.register(), resource })
    const response = await fetch(url, { redirect: 'manual' })
    assert.match(
      response.headers.get('location') ?? '',
      /^https:\/\/connect\.example\.com\/linchpin\/agent\/sir_/,
    )
    const paths = response.headers.getSetCookie().map((line) => /path=([^;]*)/i.exec(line)?.[1])
    for (const path of paths)
      assert.match(path ?? '', /^\/(?:$|linchpin\/agent\/sir_|linchpin\/mcp-auth\/authorize\/)/)
    for (const path of [
      '/.well-known/oauth-authorization-server/linchpin',
      `/.well-known/oauth-protected-resource/linchpin/mcp/${t.workspaceId}`,
      `/.well-known/oauth-protected-resource/mcp/${t.workspaceId}`,
    ])
      assert.equal((await fetch(`${t.baseUrl}${path}`)).status, 200, path)
  })

  it('registers no clients unless the operator has allowed it', async (test) => {
    const t = await startSignInContext({ canRegisterClients: false })
    test.after(() => t.close())
    const response = await fetch(`${t.publicUrl}/mcp-auth/register`, { method: 'POST' })
    assert.equal(response.status, 404)
    const url = `${t.publicUrl}/.well-known/oauth-authorization-server`
    assert.equal(((await (await fetch(url)).json()) as AnyBody).registration_endpoint, undefined)
  })
})
