import type { Caller } from '../../access/auth/caller.ts'
import { assertNoMissingSecrets, listMissingSecrets } from '../../access/auth/stored-secrets.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { fieldError, notFound, validationFailed } from '../../platform/errors.ts'
import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import { type ParseEndpointSettingsDeps, parseEndpointSettings } from './parse-endpoint-settings.ts'
import type { ReplaySelection } from './replay-store.ts'
import { findRange, type QueueReplayDeps, queueRange } from './replay-webhook-events.ts'
import { UpdateWebhookEndpoint, WebhookEndpointParams, WebhookEndpointResponse } from './schemas.ts'
import {
  WEBHOOK_ENDPOINT,
  type WebhookEndpoint,
  type WebhookEndpointId,
} from './webhook-endpoint.ts'
import {
  type GetWebhookEndpointDeps,
  requireWebhookEndpoint,
} from './webhook-endpoint-operations.ts'
import type { WebhookEndpointChange } from './webhook-endpoint-store.ts'

export interface UpdateWebhookEndpointDeps
  extends GetWebhookEndpointDeps,
    ParseEndpointSettingsDeps,
    QueueReplayDeps {
  readonly now: () => number
}

export const updateWebhookEndpointOperation = defineOperation({
  id: 'updateWebhookEndpoint',
  sdk: 'webhookEndpoints.update',
  method: 'POST',
  path: '/v1/webhook_endpoint/:webhookEndpointId',
  tag: 'Webhooks',
  summary: 'Update a webhook endpoint',
  description:
    'Changes the given fields. `"paused": false` starts a paused, failing or disabled endpoint; `replay` says which events are sent again. A `url` of another origin requires `headers` again, if the endpoint has any; otherwise the response is 403 `secret_required`.',
  scope: 'webhooks',
  params: WebhookEndpointParams,
  body: UpdateWebhookEndpoint,
  response: WebhookEndpointResponse,
  returns: 'The endpoint.',
  errors: [
    'webhook_endpoint_not_found',
    'webhook_url_forbidden',
    'unknown_reference',
    'secret_required',
  ],
  audit: 'webhook_endpoint.updated',
  handle: (deps: UpdateWebhookEndpointDeps, caller, { params, body }) =>
    updateWebhookEndpoint(deps, caller, params.webhookEndpointId, body),
})

/**
 * Updates the given fields of an endpoint. `paused` stops and starts it; starting a disabled one queues the events that it
 * missed, unless `replay` says otherwise. The stored headers do not follow a URL to another origin.
 *
 * @throws ApiError `webhook_endpoint_not_found`, `validation_failed`, `unknown_reference`, `webhook_url_forbidden`,
 * `secret_required`
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
  const change = { ...settings, updatedAt: now }
  await assertHeadersStay(deps, caller, former, input, change)
  const rest = await queueReplay(deps, caller, former, change, input)
  return deps.database.transaction(
    async (trx) => {
      const before = await changeState(deps, trx, caller, endpointId, input.paused, now)
      rejectMovedHeaders(listMovedHeaders(before, change))
      let after = await deps.webhookEndpoints.update(trx, caller, endpointId, change)
      if (after !== undefined && rest !== undefined && isReplayed(before, input.replay)) {
        await deps.replays.queue(trx, caller, after, rest)
        after = await deps.webhookEndpoints.find(trx, caller, endpointId)
      }
      if (after === undefined) throw notFound('webhook_endpoint')
      const response = WEBHOOK_ENDPOINT.serialize(after)
      await record(trx, caller, now, {
        action: 'webhook_endpoint.updated',
        workspaceId: after.workspaceId,
        subject: endpointId,
        detail: { fields: listProvidedFields(input), ...getHosts(before, change) },
        response,
      })
      return response
    },
    // Headers that another request sets meanwhile must not follow the URL either.
    { serializable: change.url !== undefined },
  )
}

/** Rejects and records a URL of another origin that the stored headers would follow, before anything changes. */
async function assertHeadersStay(
  { database }: UpdateWebhookEndpointDeps,
  caller: Caller,
  former: WebhookEndpoint,
  input: UpdateWebhookEndpoint,
  change: WebhookEndpointChange,
): Promise<void> {
  const missing = listMovedHeaders(former, change)
  if (missing.length === 0) return
  await database.transaction((trx) =>
    record(trx, caller, change.updatedAt, {
      action: 'webhook_endpoint.updated',
      workspaceId: former.workspaceId,
      subject: former.endpointId,
      outcome: 'refused',
      detail: {
        fields: listProvidedFields(input),
        ...getHosts(former, change),
        refused: 'secret_required',
        missing,
      },
    }),
  )
  rejectMovedHeaders(missing)
}

/** The stored headers that a change would send to another origin (RFC 6454). No scope can read them. */
function listMovedHeaders(
  former: WebhookEndpoint,
  { url, headerNames }: WebhookEndpointChange,
): readonly string[] {
  const isMoved = url !== undefined && URL.parse(url)?.origin !== URL.parse(former.url)?.origin
  return listMissingSecrets(
    {
      changed: isMoved ? ['url'] : [],
      reused: headerNames === undefined ? former.headerNames : [],
    },
    { mayRead: false },
  )
}

function rejectMovedHeaders(headerNames: readonly string[]): void {
  assertNoMissingSecrets(
    headerNames.map((name) => `headers.${name}`),
    'This request changes the origin of the URL, and would send the stored headers there. Include `headers` in the same request; an empty object removes them.',
  )
}

/** Where the endpoint sends its events after a change of its URL, and where it sent them before. */
function getHosts(former: WebhookEndpoint, { url }: WebhookEndpointChange) {
  if (url === undefined) return {}
  return { host: URL.parse(url)?.host, formerHost: URL.parse(former.url)?.host }
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

/**
 * Queues the events to send again, and returns those that the change of the endpoint has to queue: what happens meanwhile.
 * Before the change, so that none is missing if the process ends: the endpoint is unchanged, and a repeated request continues.
 */
async function queueReplay(
  deps: UpdateWebhookEndpointDeps,
  caller: Caller,
  former: WebhookEndpoint,
  { types = former.types, definitionIds = former.definitionIds }: WebhookEndpointChange,
  { paused, replay }: UpdateWebhookEndpoint,
): Promise<ReplaySelection | undefined> {
  if (paused !== false || replay === 'none') return undefined
  const since = isTime(replay)
    ? Date.parse(replay.since)
    : (former.lastSuccessAt ?? former.createdAt)
  const options = { isDeliveredIncluded: isTime(replay) }
  const range = await findRange(deps, caller, former, since)
  // Another request may disable the endpoint meanwhile.
  if (!isReplayed(former, replay)) return { ...options, range: { ...range, last: undefined } }
  await queueRange(deps, caller, { ...former, types, definitionIds }, range, options)
  return { ...options, range: { after: range.last, since } }
}

/** Whether an endpoint that becomes active gets events again. */
function isReplayed({ state }: WebhookEndpoint, replay: UpdateWebhookEndpoint['replay']): boolean {
  return replay != null || state === 'disabled'
}

function isTime(replay: UpdateWebhookEndpoint['replay']): replay is { readonly since: string } {
  return typeof replay === 'object' && replay !== null
}

function listProvidedFields(input: UpdateWebhookEndpoint): string[] {
  return Object.entries(input)
    .filter(([, value]) => value != null)
    .map(([field]) => field)
}

/**
 * Records, in the transaction of the change, that an endpoint was disabled or works again: an event for the other
 * endpoints, and an entry of the audit trail.
 *
 * @param endpoint the endpoint after the change
 * @param at epoch milliseconds
 */
export async function recordEndpointTransition(
  trx: Transaction,
  endpoint: WebhookEndpoint,
  transition: 'disabled' | 'recovered',
  at: number,
): Promise<void> {
  const type = `webhook_endpoint.${transition}` as const
  const { endpointId: subject, workspaceId, stateReason } = endpoint
  const webhookEndpoint = WEBHOOK_ENDPOINT.serialize(endpoint)
  const data = {
    webhookEndpoint,
    ...(transition === 'disabled' ? { reason: stateReason } : { previous: { state: 'failing' } }),
  }
  await record(trx, SYSTEM_ACTOR, at, {
    action: type,
    workspaceId,
    subject,
    detail: { reason: stateReason },
    event: { type, subject, data },
  })
}
