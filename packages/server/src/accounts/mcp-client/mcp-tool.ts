import { createHash } from 'node:crypto'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import {
  defineResource,
  id,
  integer,
  nullable,
  type RowOf,
  text,
  time,
  type ValuesOf,
} from '../../platform/storage/define-resource.ts'

const SAMPLE_TIME = Date.parse('2026-11-28T10:00:00.000Z')
const SAMPLE_HASH = createHash('sha256').update('a sample').digest('hex')

/** The stored fields of a tool. */
const fields = {
  /** Of the workspace, the server and the name, so that two nodes that see a tool first store it once. */
  mcpToolId: { column: 'mcp_tool_id', type: text('none'), sample: SAMPLE_HASH },
  workspaceId: {
    column: 'workspace_id',
    type: id<WorkspaceId>(),
    sample: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
  },
  /** SHA-256 of the URL of the server, which may be a customer's own. */
  serverHash: { column: 'server_hash', type: text('none'), sample: SAMPLE_HASH },
  name: { column: 'name', type: text('none'), sample: 'search' },
  /** Of the accepted definition. */
  sha256: { column: 'sha256', type: text('none'), sample: SAMPLE_HASH },
  /** The accepted definition, as JSON. */
  definition: { column: 'definition', type: text('none'), sample: '{"inputSchema":{}}' },
  /** The last definition that was published as a change, and when; null since the tool was accepted. */
  changedSha256: { column: 'changed_sha256', type: nullable(text('none')) },
  changedAt: { column: 'changed_at', type: nullable(integer()) },
  acceptedAt: { column: 'accepted_at', type: time(), sample: SAMPLE_TIME },
  /** When a server listed it, in steps of a day. */
  seenAt: { column: 'seen_at', type: time(), sample: SAMPLE_TIME },
} as const

export const MCP_TOOL = defineResource(fields)

/**
 * A tool of an MCP server, as a workspace has accepted it. All accounts of the workspace at the server have the same pins, so that a
 * server cannot change a tool for a new account.
 */
export type McpTool = ValuesOf<typeof fields>

declare module '../../platform/storage/tables.ts' {
  interface Tables {
    mcp_tools: RowOf<typeof fields>
  }
}

/** The tools of one server, in one workspace. */
export interface ToolOwner {
  readonly workspaceId: WorkspaceId
  readonly serverHash: string
}

export function createToolId({ workspaceId, serverHash }: ToolOwner, name: string): string {
  return hashText(`${workspaceId}\n${serverHash}\n${name}`)
}

export function hashText(value: string): string {
  return createHash('sha256').update(value).digest('hex')
}
