import { ApiError } from '../../platform/errors.ts'
import type { AccountId } from '../accounts/account.ts'
import { spend } from '../agents/agent-call.ts'
import { decideTool } from '../agents/agent-policy.ts'
import { createCleanTest } from '../agents/agent-response.ts'
import type { AgentSession } from '../agents/agent-session.ts'
import {
  type AccountToolsDeps,
  listAccountTools,
  type ToolServer,
  withToolServer,
} from '../mcp-client/list-account-tools.ts'
import { toPlainText } from '../mcp-client/mcp-client.ts'
import type { Tool } from '../mcp-client/tool-definition.ts'
import { resolveTarget } from '../proxy/proxy-request.ts'
import type { ToolCall } from './tool.ts'

interface ToolQuery {
  readonly accountId: AccountId
  /** Part of a name or a description. */
  readonly search?: string | undefined
}

/** Without a search, names and what they are for; with one, all that a call needs. */
const MAX_LISTED = 100
const MAX_FOUND = 10
const MAX_SUMMARY = 200
const MAX_DESCRIPTION = 2_000
const MAX_SCHEMA = 8_192
const MAX_BYTES = 64 * 1024

/**
 * The tools of an MCP server that an agent may call, as the workspace has accepted them. Costs a request of the session. What the server
 * has written is text on one line. A server that cannot be used is described by its error.
 *
 * @throws ApiError `agent_budget_spent`, `rate_limited`, `token_invalid`
 */
export async function describeTools(
  deps: AccountToolsDeps,
  { caller, signal }: ToolCall,
  session: AgentSession,
  { accountId, search }: ToolQuery,
): Promise<object> {
  await spend(deps, session, false)
  try {
    return await withToolServer(deps, caller, { accountId, signal }, async (server) => {
      // The customer lets agents call none.
      if (server.account.auth.row.agentAccess !== null) return { list: [], more: 0 }
      const tools = await listAccountTools(deps, server)
      const accepted = tools.filter((tool): tool is CallableTool => tool.state === 'accepted')
      const described = describeList(session, server, accepted, search)
      const suspended = tools.filter(({ state }) => state === 'suspended').length
      const isClean = createCleanTest(server.account.auth, 2 * MAX_BYTES)
      if (!(await isClean(JSON.stringify(described)))) return { omitted: 'secrets' }
      return { ...described, ...(suspended > 0 && { suspended }) }
    })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { error: { code: error.code, message: error.message } }
  }
}

type CallableTool = Tool & { readonly state: 'accepted' }

function describeList(
  session: AgentSession,
  server: ToolServer,
  tools: readonly Tool[],
  search: string | undefined,
) {
  const wanted = search?.toLowerCase()
  const effects = new Map(tools.map((tool) => [tool.name, decide(session, server, tool)]))
  const found = tools
    .filter(({ name }) => effects.get(name) !== 'deny')
    .filter((tool) => wanted === undefined || toText(tool).includes(wanted))
  const shown = found.slice(0, wanted === undefined ? MAX_LISTED : MAX_FOUND).map((tool) => ({
    ...(wanted === undefined ? summarize(tool) : describe(tool)),
    ...(effects.get(tool.name) === 'approve' && { needsApproval: true }),
  }))
  while (shown.length > 0 && JSON.stringify(shown).length > MAX_BYTES) shown.pop()
  return { list: shown, more: found.length - shown.length }
}

function decide({ rules }: AgentSession, { account: { auth }, url }: ToolServer, { name }: Tool) {
  const { requestTarget, url: target } = resolveTarget(auth, url)
  const host = new URL(target).hostname
  const { definitionId } = auth.row
  return decideTool(rules, { method: 'POST', host, requestTarget, definitionId, tool: name }).effect
}

function toText({ name, definition: { title = '', description = '' } }: Tool): string {
  return `${name}\n${title}\n${description}`.toLowerCase()
}

function summarize({ name, definition: { title, description = title ?? '' } }: Tool) {
  return { name, description: toPlainText(description, MAX_SUMMARY) }
}

function describe({ name, definition: { description = '', inputSchema } }: Tool) {
  const json = JSON.stringify(inputSchema, (key, value) =>
    (key === 'description' || key === 'title') && typeof value === 'string'
      ? toPlainText(value, MAX_DESCRIPTION)
      : value,
  )
  return {
    name,
    description: toPlainText(description, MAX_DESCRIPTION),
    inputSchema: json.length <= MAX_SCHEMA ? JSON.parse(json) : 'longer than 8 kB',
  }
}
