import { setImmediate } from 'node:timers/promises'
import type { Caller } from '../../access/auth/caller.ts'
import { fillUrlTemplate, TemplateError } from '../../integrations/oauth/template.ts'
import { ApiError } from '../../platform/errors.ts'
import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import type { AccountId } from '../accounts/account.ts'
import { recordAccountChange } from '../accounts/account-records.ts'
import type { AuthHeaders } from '../accounts/token-refresh/grant.ts'
import { createCleanTest } from '../agents/agent-response.ts'
import { type AccountAccess, type ProxyRequestDeps, withAccount } from '../proxy/proxy-request.ts'
import { PROXY_LIMITS } from '../proxy/send-to-provider.ts'
import { createMcpClient, type McpClient, type McpServer, type McpSessions } from './mcp-client.ts'
import { createToolId, hashText, MCP_TOOL, type McpTool, type ToolOwner } from './mcp-tool.ts'
import type { McpToolPin, McpToolStore } from './mcp-tool-store.ts'
import { parseTool, type Tool, type UnusableTool } from './tool-definition.ts'

export interface AccountToolsDeps extends ProxyRequestDeps {
  readonly mcpTools: McpToolStore
  readonly mcpSessions: McpSessions
}

/** A tool that is as it was accepted, one that is not, or one that cannot be called at all. */
export type AccountTool =
  | (Tool & { readonly state: 'accepted' | 'suspended' })
  | (UnusableTool & { readonly state: 'unusable' })

/** The MCP server of an account, in use. */
export interface ToolServer {
  /** The account at it, with the credentials that it has now. */
  readonly account: AccountAccess
  readonly url: string
  readonly client: McpClient
  readonly owner: ToolOwner
}

/**
 * Uses the MCP server of an account.
 *
 * @throws ApiError `auth_type_not_allowed`: the account is not at an MCP server; and those of `withAccount`
 */
export async function withToolServer<T>(
  deps: AccountToolsDeps,
  caller: Caller,
  subject: { readonly accountId: AccountId; readonly signal: AbortSignal },
  use: (server: ToolServer) => Promise<T>,
): Promise<T> {
  return withAccount(deps, caller, subject, async (account) => {
    const url = findServerUrl(account.auth)
    const { workspaceId } = account.auth.row
    const client = createMcpClient(openServer(deps, account, url), deps.mcpSessions)
    return use({ account, url, client, owner: { workspaceId, serverHash: hashText(url) } })
  })
}

/** The URL of the server at whose origin alone the account's tokens are sent. @throws ApiError `auth_type_not_allowed` */
function findServerUrl({ row, grant: { type, config } }: AuthHeaders): string {
  const template = type?.discoveredFrom
  if (type === undefined || template === undefined || row.resource === null)
    throw new ApiError('auth_type_not_allowed', 'Only accounts at MCP servers have tools.')
  try {
    return new URL(fillUrlTemplate(template, config, type.templateFields)).href
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new ApiError('proxy_unavailable', error.message, { cause: error })
  }
}

const MAX_RESPONSE_BYTES = 1024 * 1024

function openServer(
  { proxyLimits = PROXY_LIMITS }: AccountToolsDeps,
  account: AccountAccess,
  url: string,
): McpServer {
  const toLimits = (timeoutMs: number) => {
    const totalMs = Math.min(timeoutMs, proxyLimits.totalMs)
    return { totalMs, idleMs: totalMs, maxBytes: MAX_RESPONSE_BYTES }
  }
  return {
    url,
    // Another sign-in, or another server, has a session of its own.
    key: `${account.auth.row.accountId} ${account.auth.row.credentialVersion} ${url}`,
    post: ({ rawHeaders, body, timeoutMs }) =>
      account.send(
        {
          method: 'POST',
          path: url,
          rawHeaders,
          assertSize: () => {},
          readBody: async () => ({
            body,
            contentLength: undefined,
            isAwaitingCaller: () => false,
          }),
        },
        toLimits(timeoutMs),
      ),
    scrub: async (text) => {
      const isClean = createCleanTest(account.auth, MAX_RESPONSE_BYTES)
      return (await isClean(text)) ? text : '[removed]'
    },
  }
}

/** Of a server, which are also as many as are pinned. */
export const MAX_TOOLS = 500

/**
 * The tools that the server lists now, or the one with a name, each held against what the workspace has accepted: the first definition of
 * a tool is, and another one suspends it. Lists are never reused: how long one may be (`ttlMs`) is for the server to say, and pinning
 * must not believe it.
 *
 * @throws ApiError as `McpClient.listTools`
 */
export async function listAccountTools(
  deps: AccountToolsDeps,
  { account, client, owner }: ToolServer,
  name?: string,
): Promise<AccountTool[]> {
  const values = await client.listTools(MAX_TOOLS)
  const listed = parseTools(values, name)
  const pins = await deps.mcpTools.list(owner)
  const tools = await replaceUnclean(account.auth, listed, pins)
  const fresh = tools.filter(isUsable).filter((tool) => !pins.has(tool.name))
  const accepted = fresh.slice(0, Math.max(0, MAX_TOOLS - pins.size))
  const names = new Set(values.map(getName))
  await notePins(deps, account.auth.row.accountId, owner, { tools, names, pins, accepted })
  // Another node may have accepted another definition first.
  const current = accepted.length === 0 ? pins : await deps.mcpTools.list(owner)
  return tools.map((tool) => toAccountTool(tool, current))
}

/** The first tools of a list, or the one with a name. Which of two with one name a call would reach is for the server to choose. */
function parseTools(values: readonly unknown[], wanted?: string): (Tool | UnusableTool)[] {
  const counts = new Map<unknown, number>()
  for (const value of values) counts.set(getName(value), (counts.get(getName(value)) ?? 0) + 1)
  return values
    .slice(0, MAX_TOOLS)
    .filter((value) => wanted === undefined || getName(value) === wanted)
    .map((value) => {
      const tool = parseTool(value)
      return isUsable(tool) && counts.get(tool.name) !== 1
        ? { name: tool.name, problem: 'The server lists several tools with its name.' }
        : tool
    })
}

const getName = (value: unknown): unknown => Object(value).name

/** Tools that are not pinned may have a credential of the account, which the server knows. Lets other work run meanwhile. */
async function replaceUnclean(
  auth: AuthHeaders,
  tools: readonly (Tool | UnusableTool)[],
  pins: ReadonlyMap<string, McpToolPin>,
): Promise<(Tool | UnusableTool)[]> {
  const isClean = createCleanTest(auth, MAX_RESPONSE_BYTES)
  const replaced: (Tool | UnusableTool)[] = []
  for (const tool of tools) {
    const isPinned = isUsable(tool) && pins.get(tool.name)?.sha256 === tool.sha256
    if (!isPinned) await setImmediate()
    replaced.push(isPinned || (await isClean(describe(tool))) ? tool : UNCLEAN)
  }
  return replaced
}

const describe = (tool: Tool | UnusableTool) => `${tool.name}\n${'json' in tool ? tool.json : ''}`

/** Not even its name is shown. */
const UNCLEAN: UnusableTool = {
  name: '',
  problem: 'Its name or definition has a credential of the account.',
}

function isUsable(tool: Tool | UnusableTool): tool is Tool {
  return 'sha256' in tool
}

function toAccountTool(
  tool: Tool | UnusableTool,
  pins: ReadonlyMap<string, McpToolPin>,
): AccountTool {
  if (!isUsable(tool)) return { ...tool, state: 'unusable' }
  const pin = pins.get(tool.name)
  if (pin === undefined)
    return {
      name: tool.name,
      problem: `The workspace has ${MAX_TOOLS} tools of this server. Those that it does not list for 90 days are forgotten.`,
      state: 'unusable',
    }
  return { ...tool, state: pin.sha256 === tool.sha256 ? 'accepted' : 'suspended' }
}

interface Listing {
  readonly tools: readonly (Tool | UnusableTool)[]
  /** Of all tools that the server lists. */
  readonly names: ReadonlySet<unknown>
  readonly pins: ReadonlyMap<string, McpToolPin>
  /** Those that were never seen before. */
  readonly accepted: readonly Tool[]
}

const DAY_MS = 24 * 60 * 60_000
const HOUR_MS = 60 * 60_000
const MAX_NAMED = 100

/** Stores what a list says that was not known: nothing, mostly. */
async function notePins(
  { database, mcpTools, now: clock }: AccountToolsDeps,
  accountId: AccountId,
  owner: ToolOwner,
  { tools, names, pins, accepted }: Listing,
): Promise<void> {
  const now = clock()
  const known = tools.filter(isUsable).flatMap((tool) => {
    const pin = pins.get(tool.name)
    return pin === undefined ? [] : [{ tool, pin }]
  })
  const before = now - HOUR_MS
  const changed = known.filter(
    ({ tool, pin }) => tool.sha256 !== pin.sha256 && (pin.changedAt ?? -Infinity) < before,
  )
  const seen = [...pins.values()]
    .filter(({ name, seenAt }) => names.has(name) && seenAt < now - DAY_MS)
    .map(({ name }) => name)
  if (accepted.length + changed.length + seen.length === 0) return
  await database.transaction(async (trx) => {
    await mcpTools.insert(
      trx,
      accepted.map((tool) => buildPin(owner, tool, now)),
    )
    if (seen.length > 0) await mcpTools.noteSeen(trx, owner, { names: seen, now })
    const noted: string[] = []
    for (const { tool, pin } of changed)
      if (await mcpTools.noteChange(trx, pin, { sha256: tool.sha256, now, before }))
        noted.push(tool.name)
    if (noted.length === 0) return
    const data = { tools: noted.slice(0, MAX_NAMED) }
    await recordAccountChange(trx, SYSTEM_ACTOR, now, {
      action: 'account.tool_changed',
      accountId,
      detail: data,
      type: 'account.tool_changed',
      data,
    })
  })
}

/** A tool as it is accepted. */
export function buildPin(owner: ToolOwner, { name, sha256, json }: Tool, now: number): McpTool {
  return MCP_TOOL.create({
    ...owner,
    mcpToolId: createToolId(owner, name),
    name,
    sha256,
    definition: json,
    acceptedAt: now,
    seenAt: now,
  })
}
