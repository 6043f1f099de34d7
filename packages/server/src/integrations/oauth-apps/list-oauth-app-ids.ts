import type { Readable } from 'node:stream'
import type { Caller } from '../../access/auth/caller.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import { type ListOAuthAppsDeps, listOAuthApps } from './list-oauth-apps.ts'
import { OAuthAppSummary } from './schemas.ts'

/** Lists the OAuth apps of a workspace with IDs and names only, as JSON. @throws ApiError `workspace_not_accessible` */
export async function listOAuthAppIds(
  deps: ListOAuthAppsDeps,
  caller: Caller,
  query: { readonly workspaceId?: WorkspaceId },
): Promise<string | Readable> {
  return (await listOAuthApps(deps, caller, query, stringify)).json
}

const stringify = createSerializer(OAuthAppSummary)
