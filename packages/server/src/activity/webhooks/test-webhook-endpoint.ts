import type { EgressGateway } from '@linchpin/runner'
import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { Nullable, OptionalField, StrictObject } from '../../platform/http/schema.ts'
import { EVENT_TYPES, type EventType } from '../../platform/record/event-types.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { PublishedEvent } from '../events/event.ts'
import {
  createResponseRedactor,
  createSigningKeys,
  openEndpointHeaders,
  openSigningSecrets,
} from './endpoint-secrets.ts'
import { WebhookEndpointParams } from './schemas.ts'
import { sendWebhook } from './send-webhook.ts'
import type { WebhookEndpointId } from './webhook-endpoint.ts'
import {
  type GetWebhookEndpointDeps,
  requireWebhookEndpoint,
} from './webhook-endpoint-operations.ts'

export const TestWebhookEndpoint = StrictObject(
  {
    type: OptionalField(
      Type.Unsafe<EventType>({
        type: 'string',
        enum: [...EVENT_TYPES],
        description: 'The type of the example event. Default: webhook.test.',
      }),
    ),
  },
  { $id: 'TestWebhookEndpoint', examples: [{ type: 'account.needs_reauth' }] },
)
export type TestWebhookEndpoint = Static<typeof TestWebhookEndpoint>

export const WebhookTestResult = StrictObject(
  {
    delivered: Type.Boolean({ description: 'Whether the endpoint answered with a 2xx status.' }),
    eventId: Type.String({ description: 'The id of the example event, which is not stored.' }),
    status: Nullable(Type.Integer({ description: 'HTTP status; null without a response.' })),
    code: Nullable(
      Type.String({
        description: 'Why it failed, such as status_503, timeout, address_forbidden.',
      }),
    ),
    ms: Type.Integer({ description: 'Duration in milliseconds.' }),
    response: Type.String({ description: 'The first 1,000 characters of the response.' }),
  },
  {
    $id: 'WebhookTestResult',
    examples: [
      {
        delivered: true,
        eventId: 'evt_01kahn5s9kf5arr5d1x6z5cq3b',
        status: 204,
        code: null,
        ms: 41,
        response: '',
      },
    ],
  },
)
export type WebhookTestResult = Static<typeof WebhookTestResult>

export interface TestWebhookEndpointDeps extends GetWebhookEndpointDeps {
  readonly egressGateway: EgressGateway
  readonly vault: Vault
  readonly now: () => number
  /** Examples show resources of areas above this one. */
  readonly createExampleEvent: (
    type: EventType,
    workspaceId: WorkspaceId,
    now: number,
  ) => PublishedEvent
}

export const testWebhookEndpointOperation = defineOperation({
  id: 'testWebhookEndpoint',
  sdk: 'webhookEndpoints.test',
  method: 'POST',
  path: '/v1/webhook_endpoint/:webhookEndpointId/test',
  tag: 'Webhooks',
  summary: 'Send an example event to a webhook endpoint',
  description:
    'Sends it at once, whatever the state of the endpoint, and returns the response. The event has the sequence number 0; it is neither stored nor retried.',
  scope: 'webhooks',
  params: WebhookEndpointParams,
  body: TestWebhookEndpoint,
  response: WebhookTestResult,
  returns: 'What the endpoint answered.',
  errors: ['webhook_endpoint_not_found', 'egress_unavailable'],
  audit: 'webhook_endpoint.tested',
  config: { ignoresIdempotencyKey: true, optionalBody: true },
  handle: (deps: TestWebhookEndpointDeps, caller, { params, body }) =>
    testWebhookEndpoint(deps, caller, params.webhookEndpointId, body),
})

/**
 * Sends an example event to an endpoint at once, whatever its state and its types, and returns the response. It is
 * neither stored nor retried.
 *
 * @throws ApiError `webhook_endpoint_not_found`
 */
export async function testWebhookEndpoint(
  deps: TestWebhookEndpointDeps,
  caller: Caller,
  endpointId: WebhookEndpointId,
  { type }: TestWebhookEndpoint,
): Promise<WebhookTestResult> {
  const endpoint = await requireWebhookEndpoint(deps, caller, endpointId)
  const now = deps.now()
  const event = deps.createExampleEvent(type ?? 'webhook.test', endpoint.workspaceId, now)
  const secrets = await openSigningSecrets(deps.vault, endpoint, now)
  const headers = await openEndpointHeaders(deps.vault, endpoint)
  const { status, code, ms, response } = await sendWebhook(deps, {
    event,
    endpoint,
    attempt: 1,
    keys: createSigningKeys(secrets, endpoint.signature),
    headers,
    redact: createResponseRedactor(headers, secrets),
  })
  const { eventId } = event
  const result = { delivered: code === null, eventId, status, code, ms, response }
  await deps.database.transaction((trx) =>
    record(trx, caller, now, {
      action: 'webhook_endpoint.tested',
      workspaceId: endpoint.workspaceId,
      subject: endpointId,
      detail: { type: event.type, host: URL.parse(endpoint.url)?.host, status, code },
      response: result,
    }),
  )
  return result
}
