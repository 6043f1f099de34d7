import { randomInt } from 'node:crypto'
import { EgressError, type EgressStream, getHeader } from '@linchpin/runner'
import { createMcpServerInvalidError } from '../../integrations/oauth/discovery/discover-server.ts'
import { ApiError } from '../../platform/errors.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { setBounded } from '../../platform/set-bounded.ts'
import { MISSING_SCOPES } from '../proxy/proxy-request.ts'
import { type McpMethod, type Reply, readReply, toReadError } from './read-reply.ts'
import { buildParamHeaders, encodeHeaderValue, type Tool } from './tool-definition.ts'

/*
 * A client of MCP servers (Model Context Protocol, "Streamable HTTP"), of their tools alone:
 *
 * 1. Revision 2026-07-28, in which each request stands for itself. A server that does not know it is initialized, for 2025-11-25 or
 *    before; its session is cached and, when the server has forgotten it, replaced once.
 * 2. No capabilities are declared, so a server asks for nothing: neither input of people, nor a model. `requestState` alone is sent back.
 * 3. Anyone may operate a server. Responses have at most 1 MB, are read for a bounded time, and are never followed elsewhere.
 */

/** A server as an account reaches it. */
export interface McpServer {
  readonly url: string
  /** Names the account, for its session. */
  readonly key: string
  /** Sends a POST with the account's credentials, and returns a response with any status. */
  readonly post: (request: McpRequest) => Promise<McpResponse>
  /** The text of a server, or a word that stands for one with credentials. */
  readonly scrub: (text: string) => Promise<string>
}

/** A request to a server, which may take so long with its response. */
export interface McpRequest {
  /** Flat list of names and values. */
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
  readonly timeoutMs: number
}

export interface McpResponse {
  readonly response: EgressStream
  /** The scopes that the request lacks, if the server names any. */
  readonly missing?: { readonly scopes: readonly string[] } | undefined
}

/** How a server is spoken to: in the revision of now, or in an older one after `initialize`. */
interface Session {
  readonly version: string
  /** Of servers that need one. */
  readonly id?: string | undefined
}

/** The sessions of this node, by account. They hold no right: requests have the account's token, too. */
export type McpSessions = Map<string, Session>

const REVISION = '2026-07-28'
const OLDER_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26']

/** For all pages of a list. */
const LIST_MS = 10_000
/** For a call, whose tool may work. */
const CALL_MS = 60_000
const MAX_PAGES = 20
const MAX_LIST_BYTES = 2 * 1024 * 1024
/** How often a tool is called again with the state that it asked to have back. */
const MAX_ROUNDS = 3
const MAX_SESSIONS = 1_000

export interface McpClient {
  /** The tools that the server lists, as it describes them: pages up to this number. @throws ApiError as `request` */
  listTools(maxTools: number): Promise<readonly unknown[]>
  /** The result, which may say that the tool failed. @throws ApiError `validation_failed`, and as `request` */
  callTool(tool: Tool, args: JsonObject): Promise<JsonObject>
}

export function createMcpClient(server: McpServer, sessions: McpSessions): McpClient {
  const connection: Connection = { ...server, sessions, nextId: randomInt(1, 2 ** 40) }
  return {
    listTools: (maxTools) => listTools(connection, maxTools),
    callTool: (tool, args) => callTool(connection, tool, args),
  }
}

interface Connection extends McpServer {
  readonly sessions: McpSessions
  nextId: number
}

interface Result {
  readonly result: JsonObject
  /** Of the response. */
  readonly bytes: number
}

interface Answer extends Reply {
  readonly missingScopes: readonly string[]
}

interface Call {
  readonly method: McpMethod
  readonly params: JsonObject
  /** Beside those that all requests have. */
  readonly rawHeaders?: readonly string[]
  readonly timeoutMs: number
}

async function listTools(connection: Connection, maxTools: number): Promise<readonly unknown[]> {
  const deadline = performance.now() + LIST_MS
  let tools: readonly unknown[] = []
  let size = 0
  let params: JsonObject = {}
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const timeoutMs = Math.max(1, deadline - performance.now())
    const call = { method: 'tools/list', params, timeoutMs } as const
    const { result, bytes } = await request(connection, call)
    size += bytes
    if (size > MAX_LIST_BYTES)
      throw createMcpServerInvalidError('tools/list', 'The list is larger than 2 MB.')
    if (!Array.isArray(result.tools))
      throw createMcpServerInvalidError('tools/list', 'The result has no list of tools.')
    tools = tools.concat(result.tools)
    const { nextCursor } = result
    const isLast = typeof nextCursor !== 'string' || nextCursor === ''
    if (isLast || tools.length >= maxTools) return tools
    params = { cursor: nextCursor }
  }
  throw createMcpServerInvalidError('tools/list', `The list has more than ${MAX_PAGES} pages.`)
}

async function callTool(connection: Connection, tool: Tool, args: JsonObject): Promise<JsonObject> {
  const deadline = performance.now() + CALL_MS
  const paramHeaders = buildParamHeaders(tool, args)
  const rawHeaders = ['Mcp-Name', encodeHeaderValue(tool.name), ...paramHeaders]
  let params: JsonObject = { name: tool.name, arguments: args }
  for (let round = 0; round <= MAX_ROUNDS; round += 1) {
    const timeoutMs = Math.max(1, deadline - performance.now())
    const call = { method: 'tools/call', params, rawHeaders, timeoutMs } as const
    const { resultType = 'complete', ...result } = (await request(connection, call)).result
    if (resultType === 'complete') return requireContent(result)
    const { requestState, inputRequests = {} } = result
    if (resultType !== 'input_required' || typeof requestState !== 'string') break
    if (Object.keys(Object(inputRequests)).length > 0) break
    params = { name: tool.name, arguments: args, requestState }
  }
  throw new ApiError(
    'provider_error',
    'The tool asks for input, or for more requests, before it ends. Linchpin gives no input to tools.',
  )
}

function requireContent(result: JsonObject): JsonObject {
  if (Array.isArray(result.content) || 'structuredContent' in result) return result
  throw createMcpServerInvalidError('tools/call', 'The result has no content.')
}

/**
 * Sends a request in the revision that the server knows, and returns its result.
 *
 * @throws ApiError `mcp_server_invalid`: the response is not what the protocol says; `provider_error`: the server refuses the request;
 * `provider_timeout`, and those of `McpServer.post`
 */
async function request(connection: Connection, call: Call): Promise<Result> {
  const { sessions, key } = connection
  const session = sessions.get(key)
  if (session === undefined) return requestFirst(connection, call)
  const reply = await exchange(connection, session, call)
  // The session has ended (2025-11-25, "Session management"), so that nothing has been done.
  if (reply.status === 404 && session.id !== undefined)
    return requireResult(connection, call, await requestInitialized(connection, call))
  if (!hasResult(reply)) sessions.delete(key)
  return requireResult(connection, call, reply)
}

/** Finds out which revision a server knows with the first request. */
async function requestFirst(connection: Connection, call: Call): Promise<Result> {
  const { sessions, key } = connection
  const reply = await exchange(connection, { version: REVISION }, call)
  if (isOlder(reply))
    return requireResult(connection, call, await requestInitialized(connection, call))
  const result = await requireResult(connection, call, reply)
  setBounded(sessions, key, { version: REVISION }, MAX_SESSIONS)
  return result
}

async function requestInitialized(connection: Connection, call: Call): Promise<Answer> {
  const { sessions, key } = connection
  sessions.delete(key)
  const session = await initialize(connection, call.timeoutMs)
  setBounded(sessions, key, session, MAX_SESSIONS)
  return exchange(connection, session, call)
}

/** Header mismatch, missing capability, unsupported version: errors that only servers of the revision of now send. */
const OWN_ERRORS: readonly unknown[] = [-32_020, -32_021, -32_022]

/** Whether a server may know an older revision only ("Backward compatibility"): it refuses the request in a way of its own. */
function isOlder({ status, message }: Reply): boolean {
  if (message !== undefined && 'result' in message) return false
  const { code, data } = Object(message?.error) as JsonObject
  if (code === -32_022) {
    const supported: unknown[] = [Object(data).supported].flat()
    return supported.some((version) => OLDER_REVISIONS.includes(String(version)))
  }
  if (OWN_ERRORS.includes(code) || (status === 404 && code === -32_601)) return false
  if (status === 401 || status === 403 || status === 429) return false
  return status < 500 && (status >= 400 || (status < 300 && message !== undefined))
}

async function initialize(connection: Connection, timeoutMs: number): Promise<Session> {
  const params = {
    protocolVersion: OLDER_REVISIONS[0],
    capabilities: {},
    clientInfo: CLIENT_INFO,
  }
  const call = { method: 'initialize', params, timeoutMs } as const
  const reply = await exchange(connection, undefined, call)
  const { protocolVersion } = (await requireResult(connection, call, reply)).result
  const version = OLDER_REVISIONS.find((each) => each === protocolVersion)
  if (version === undefined)
    throw createMcpServerInvalidError(
      'initialize',
      `The server knows neither ${REVISION} nor ${OLDER_REVISIONS.join(', ')}.`,
    )
  const id = getHeader(reply.rawHeaders, 'mcp-session-id')
  if (id !== undefined && !/^[!-~]{1,1000}$/.test(id))
    throw createMcpServerInvalidError('initialize', 'The session ID is invalid.')
  const session = { version, id }
  const ready = { method: 'notifications/initialized', params: {}, timeoutMs } as const
  const { status } = await exchange(connection, session, ready)
  if (status >= 200 && status < 300) return session
  throw createMcpServerInvalidError('initialize', `The notification has status ${status}.`)
}

const CLIENT_INFO = { name: 'linchpin', version: '1' }

/** Sends one message. Without a session it is `initialize`. */
async function exchange(
  connection: Connection,
  session: Session | undefined,
  { method, params, rawHeaders = [], timeoutMs }: Call,
): Promise<Answer> {
  const isStateless = session?.version === REVISION
  const id = connection.nextId
  connection.nextId += 1
  const message = {
    jsonrpc: '2.0',
    ...(!method.startsWith('notifications/') && { id }),
    method,
    params: isStateless ? { ...params, _meta: META } : params,
  }
  try {
    const { response, missing } = await connection.post({
      rawHeaders: [
        ...BASIC_HEADERS,
        ...(session === undefined ? [] : ['MCP-Protocol-Version', session.version]),
        ...(session?.id === undefined ? [] : ['Mcp-Session-Id', session.id]),
        ...(isStateless ? ['Mcp-Method', method, ...rawHeaders] : []),
      ],
      body: Buffer.from(JSON.stringify(message)),
      timeoutMs,
    })
    return { ...(await readReply(method, id, response)), missingScopes: missing?.scopes ?? [] }
  } catch (error) {
    const cause = error instanceof ApiError ? error.cause : undefined
    // The sentence of the proxy has its limit of 25 MB.
    throw cause instanceof EgressError && cause.code === 'too_large'
      ? toReadError(method, cause)
      : error
  }
}

const BASIC_HEADERS = [
  ...['Accept', 'application/json, text/event-stream'],
  ...['Accept-Encoding', 'identity'],
  ...['Content-Type', 'application/json'],
]

const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
}

function hasResult({ message }: Reply): boolean {
  return message !== undefined && 'result' in message
}

/** @throws ApiError `mcp_server_invalid`, `provider_error` */
async function requireResult(
  { scrub }: Connection,
  { method }: Pick<Call, 'method'>,
  { status, rawHeaders, message, missingScopes, bytes }: Answer,
): Promise<Result> {
  if (isJsonObject(message?.result) && status < 300) return { result: message.result, bytes }
  if (status >= 300 && status < 400)
    throw createMcpServerInvalidError(method, `Status ${status} redirects, which is not followed.`)
  const error = await describeError(message?.error, scrub)
  if (error === undefined && status < 300)
    throw createMcpServerInvalidError(method, 'The response is not one of JSON-RPC.')
  const scopes: string[] = []
  for (const scope of missingScopes) if ((await scrub(scope)) === scope) scopes.push(scope)
  const [seconds] = /^\d{1,6}$/.exec(getHeader(rawHeaders, 'retry-after') ?? '') ?? []
  const advice = [
    seconds === undefined ? '' : ` It asks to be tried again after ${seconds} seconds.`,
    scopes.length === 0
      ? ''
      : ` It requires the scopes ${scopes.join(' ')}: reconnect the account with them.`,
  ].join('')
  throw new ApiError(
    'provider_error',
    `The MCP server refuses ${method} ${error ?? `with status ${status}.`}${toPlainText(advice, 6_000)}`,
    scopes.length === 0 ? {} : describeMissing(scopes),
  )
}

/** As the proxy describes them, and in the body. */
function describeMissing(scopes: readonly string[]) {
  const errors = scopes.map((value) => ({
    code: 'missing_scope',
    message: 'The account lacks this scope.',
    value,
  }))
  return { errors: { scopes: errors }, headers: { [MISSING_SCOPES]: scopes.join(' ') } }
}

/** An error of JSON-RPC, whose text the server has chosen. */
async function describeError(
  error: unknown,
  scrub: McpServer['scrub'],
): Promise<string | undefined> {
  if (!isJsonObject(error)) return undefined
  const { code, message } = error
  const number = typeof code === 'number' ? ` ${code}` : ''
  const text = typeof message === 'string' ? message : ''
  return `with error${number}: ${toPlainText(await scrub(text), 300)}`
}

/** A text of a server on one line, without characters that are not seen. */
export function toPlainText(text: string, maxLength: number): string {
  return text
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, maxLength)
    .replace(/[\ud800-\udbff]$/, '')
}
