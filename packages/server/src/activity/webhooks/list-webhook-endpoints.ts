import type { Caller } from '../../access/auth/caller.ts'
import { resolveWorkspace } from '../../access/workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { type CursorPosition, paginate, parsePagination } from '../../platform/http/pagination.ts'
import { serializeWebhookEndpoint, type WebhookEndpointResponse } from './schemas.ts'
import type { WebhookEndpointStore } from './webhook-endpoint-store.ts'

export interface ListWebhookEndpointsDeps {
  readonly webhookEndpoints: WebhookEndpointStore
  readonly workspaces: WorkspaceStore
}

/** The endpoints of a workspace, oldest first. @throws ApiError `workspace_not_accessible`, `invalid_parameter` */
export async function listWebhookEndpoints(
  { webhookEndpoints, workspaces }: ListWebhookEndpointsDeps,
  caller: Caller,
  query: { readonly workspaceId?: WorkspaceId; readonly limit?: number; readonly cursor?: string },
): Promise<{ endpoints: WebhookEndpointResponse[]; next: CursorPosition | undefined }> {
  const page = parsePagination(query)
  const workspaceId = await resolveWorkspace(workspaces, caller, query.workspaceId)
  const { items, last } = paginate(await webhookEndpoints.list(caller, workspaceId, page), page)
  return {
    endpoints: items.map(serializeWebhookEndpoint),
    next: last && { createdAt: last.createdAt, id: last.endpointId },
  }
}
