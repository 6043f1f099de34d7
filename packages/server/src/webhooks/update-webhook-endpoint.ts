import type { Caller } from '../auth/caller.ts'
import { fieldError, notFound, validationFailed } from '../errors.ts'
import { record } from '../record/record-store.ts'
import type { Transaction } from '../storage/database.ts'
import { type GetWebhookEndpointDeps, requireWebhookEndpoint } from './get-webhook-endpoint.ts'
import { type ParseEndpointSettingsDeps, parseEndpointSettings } from './parse-endpoint-settings.ts'
import { type QueueReplayDeps, queueTimeRange } from './queue-replay.ts'
import {
  serializeWebhookEndpoint,
  type UpdateWebhookEndpoint,
  type WebhookEndpointResponse,
} from './schemas.ts'
import type { WebhookEndpoint, WebhookEndpointId } from './webhook-endpoint.ts'

export interface UpdateWebhookEndpointDeps
  extends GetWebhookEndpointDeps,
    ParseEndpointSettingsDeps,
    QueueReplayDeps {
  readonly now: () => number
}

/**
 * Updates the given fields of an endpoint. `paused` stops and starts it; starting a disabled one queues the events that it
 * missed, unless `replay` says otherwise.
 *
 * @throws ApiError `webhook_endpoint_not_found`, `validation_failed`, `unknown_reference`, `webhook_url_forbidden`
 */
export async function updateWebhookEndpoint(
  deps: UpdateWebhookEndpointDeps,
  caller: Caller,
  endpointId: WebhookEndpointId,
  input: UpdateWebhookEndpoint,
): Promise<WebhookEndpointResponse> {
  if (input.replay != null && input.paused !== false)
    throw validationFailed(
      fieldError('replay', 'not_applicable', 'Requires "paused": false in the same request.'),
    )
  const former = await requireWebhookEndpoint(deps, caller, endpointId)
  const settings = await parseEndpointSettings(deps, caller, former, input)
  const now = deps.now()
  const { since, after } = await deps.database.transaction(async (trx) => {
    const before = await changeState(deps, trx, caller, endpointId, input.paused, now)
    const change = { ...settings, updatedAt: now }
    const after = await deps.webhookEndpoints.update(trx, caller, endpointId, change)
    if (after === undefined) throw notFound('webhook_endpoint')
    const since = input.paused === false ? getReplayStart(before, input.replay) : undefined
    await record(trx, caller, now, {
      action: 'webhook_endpoint.updated',
      workspaceId: after.workspaceId,
      subject: endpointId,
      detail: { fields: listProvidedFields(input) },
      // A retry of a request whose process died before it queued a replay queues it.
      ...(since === undefined ? { response: serializeWebhookEndpoint(after) } : {}),
    })
    return { since, after }
  })
  if (since === undefined) return serializeWebhookEndpoint(after)
  const isDeliveredIncluded = isTime(input.replay)
  await queueTimeRange(deps, caller, after, { since }, { isDeliveredIncluded })
  return serializeWebhookEndpoint(await requireWebhookEndpoint(deps, caller, endpointId))
}

/** Returns the endpoint before the change. */
async function changeState(
  { webhookEndpoints }: UpdateWebhookEndpointDeps,
  trx: Transaction,
  caller: Caller,
  endpointId: WebhookEndpointId,
  paused: boolean | null | undefined,
  now: number,
): Promise<WebhookEndpoint> {
  const before = await webhookEndpoints.find(trx, caller, endpointId)
  if (before === undefined) throw notFound('webhook_endpoint')
  if (paused === true && before.state !== 'paused')
    await webhookEndpoints.pause(trx, caller, before)
  if (paused === false && before.state !== 'active')
    await webhookEndpoints.activate(trx, caller, before, now)
  return before
}

/** The time from which events are sent again; undefined: none. */
function getReplayStart(
  { state, lastSuccessAt, createdAt }: WebhookEndpoint,
  replay: UpdateWebhookEndpoint['replay'],
): number | undefined {
  if (isTime(replay)) return Date.parse(replay.since)
  const isMissed = replay === 'missed' || (replay == null && state === 'disabled')
  return isMissed ? (lastSuccessAt ?? createdAt) : undefined
}

function isTime(replay: UpdateWebhookEndpoint['replay']): replay is { readonly since: string } {
  return typeof replay === 'object' && replay !== null
}

function listProvidedFields(input: UpdateWebhookEndpoint): string[] {
  return Object.entries(input)
    .filter(([, value]) => value != null)
    .map(([field]) => field)
}
