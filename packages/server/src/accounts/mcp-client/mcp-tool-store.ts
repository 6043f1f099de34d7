import type { Kysely } from 'kysely'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import { MCP_TOOL, type McpTool, type ToolOwner } from './mcp-tool.ts'

/** What decides whether a tool may be called; `definition` is read only where it is shown. */
export type McpToolPin = Omit<McpTool, 'definition'>

const { columns } = MCP_TOOL
const PIN_COLUMNS = columns.filter((column) => column !== 'definition')

/** The tools of MCP servers, as workspaces have accepted them. Callers have found an account of the workspace. */
export function createMcpToolStore(database: Database) {
  return {
    /** All that the workspace has accepted of a server, by name. */
    async list({ workspaceId, serverHash }: ToolOwner): Promise<Map<string, McpToolPin>> {
      const rows = await database.read
        .selectFrom('mcp_tools')
        .select(PIN_COLUMNS)
        .where('workspace_id', '=', workspaceId)
        .where('server_hash', '=', serverHash)
        .execute()
      return new Map(rows.map((row) => [row.name, MCP_TOOL.fromRow({ ...row, definition: '' })]))
    },

    /** The accepted definitions of some of them, as JSON, by name. */
    async listDefinitions(
      { workspaceId, serverHash }: ToolOwner,
      names: readonly string[],
    ): Promise<Map<string, string>> {
      if (names.length === 0) return new Map()
      const rows = await database.read
        .selectFrom('mcp_tools')
        .select(['name', 'definition'])
        .where('workspace_id', '=', workspaceId)
        .where('server_hash', '=', serverHash)
        .where('name', 'in', names)
        .execute()
      return new Map(rows.map(({ name, definition }) => [name, definition]))
    },

    /** Accepts tools that were never seen; those that another request has stored meanwhile stay unchanged. */
    async insert(trx: Transaction, tools: readonly McpTool[]): Promise<void> {
      for (let start = 0; start < tools.length; start += BATCH)
        await trx
          .insertInto('mcp_tools')
          .values(tools.slice(start, start + BATCH).map(MCP_TOOL.toNewRow))
          .onConflict((conflict) => conflict.column('mcp_tool_id').doNothing())
          .execute()
    },

    /** Notes that a tool differs from what was accepted. @returns whether nothing had noted that since `before` */
    async noteChange(
      trx: Transaction,
      { mcpToolId, workspaceId }: McpToolPin,
      { sha256, now, before }: NotedChange,
    ): Promise<boolean> {
      const { numUpdatedRows } = await trx
        .updateTable('mcp_tools')
        .set({ changed_sha256: sha256, changed_at: now })
        .where('mcp_tool_id', '=', mcpToolId)
        .where('workspace_id', '=', workspaceId)
        .where((eb) => eb.or([eb('changed_at', 'is', null), eb('changed_at', '<', before)]))
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Accepts a tool as it is now. @returns what was accepted until now; undefined if it is the same */
    async accept(trx: Transaction, tool: McpTool): Promise<string | undefined> {
      const accepted = await findAccepted(trx, tool)
      await trx
        .updateTable('mcp_tools')
        .set(MCP_TOOL.toColumns(tool))
        .where('mcp_tool_id', '=', tool.mcpToolId)
        .where('workspace_id', '=', tool.workspaceId)
        .execute()
      return accepted === tool.sha256 ? undefined : accepted
    },

    /** Notes that a server has listed these tools. */
    async noteSeen(
      trx: Transaction,
      { workspaceId, serverHash }: ToolOwner,
      { names, now }: { readonly names: readonly string[]; readonly now: number },
    ): Promise<void> {
      await trx
        .updateTable('mcp_tools')
        .set({ seen_at: now })
        .where('workspace_id', '=', workspaceId)
        .where('server_hash', '=', serverHash)
        .where('name', 'in', names)
        .execute()
    },

    /** Deletes tools that no server has listed since, and returns how many. Background work: not on behalf of a caller. */
    deleteOld(before: number, limit: number): Promise<number> {
      return database.transaction(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('mcp_tools')
          .where('mcp_tool_id', 'in', (eb) =>
            eb
              .selectFrom('mcp_tools')
              .select('mcp_tool_id')
              .where('seen_at', '<', before)
              .orderBy('seen_at')
              .limit(limit),
          )
          .executeTakeFirst()
        return Number(numDeletedRows)
      })
    },
  }
}

export type McpToolStore = ReturnType<typeof createMcpToolStore>

interface NotedChange {
  readonly sha256: string
  readonly now: number
  /** Changes that were noted earlier are old. */
  readonly before: number
}

const BATCH = 50

async function findAccepted(
  db: Kysely<Tables>,
  { mcpToolId, workspaceId }: McpToolPin,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('mcp_tools')
    .select('sha256')
    .where('mcp_tool_id', '=', mcpToolId)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return row?.sha256
}
