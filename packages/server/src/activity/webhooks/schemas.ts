import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { IdOf, OptionalField, StrictObject } from '../../platform/http/schema.ts'
import { WEBHOOK_ENDPOINT } from './webhook-endpoint.ts'

/** The path of an endpoint. */
export const WebhookEndpointParams = Type.Object({
  webhookEndpointId: WEBHOOK_ENDPOINT.schemas.webhookEndpointId,
})

const fields = WEBHOOK_ENDPOINT.schemas
const { example } = WEBHOOK_ENDPOINT

/** An endpoint without its secrets. */
export const WebhookEndpointResponse = StrictObject(fields, {
  $id: 'WebhookEndpoint',
  description: 'A URL that receives the events of a workspace.',
  examples: [example],
})
export type WebhookEndpointResponse = Static<typeof WebhookEndpointResponse>

/** The responses that contain the secret, which cannot be retrieved again. */
export const NewWebhookEndpoint = StrictObject(
  {
    ...fields,
    secret: Type.String({
      description: 'The key of v1 signatures (`whsec_…`). Returned only once.',
    }),
  },
  {
    $id: 'NewWebhookEndpoint',
    description: 'A webhook endpoint with its new secret.',
    examples: [{ ...example, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' }],
  },
)
export type NewWebhookEndpoint = Static<typeof NewWebhookEndpoint>

const settings = {
  description: OptionalField(fields.description),
  types: OptionalField(fields.types),
  integrationDefinitionIds: OptionalField(fields.integrationDefinitionIds),
  payload: OptionalField(fields.payload),
  version: OptionalField(fields.version),
  ordering: OptionalField(fields.ordering),
  signature: OptionalField(fields.signature),
  maxInFlight: OptionalField(fields.maxInFlight),
  headers: OptionalField(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: 10,
      additionalProperties: {
        type: 'string',
        minLength: 1,
        maxLength: 4_096,
        // Visible ASCII, without leading and trailing spaces.
        pattern: '^[!-~](?:[ -~]*[!-~])?$',
      },
      description:
        'Headers of each request, such as Authorization. Stored encrypted and never returned.',
    }),
  ),
  paused: OptionalField(
    Type.Boolean({ description: 'true: events are stored for the endpoint and not sent.' }),
  ),
}

export const CreateWebhookEndpoint = StrictObject(
  {
    url: fields.url,
    ...settings,
    workspaceId: OptionalField(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
  },
  {
    $id: 'CreateWebhookEndpoint',
    examples: [{ url: 'https://app.example.com/hooks/linchpin', types: ['account.*'] }],
  },
)
export type CreateWebhookEndpoint = Static<typeof CreateWebhookEndpoint>

export const UpdateWebhookEndpoint = StrictObject(
  {
    url: OptionalField(fields.url),
    ...settings,
    replay: Type.Optional(
      Type.Unsafe<'missed' | 'none' | { readonly since: string } | null>({
        type: ['string', 'object', 'null'],
        if: { type: 'string' },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { enum: ['missed', 'none'] },
        else: {
          properties: { since: { type: 'string', format: 'date-time' } },
          required: ['since'],
          additionalProperties: false,
        },
        description:
          'With `"paused": false`: which events to send again. missed: all since the last success, the default for a disabled endpoint; none; or { "since": time }.',
      }),
    ),
  },
  { $id: 'UpdateWebhookEndpoint', examples: [{ paused: false, replay: 'missed' }] },
)
export type UpdateWebhookEndpoint = Static<typeof UpdateWebhookEndpoint>
