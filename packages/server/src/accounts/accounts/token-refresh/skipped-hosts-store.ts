import { type RawBuilder, sql } from 'kysely'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { Database } from '../../../platform/storage/database.ts'

/** A token host, for all workspaces or for one. */
export interface HostScope {
  readonly host: string
  readonly workspaceId: WorkspaceId | null
}

/** A further condition of a WHERE clause of `account_tokens`, which leaves out the accounts of these hosts. */
export function isNotSkipped(
  { dialect }: Pick<Database, 'dialect'>,
  skipped: readonly HostScope[],
): RawBuilder<unknown> {
  if (skipped.length === 0) return sql``
  const list = (texts: readonly string[]) =>
    dialect === 'postgres'
      ? sql`<> all(array(select json_array_elements_text(${JSON.stringify(texts)}::json)))`
      : sql`not in (select value from json_each(${JSON.stringify(texts)}))`
  const hosts = skipped.flatMap((one) => (one.workspaceId === null ? [one.host] : []))
  const tenants = skipped.flatMap((one) =>
    one.workspaceId === null ? [] : [`${one.workspaceId} ${one.host}`],
  )
  return sql`and (token_host is null or (token_host ${list(hosts)}
    and account_tokens.workspace_id || ' ' || token_host ${list(tenants)}))`
}
