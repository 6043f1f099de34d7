import type { Readable } from 'node:stream'
import Type from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { IdOf, listOf, StrictObject } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import { type ListOAuthAppsDeps, listOAuthApps } from './list-oauth-apps.ts'
import { OAuthAppSummary } from './schemas.ts'

export const listOAuthAppIdsOperation = defineOperation({
  id: 'listOAuthAppIds',
  sdk: 'oauthApps.listIds',
  method: 'GET',
  path: '/v1/integration_oauth/just_ids',
  tag: 'OAuth apps',
  summary: 'List the OAuth apps of a workspace with IDs and names only',
  description: 'What a page needs to start connections: no client ID and no scopes.',
  scope: 'read',
  query: StrictObject({
    workspaceId: Type.Optional(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
  }),
  response: listOf(OAuthAppSummary),
  returns: 'Oldest first.',
  errors: [],
  handle: (deps: ListOAuthAppsDeps, caller, { query }) => listOAuthAppIds(deps, caller, query),
})

/** Lists the OAuth apps of a workspace with IDs and names only, as JSON. @throws ApiError `workspace_not_accessible` */
export async function listOAuthAppIds(
  deps: ListOAuthAppsDeps,
  caller: Caller,
  query: { readonly workspaceId?: WorkspaceId },
): Promise<string | Readable> {
  return (await listOAuthApps(deps, caller, query, stringify)).json
}

const stringify = createSerializer(OAuthAppSummary)
