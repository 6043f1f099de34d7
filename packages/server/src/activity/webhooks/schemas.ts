import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import {
  IdOf,
  Nullable,
  OptionalField,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import {
  ENDPOINT_STATES,
  ORDERINGS,
  PAYLOADS,
  SIGNATURES,
  type WebhookEndpoint,
  type WebhookEndpointId,
} from './webhook-endpoint.ts'

/** The path of an endpoint. */
export const WebhookEndpointParams = Type.Object({
  webhookEndpointId: IdOf<WebhookEndpointId>({ description: 'Identifier of the endpoint.' }),
})

const url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: 'Where events are posted: https, without user name, password and fragment.',
})

const description = Type.String({ maxLength: 500, description: 'What the endpoint is for.' })

const types = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: 50,
  uniqueItems: true,
  description: 'Types such as account.created and prefixes such as account.*. Empty: all.',
})

const integrationDefinitionIds = Type.Array(
  IdOf<DefinitionId>({ minLength: 1, maxLength: 64, description: 'ID of a definition.' }),
  {
    maxItems: 100,
    uniqueItems: true,
    description: 'Only events of these definitions and of their accounts. Empty: all events.',
  },
)

const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description })

const payload = oneOf(
  PAYLOADS,
  'full: events as the API returns them. thin: `data` has only ids, `previous` and `reason`.',
)

const version = Type.Integer({
  minimum: 1,
  maximum: 1,
  description: 'The version of the events that the endpoint receives.',
})

const ordering = oneOf(
  ORDERINGS,
  'account: the events of one resource one after the other. none: as soon as possible.',
)

const signature = oneOf(
  SIGNATURES,
  'The scheme of Standard Webhooks: v1 (HMAC-SHA256), v1a (Ed25519) or both.',
)

const maxInFlight = Type.Integer({
  minimum: 1,
  maximum: 64,
  description: 'Maximum number of concurrent requests.',
})

const fields = {
  webhookEndpointId: IdOf<WebhookEndpointId>({ description: 'Identifier of the endpoint.' }),
  workspaceId: IdOf<WorkspaceId>({ description: 'Its workspace.' }),
  url,
  description,
  types,
  integrationDefinitionIds,
  payload,
  version,
  ordering,
  signature,
  maxInFlight,
  headerNames: Type.Array(Type.String(), {
    description: 'The names of the headers that were set. Their values are never returned.',
  }),
  state: oneOf(
    ENDPOINT_STATES,
    'active; failing: nothing is sent but probes; paused: by you; disabled: after days of failures.',
  ),
  stateReason: Nullable(Type.String({ description: 'Why it is failing or disabled.' })),
  failingSince: Nullable(Timestamp('When its failures began; null after a success.')),
  lastSuccessAt: Nullable(Timestamp('When it last accepted an event.')),
  pending: Type.Integer({ description: 'Number of events on their way to it.' }),
  publicKeys: Type.Array(Type.String(), {
    description: 'The keys that verify v1a signatures (`whpk_…`), the newest first.',
  }),
  createdAt: Timestamp('When it was created.'),
  updatedAt: Timestamp('When its settings last changed.'),
}

const example = {
  webhookEndpointId: 'whe_01kahn41dke3jtmrb2w3zj6t0y',
  workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
  url: 'https://app.example.com/hooks/linchpin',
  description: 'Tells customers to reconnect',
  types: ['account.*'],
  integrationDefinitionIds: [],
  payload: 'full',
  version: 1,
  ordering: 'account',
  signature: 'v1',
  maxInFlight: 8,
  headerNames: [],
  state: 'active',
  stateReason: null,
  failingSince: null,
  lastSuccessAt: '2026-11-22T10:00:00.000Z',
  pending: 0,
  publicKeys: ['whpk_zHE9WxZxX9sQVmbYIoBAkTn4RLpdFMZpsNMxPlYYAmM='],
  createdAt: '2026-11-21T10:00:00.000Z',
  updatedAt: '2026-11-21T10:00:00.000Z',
}

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
  description: OptionalField(description),
  types: OptionalField(types),
  integrationDefinitionIds: OptionalField(integrationDefinitionIds),
  payload: OptionalField(payload),
  version: OptionalField(version),
  ordering: OptionalField(ordering),
  signature: OptionalField(signature),
  maxInFlight: OptionalField(maxInFlight),
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
    url,
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
    url: OptionalField(url),
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

export function serializeWebhookEndpoint(endpoint: WebhookEndpoint): WebhookEndpointResponse {
  const { failingSince, lastSuccessAt } = endpoint
  return {
    webhookEndpointId: endpoint.endpointId,
    workspaceId: endpoint.workspaceId,
    url: endpoint.url,
    description: endpoint.description,
    types: [...(endpoint.types ?? [])],
    integrationDefinitionIds: [...(endpoint.definitionIds ?? [])],
    payload: endpoint.payload,
    version: endpoint.version,
    ordering: endpoint.ordering,
    signature: endpoint.signature,
    maxInFlight: endpoint.maxInFlight,
    headerNames: [...endpoint.headerNames],
    state: endpoint.state,
    stateReason: endpoint.stateReason,
    failingSince: failingSince === null ? null : toTimestamp(failingSince),
    lastSuccessAt: lastSuccessAt === null ? null : toTimestamp(lastSuccessAt),
    pending: endpoint.pending,
    publicKeys: [...endpoint.publicKeys],
    createdAt: toTimestamp(endpoint.createdAt),
    updatedAt: toTimestamp(endpoint.updatedAt),
  }
}
