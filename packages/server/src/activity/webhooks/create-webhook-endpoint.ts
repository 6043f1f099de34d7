import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { resolveWorkspace } from '../../access/workspaces/resolve-workspace.ts'
import type { WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/record/record-store.ts'
import { newId } from '../../platform/storage/id.ts'
import { generateSigningSecrets, sealSigningSecrets } from './endpoint-secrets.ts'
import { type ParseEndpointSettingsDeps, parseEndpointSettings } from './parse-endpoint-settings.ts'
import { CreateWebhookEndpoint, NewWebhookEndpoint, serializeWebhookEndpoint } from './schemas.ts'
import type { WebhookEndpoint } from './webhook-endpoint.ts'
import type { WebhookEndpointStore } from './webhook-endpoint-store.ts'

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
  const endpoint: WebhookEndpoint = {
    ...DEFAULTS,
    url: input.url,
    ...(await parseEndpointSettings(deps, caller, ids, input)),
    ...ids,
    ...(await sealSigningSecrets(deps.vault, ids, [secrets])),
    state: input.paused === true ? 'paused' : 'active',
    createdAt: now,
    updatedAt: now,
  }
  const response = { ...serializeWebhookEndpoint(endpoint), secret: secrets.v1 }
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
  types: null,
  definitionIds: null,
  payload: 'full',
  version: 1,
  ordering: 'account',
  signature: 'v1',
  maxInFlight: 8,
  sealedHeaders: null,
  headerNames: [],
  stateReason: null,
  failingSince: null,
  lastSuccessAt: null,
  pending: 0,
} as const
