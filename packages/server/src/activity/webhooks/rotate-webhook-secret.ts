import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { notFound } from '../../platform/errors.ts'
import { OptionalField, StrictObject } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import {
  generateSigningSecrets,
  openSigningSecrets,
  type SigningSecrets,
  sealSigningSecrets,
} from './endpoint-secrets.ts'
import { NewWebhookEndpoint, WebhookEndpointParams } from './schemas.ts'
import { WEBHOOK_ENDPOINT, type WebhookEndpointId } from './webhook-endpoint.ts'
import {
  type GetWebhookEndpointDeps,
  requireWebhookEndpoint,
} from './webhook-endpoint-operations.ts'

export const RotateWebhookSecret = StrictObject(
  {
    overlapSeconds: OptionalField(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        description: 'How long the former secret signs too. Default: one day.',
      }),
    ),
  },
  { $id: 'RotateWebhookSecret', examples: [{ overlapSeconds: 86_400 }] },
)
export type RotateWebhookSecret = Static<typeof RotateWebhookSecret>

export interface RotateWebhookSecretDeps extends GetWebhookEndpointDeps {
  readonly vault: Vault
  readonly now: () => number
}

export const rotateWebhookSecretOperation = defineOperation({
  id: 'rotateWebhookSecret',
  sdk: 'webhookEndpoints.rotateSecret',
  method: 'POST',
  path: '/v1/webhook_endpoint/:webhookEndpointId/rotate',
  tag: 'Webhooks',
  summary: 'Rotate the secret of a webhook endpoint',
  description:
    'Returns a new secret. The former one signs deliveries too for `overlapSeconds`, a day by default.',
  scope: 'webhooks',
  params: WebhookEndpointParams,
  body: RotateWebhookSecret,
  response: NewWebhookEndpoint,
  returns: 'The endpoint.',
  errors: ['webhook_endpoint_not_found'],
  audit: 'webhook_endpoint.secret_rotated',
  config: { optionalBody: true, returnsSecret: true },
  handle: (deps: RotateWebhookSecretDeps, caller, { params, body }) =>
    rotateWebhookSecret(deps, caller, params.webhookEndpointId, body),
})

/**
 * Gives an endpoint new secrets. Deliveries are signed with the former ones too until they expire, with at most two of
 * them.
 *
 * @throws ApiError `webhook_endpoint_not_found`
 */
export async function rotateWebhookSecret(
  deps: RotateWebhookSecretDeps,
  caller: Caller,
  endpointId: WebhookEndpointId,
  { overlapSeconds }: RotateWebhookSecret,
): Promise<NewWebhookEndpoint> {
  for (;;) {
    const rotated = await tryToRotate(deps, caller, endpointId, overlapSeconds ?? DAY_SECONDS)
    if (rotated !== undefined) return rotated
  }
}

/** Returns undefined if another rotation came first: secrets cannot be opened within a transaction. */
async function tryToRotate(
  deps: RotateWebhookSecretDeps,
  caller: Caller,
  endpointId: WebhookEndpointId,
  overlapSeconds: number,
): Promise<NewWebhookEndpoint | undefined> {
  const endpoint = await requireWebhookEndpoint(deps, caller, endpointId)
  const now = deps.now()
  const former = await openSigningSecrets(deps.vault, endpoint, now)
  const secrets = generateSigningSecrets()
  const sealed = await sealSigningSecrets(deps.vault, endpoint, [
    secrets,
    ...expireBy(former, now + overlapSeconds * 1_000, now),
  ])
  return deps.database.transaction(
    async (trx) => {
      const current = await deps.webhookEndpoints.find(trx, caller, endpointId)
      if (current === undefined) throw notFound('webhook_endpoint')
      if (!Buffer.from(current.sealedSecrets).equals(endpoint.sealedSecrets)) return undefined
      const change = { ...sealed, updatedAt: now }
      const updated = await deps.webhookEndpoints.update(trx, caller, endpointId, change)
      if (updated === undefined) throw notFound('webhook_endpoint')
      const response = { ...WEBHOOK_ENDPOINT.serialize(updated), secret: secrets.v1 }
      await record(trx, caller, now, {
        action: 'webhook_endpoint.secret_rotated',
        workspaceId: updated.workspaceId,
        subject: endpointId,
        detail: { overlapSeconds },
        response,
      })
      return response
    },
    { serializable: true },
  )
}

function expireBy(secrets: readonly SigningSecrets[], time: number, now: number): SigningSecrets[] {
  return secrets
    .map((each) => ({ ...each, expiresAt: Math.min(each.expiresAt ?? time, time) }))
    .filter(({ expiresAt }) => expiresAt > now)
    .slice(0, MAX_FORMER)
}

const DAY_SECONDS = 86_400
const MAX_FORMER = 2
