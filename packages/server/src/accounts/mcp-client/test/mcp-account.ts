import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createMcpHandler,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { AnyBody } from '../../../../test/any-body.ts'
import { expectOk } from '../../../../test/expect-response.ts'
import type { TestResponse } from '../../../../test/test-app.ts'
import type { TestContext } from '../../../../test/test-context.ts'
import {
  listenForVisitors,
  pressStart,
  type TestVisitor,
} from '../../../connect/connect-page/test/test-visitor.ts'
import { newBrowser } from '../../../connect/oauth-flow/test/browser.ts'
import {
  createMcpBundle,
  startAuthorizationServer,
  startMcpServer,
  type TestMcpServer,
} from '../../../connect/oauth-flow/test/mcp-servers.ts'
import { type CleanupScope, readRequestText } from '../../../integrations/oauth/test/servers.ts'
import type { AccountId } from '../../accounts/account.ts'

/** An error of the API. */
export function expectError(status: number, code: string, response: TestResponse): AnyBody {
  assert.equal(response.status, status, response.text)
  assert.equal(response.body.error, code)
  return response.body
}

/** An account at an MCP server of its own. */
export interface McpAccount {
  readonly accountId: AccountId
  readonly definitionId: string
  readonly server: TestMcpServer
  /** Connects another account at the same server. */
  connectAnother(): Promise<AccountId>
  /** Signs in on the page of a connect session. @returns the scopes of the authorization request */
  signInAgain(sessionUrl: string): Promise<string[]>
}

/** Cleans up before a context is closed, for tests that share one. */
export function closeWith(t: Pick<TestContext, 'close'>): CleanupScope {
  return {
    after(cleanup) {
      const { close } = t
      Object.assign(t, {
        async close() {
          await cleanup()
          await close()
        },
      })
    },
  }
}

/** Starts an MCP server with an authorization server, and connects an account at it. */
export async function connectMcpAccount(
  t: TestContext,
  cleanup: CleanupScope,
): Promise<McpAccount> {
  const { integrationDefinitionId: definitionId } = await t.createDefinition({
    code: createMcpBundle(),
  })
  const as = await startAuthorizationServer(cleanup)
  const server = await startMcpServer(cleanup, {
    issuer: as.issuer,
    isValid: (token) => as.tokens.get(token) === server.url,
  })
  const connect = async () => {
    const browser = newBrowser(t.app)
    const start = await t.call('POST', '/v1/oauth', {
      body: {
        integrationDefinitionId: definitionId,
        integrationAccountName: 'An MCP server',
        accountIdentifier: 'customer-41',
        config: { server_url: server.url },
        confirm: false,
      },
    })
    const { location } = await browser.get(await browser.begin(expectOk(start).redirectURL))
    const page = await browser.get(location ?? assert.fail('no redirect'))
    assert.equal(page.status, 303, page.text)
    const row = await t.database.read
      .selectFrom('accounts')
      .select('account_id')
      .where('definition_id', '=', definitionId)
      .where('deleted_at', 'is', null)
      .orderBy('created_at', 'desc')
      .orderBy('account_id', 'desc')
      .executeTakeFirstOrThrow()
    return row.account_id
  }
  let newVisitor: (() => TestVisitor) | undefined
  const signInAgain = async (sessionUrl: string) => {
    newVisitor ??= await listenForVisitors(t.app)
    const visitor = newVisitor()
    const pressed = await pressStart(visitor, sessionUrl)
    const form = await visitor.get(pressed.location ?? '')
    const { location = '', text } = await visitor.submit(form)
    assert.ok(location.startsWith(as.issuer), text)
    const response = await fetch(location, { redirect: 'manual' })
    const finished = await visitor.get(response.headers.get('location') ?? '')
    assert.equal(finished.status, 303, finished.text)
    return (new URL(location).searchParams.get('scope') ?? '').split(' ').sort()
  }
  const accountId = await connect()
  return { accountId, definitionId, server, connectAnother: connect, signInAgain }
}

/** A message as a server of these tests reads it. */
export interface Message {
  readonly id?: number
  readonly method: string
  // biome-ignore lint/suspicious/noExplicitAny: what clients send
  readonly params: any
  readonly headers: IncomingMessage['headers']
}

export type Serve = TestMcpServer['serve']

/** A server that answers each message with a result, `{ error }`, or by itself with `response`. */
export function serveMessages(
  answer: (message: Message, response: ServerResponse) => unknown,
): Serve {
  return async (request, response) => {
    const message = { ...JSON.parse(await readRequestText(request)), headers: request.headers }
    const result = await answer(message, response)
    if (response.headersSent) return
    if (result === undefined) return void response.writeHead(202).end()
    const isError = 'error' in Object(result)
    const body = { jsonrpc: '2.0', id: message.id, ...(isError ? result : { result }) }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
}

/** Tools, and what was called of them. */
export interface ToolBox {
  /** What the server lists. */
  tools: Record<string, unknown>[]
  readonly calls: { readonly name: string; readonly arguments?: unknown }[]
  answer: (name: string, args: unknown) => Record<string, unknown>
}

export function createToolBox(): ToolBox {
  return {
    tools: [
      {
        name: 'search',
        title: 'Search',
        description: 'Finds pages.',
        inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
        annotations: { readOnlyHint: true },
      },
    ],
    calls: [],
    answer: (name, args) => ({ content: [{ type: 'text', text: JSON.stringify({ name, args }) }] }),
  }
}

function createServer(box: ToolBox): Server {
  const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: box.tools }) as never)
  server.setRequestHandler('tools/call', ({ params }) => {
    box.calls.push(params)
    return box.answer(params.name, params.arguments) as never
  })
  return server
}

/** The official server of revision 2026-07-28, which knows no other one. */
export function serveToolBox(box: ToolBox): Serve {
  const handler = createMcpHandler(() => createServer(box), { legacy: 'reject', keepAliveMs: 0 })
  return serveWeb((request) => handler.fetch(request))
}

/** The official server of revision 2025-11-25, with sessions, which end with `endSessions`. */
export function serveToolBoxInSessions(box: ToolBox): {
  readonly serve: Serve
  readonly endSessions: () => void
  readonly countSessions: () => number
} {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  let count = 0
  const serve = serveWeb(async (request) => {
    const id = request.headers.get('mcp-session-id')
    const known = id === null ? undefined : sessions.get(id)
    if (known !== undefined) return known.handleRequest(request)
    if (id !== null) return new Response(null, { status: 404 })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => `session-${++count}`,
      onsessioninitialized: (session) => void sessions.set(session, transport),
    })
    await createServer(box).connect(transport)
    return transport.handleRequest(request)
  })
  return { serve, endSessions: () => sessions.clear(), countSessions: () => count }
}

function serveWeb(fetch: (request: Request) => Promise<Response>): Serve {
  return async (incoming, outgoing) => {
    const headers = new Headers()
    for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
    const body = await readRequestText(incoming)
    const url = `http://${incoming.headers.host}${incoming.url}`
    const response = await fetch(new Request(url, { method: 'POST', headers, body }))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    for await (const chunk of response.body ?? []) outgoing.write(chunk)
    outgoing.end()
  }
}
