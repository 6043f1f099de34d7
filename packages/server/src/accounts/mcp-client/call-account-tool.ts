import { getHeader } from '@linchpin/runner'
import type { Caller } from '../../access/auth/caller.ts'
import { ApiError, createBodyTooLargeError } from '../../platform/errors.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../platform/json.ts'
import type { AccountId } from '../accounts/account.ts'
import { beginAgentCall, type OutgoingAgentRequest } from '../agents/agent-call.ts'
import type { AgentResponse } from '../agents/agent-response.ts'
import { resolveTarget } from '../proxy/proxy-request.ts'
import {
  type AccountToolsDeps,
  listAccountTools,
  MAX_TOOLS,
  type ToolServer,
  withToolServer,
} from './list-account-tools.ts'
import type { Tool } from './tool-definition.ts'

/** A call of a tool of the MCP server of an account. */
export interface ToolCallRequest {
  readonly accountId: AccountId
  readonly tool: string
  readonly args: JsonObject
  readonly signal: AbortSignal
  /** The approval that an agent presents. */
  readonly approval: string | undefined
}

/**
 * Calls a tool, if the server describes it as the workspace has accepted it, and returns its result as JSON; an agent gets to see what
 * `readAgentResponse` leaves of it. Its rules decide before anything is sent to the server.
 *
 * @throws ApiError `tool_not_found`, `tool_suspended`, `mcp_server_invalid`, `provider_error`, `provider_timeout`, `validation_failed`,
 * those of `withToolServer`, and for an agent those of `sendAgentRequest`
 */
export async function callAccountTool(
  deps: AccountToolsDeps,
  caller: Caller,
  request: ToolCallRequest,
): Promise<JsonObject> {
  if (caller.kind === 'agent') return callAsAgent(deps, caller, request)
  return withToolServer(deps, caller, request, async (server) => {
    const tool = await requireCallable(deps, server, request.tool)
    return server.client.callTool(tool, request.args)
  })
}

async function callAsAgent(
  deps: AccountToolsDeps,
  caller: Caller,
  request: ToolCallRequest,
): Promise<JsonObject> {
  const agentCall = await beginAgentCall(deps, caller)
  const outgoing = describeCall(request)
  if (outgoing.body.length > agentCall.maxBytes) throw createBodyTooLargeError(agentCall.maxBytes)
  return withToolServer(deps, caller, request, async (server) => {
    const { account } = server
    let tool: Tool | undefined
    await agentCall.authorize({ ...outgoing, ...locate(server) }, async () => {
      tool = await requireCallable(deps, server, request.tool)
    })
    const { auth } = account
    const response = await agentCall.observe(auth, async () => {
      if (tool === undefined) throw new Error('a tool was called that was not prepared')
      const result = await server.client.callTool(tool, request.args)
      return { response: toResponse(result), auth: account.auth }
    })
    return toResult(response)
  })
}

/** A call as rules, approvals and people see it: without what differs between two calls. */
function describeCall({ tool, args, approval }: ToolCallRequest) {
  return {
    method: 'POST',
    received: [],
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(
      JSON.stringify({ method: 'tools/call', params: { name: tool, arguments: args } }),
    ),
    tool,
    approval,
  }
}

function locate({
  account: { auth },
  url,
}: ToolServer): Pick<OutgoingAgentRequest, 'auth' | 'url' | 'requestTarget'> {
  const target = resolveTarget(auth, url)
  return { auth, url: target.url, requestTarget: target.requestTarget }
}

/** A tool that can be called, or be accepted. @throws ApiError `tool_not_found`; as `listAccountTools` */
export async function requireTool(deps: AccountToolsDeps, server: ToolServer, name: string) {
  const [tool] = await listAccountTools(deps, server, name)
  if (tool !== undefined && tool.state !== 'unusable') return tool
  const problem = tool === undefined ? undefined : ` cannot be called. ${tool.problem}`
  throw new ApiError(
    'tool_not_found',
    `The MCP server${problem === undefined ? ` lists no tool with this name among its first ${MAX_TOOLS}.` : `'s tool${problem}`}`,
  )
}

async function requireCallable(
  deps: AccountToolsDeps,
  server: ToolServer,
  name: string,
): Promise<Tool> {
  const tool = await requireTool(deps, server, name)
  if (tool.state === 'accepted') return tool
  throw new ApiError(
    'tool_suspended',
    'The MCP server describes this tool differently than it was accepted. It is suspended until it is accepted as it is now.',
  )
}

function toResponse(result: JsonObject) {
  const body = toStream(JSON.stringify(result))
  return { status: 200, rawHeaders: ['content-type', 'application/json'], body }
}

function toStream(text: string) {
  return {
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(text)
    },
    destroy() {},
  }
}

/** The result that is left of a response for an agent: what was cut is no JSON, nor is what lost an escape, and becomes text. */
function toResult({ rawHeaders, body }: AgentResponse): JsonObject {
  const text = Buffer.from(body).toString()
  if (getHeader(rawHeaders, 'linchpin-omitted') !== undefined)
    return { content: [], ...JSON.parse(text) }
  const isCut = getHeader(rawHeaders, 'linchpin-truncated') !== undefined
  const result = isCut ? undefined : parseJson(text)
  if (isJsonObject(result)) return result
  return { content: [{ type: 'text', text }], ...(isCut && { truncated: true }) }
}
