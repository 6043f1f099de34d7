import Type from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { resolveWorkspace } from '../../access/workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import {
  buildNextLinkHeader,
  type CursorPosition,
  PaginationQuery,
  paginate,
  parsePagination,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf, StrictObject } from '../../platform/http/schema.ts'
import { serializeWebhookEndpoint, WebhookEndpointResponse } from './schemas.ts'
import type { WebhookEndpointStore } from './webhook-endpoint-store.ts'

export interface ListWebhookEndpointsDeps {
  readonly webhookEndpoints: WebhookEndpointStore
  readonly workspaces: WorkspaceStore
  readonly baseUrl: () => string
}

export const listWebhookEndpointsOperation = defineOperation({
  id: 'listWebhookEndpoints',
  sdk: 'webhookEndpoints.list',
  method: 'GET',
  path: '/v1/webhook_endpoint',
  tag: 'Webhooks',
  summary: 'List the webhook endpoints of a workspace',
  description:
    'Oldest first. Paginate with `limit` and `cursor`; the `Link` header has the next page.',
  scope: 'read',
  query: StrictObject({
    workspaceId: Type.Optional(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
    ...PaginationQuery,
  }),
  response: listOf(WebhookEndpointResponse),
  returns: 'Oldest first.',
  errors: [],
  handle: async (deps: ListWebhookEndpointsDeps, caller, { query }, reply) => {
    const { endpoints, next } = await listWebhookEndpoints(deps, caller, query)
    if (next)
      reply.header('link', buildNextLinkHeader(deps.baseUrl(), reply.request.originalUrl, next))
    return endpoints
  },
})

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
