import Type from 'typebox'
import type { Caller, WorkspaceAccess } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { ApiError, notFound } from '../../platform/errors.ts'
import {
  type JsonList,
  listInParts,
  type Pagination,
  PaginationQuery,
  parsePagination,
  type TakeTurn,
  toListBody,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf, StrictObject } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId, newId } from '../../platform/storage/id.ts'
import { generateSigningSecrets, sealSigningSecrets } from './endpoint-secrets.ts'
import { type ParseEndpointSettingsDeps, parseEndpointSettings } from './parse-endpoint-settings.ts'
import {
  CreateWebhookEndpoint,
  NewWebhookEndpoint,
  WebhookEndpointParams,
  WebhookEndpointResponse,
} from './schemas.ts'
import {
  WEBHOOK_ENDPOINT,
  type WebhookEndpoint,
  type WebhookEndpointId,
} from './webhook-endpoint.ts'
import type { WebhookEndpointStore } from './webhook-endpoint-store.ts'

export interface GetWebhookEndpointDeps {
  readonly database: Database
  readonly webhookEndpoints: WebhookEndpointStore
}

export const getWebhookEndpointOperation = defineOperation({
  id: 'getWebhookEndpoint',
  sdk: 'webhookEndpoints.get',
  method: 'GET',
  path: '/v1/webhook_endpoint/:webhookEndpointId',
  tag: 'Webhooks',
  summary: 'Get a webhook endpoint',
  description: 'Returns its settings and its state, without its secret.',
  scope: 'read',
  params: WebhookEndpointParams,
  response: WebhookEndpointResponse,
  returns: 'The endpoint.',
  errors: ['webhook_endpoint_not_found'],
  handle: (deps: GetWebhookEndpointDeps, caller, { params }) =>
    getWebhookEndpoint(deps, caller, params.webhookEndpointId),
})

/** An endpoint, without its secrets. @throws ApiError `webhook_endpoint_not_found` */
export async function getWebhookEndpoint(
  deps: GetWebhookEndpointDeps,
  access: WorkspaceAccess,
  endpointId: WebhookEndpointId,
): Promise<WebhookEndpointResponse> {
  return WEBHOOK_ENDPOINT.serialize(await requireWebhookEndpoint(deps, access, endpointId))
}

/** The endpoint with this id. @throws ApiError `webhook_endpoint_not_found` */
export async function requireWebhookEndpoint(
  { database, webhookEndpoints }: GetWebhookEndpointDeps,
  access: WorkspaceAccess,
  endpointId: WebhookEndpointId,
): Promise<WebhookEndpoint> {
  const endpoint = isId('whe', endpointId)
    ? await webhookEndpoints.find(database.read, access, endpointId)
    : undefined
  if (endpoint === undefined) throw notFound('webhook_endpoint')
  return endpoint
}

export interface ListWebhookEndpointsDeps {
  readonly webhookEndpoints: WebhookEndpointStore
  readonly workspaces: WorkspaceStore
  readonly takeTurn: TakeTurn
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
  handle: async (deps: ListWebhookEndpointsDeps, caller, { query }, reply) =>
    toListBody(reply, deps.baseUrl(), await listWebhookEndpoints(deps, caller, query)),
})

/** The endpoints of a workspace, oldest first, as JSON. @throws ApiError `workspace_not_accessible`, `invalid_parameter` */
export async function listWebhookEndpoints(
  { webhookEndpoints, workspaces, takeTurn }: ListWebhookEndpointsDeps,
  caller: Caller,
  query: { readonly workspaceId?: WorkspaceId; readonly limit?: number; readonly cursor?: string },
): Promise<JsonList> {
  const page = parsePagination(query)
  const workspaceId = await resolveWorkspace(workspaces, caller, query.workspaceId)
  const source = {
    read: (part: Pagination) => webhookEndpoints.list(caller, workspaceId, part),
    positionOf: ({ createdAt, endpointId }: WebhookEndpoint) => ({ createdAt, id: endpointId }),
    serialize: (endpoints: readonly WebhookEndpoint[]) =>
      endpoints.map((endpoint) => stringifyEndpoint(WEBHOOK_ENDPOINT.serialize(endpoint))),
  }
  return listInParts(source, page, { takeTurn, reauthenticate: caller.reauthenticate })
}

const stringifyEndpoint = createSerializer(WebhookEndpointResponse)

export interface CreateWebhookEndpointDeps extends ParseEndpointSettingsDeps {
  readonly webhookEndpoints: WebhookEndpointStore
  readonly workspaces: WorkspaceStore
  readonly now: () => number
}

export const createWebhookEndpointOperation = defineOperation({
  id: 'createWebhookEndpoint',
  sdk: 'webhookEndpoints.create',
  method: 'POST',
  path: '/v1/webhook_endpoint',
  tag: 'Webhooks',
  summary: 'Create a webhook endpoint',
  description:
    'It receives the events of the workspace from now on. Its secret is returned only here. A workspace has at most 100.',
  scope: 'webhooks',
  body: CreateWebhookEndpoint,
  status: 201,
  response: NewWebhookEndpoint,
  returns: 'The endpoint.',
  errors: ['webhook_url_forbidden', 'webhook_endpoint_limit', 'unknown_reference'],
  audit: 'webhook_endpoint.created',
  config: { returnsSecret: true },
  handle: (deps: CreateWebhookEndpointDeps, caller, { body }) =>
    createWebhookEndpoint(deps, caller, body),
})

/**
 * Creates an endpoint, which receives the events from now on. Its secret is returned only here.
 *
 * @throws ApiError `workspace_not_accessible`, `validation_failed`, `unknown_reference`, `webhook_url_forbidden`,
 * `webhook_endpoint_limit`
 */
export async function createWebhookEndpoint(
  deps: CreateWebhookEndpointDeps,
  caller: Caller,
  input: CreateWebhookEndpoint,
): Promise<NewWebhookEndpoint> {
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  const now = deps.now()
  const ids = { endpointId: newId('whe', now), workspaceId }
  const secrets = generateSigningSecrets()
  const endpoint = WEBHOOK_ENDPOINT.create({
    ...DEFAULTS,
    url: input.url,
    ...(await parseEndpointSettings(deps, caller, ids, input)),
    ...ids,
    ...(await sealSigningSecrets(deps.vault, ids, [secrets])),
    state: input.paused === true ? 'paused' : 'active',
    createdAt: now,
    updatedAt: now,
  })
  const response = { ...WEBHOOK_ENDPOINT.serialize(endpoint), secret: secrets.v1 }
  // Serializable: concurrent requests must not exceed the limit together.
  await deps.database.transaction(
    async (trx) => {
      if ((await deps.webhookEndpoints.count(trx, caller, workspaceId)) >= MAX_ENDPOINTS)
        throw new ApiError(
          'webhook_endpoint_limit',
          `A workspace has at most ${MAX_ENDPOINTS} webhook endpoints.`,
        )
      await deps.webhookEndpoints.insert(trx, endpoint)
      await record(trx, caller, now, {
        action: 'webhook_endpoint.created',
        workspaceId,
        subject: endpoint.endpointId,
        detail: { host: new URL(endpoint.url).host },
        response,
      })
    },
    { serializable: true },
  )
  return response
}

const MAX_ENDPOINTS = 100

const DEFAULTS = {
  description: '',
  payload: 'full',
  version: 1,
  ordering: 'account',
  signature: 'v1',
  maxInFlight: 8,
  headerNames: [],
  pending: 0,
} as const

export interface DeleteWebhookEndpointDeps extends GetWebhookEndpointDeps {
  readonly now: () => number
}

export const deleteWebhookEndpointOperation = defineOperation({
  id: 'deleteWebhookEndpoint',
  sdk: 'webhookEndpoints.delete',
  method: 'DELETE',
  path: '/v1/webhook_endpoint/:webhookEndpointId',
  tag: 'Webhooks',
  summary: 'Delete a webhook endpoint',
  description:
    'Nothing is sent to it anymore, and its deliveries are deleted. Returns its last state.',
  scope: 'webhooks',
  params: WebhookEndpointParams,
  response: WebhookEndpointResponse,
  returns: 'The deleted endpoint.',
  errors: ['webhook_endpoint_not_found'],
  audit: 'webhook_endpoint.deleted',
  handle: (deps: DeleteWebhookEndpointDeps, caller, { params }) =>
    deleteWebhookEndpoint(deps, caller, params.webhookEndpointId),
})

/**
 * Deletes an endpoint and returns its last state. Nothing is sent to it anymore; its deliveries are deleted in the
 * background.
 *
 * @throws ApiError `webhook_endpoint_not_found`
 */
export async function deleteWebhookEndpoint(
  deps: DeleteWebhookEndpointDeps,
  caller: Caller,
  endpointId: WebhookEndpointId,
): Promise<WebhookEndpointResponse> {
  const endpoint = await requireWebhookEndpoint(deps, caller, endpointId)
  const now = deps.now()
  await deps.database.transaction(async (trx) => {
    if (!(await deps.webhookEndpoints.remove(trx, caller, endpointId, now)))
      throw notFound('webhook_endpoint')
    await record(trx, caller, now, {
      action: 'webhook_endpoint.deleted',
      workspaceId: endpoint.workspaceId,
      subject: endpointId,
    })
  })
  return WEBHOOK_ENDPOINT.serialize(endpoint)
}
