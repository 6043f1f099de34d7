import Type from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { IdOf, Nullable, OneOf, Timestamp } from '../../platform/http/schema.ts'
import {
  bytes,
  defineResource,
  id,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  time,
  type ValuesOf,
} from '../../platform/storage/define-resource.ts'
import type { Id } from '../../platform/storage/id.ts'

export type WebhookEndpointId = Id<'whe'>

/** `full`: events as the API returns them. `thin`: of `data`, only ids and what changed. */
export const PAYLOADS = ['full', 'thin'] as const
export type Payload = (typeof PAYLOADS)[number]

/** `account`: one event of a subject after the other. `none`: as soon as possible. */
export const ORDERINGS = ['account', 'none'] as const
export type Ordering = (typeof ORDERINGS)[number]

/** The schemes of Standard Webhooks: HMAC-SHA256, Ed25519, or both. */
export const SIGNATURES = ['v1', 'v1a', 'both'] as const
export type Signature = (typeof SIGNATURES)[number]

/**
 * `active`; `failing` while its circuit is open; `paused` by its owner: deliveries are stored and not sent; `disabled`
 * after days without success: no deliveries are stored.
 */
export const ENDPOINT_STATES = ['active', 'failing', 'paused', 'disabled'] as const
export type EndpointState = (typeof ENDPOINT_STATES)[number]

const SAMPLE_TIME = Date.parse('2026-11-21T10:00:00.000Z')

/** A list whose null means all, which is empty in responses. */
const listOrAll = <T>() => ({
  ...nullable(json<readonly T[]>('none', [])),
  show: (list: readonly T[] | null) => list ?? [],
})

/** The fields of an endpoint, in the order of responses. */
const fields = {
  endpointId: {
    column: 'endpoint_id',
    type: id<WebhookEndpointId>(),
    sample: 'whe_01kahn41dke3jtmrb2w3zj6t0y',
    as: 'webhookEndpointId',
    response: IdOf<WebhookEndpointId>({ description: 'Identifier of the endpoint.' }),
  },
  workspaceId: {
    column: 'workspace_id',
    type: id<WorkspaceId>(),
    sample: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
    response: IdOf<WorkspaceId>({ description: 'Its workspace.' }),
  },
  url: {
    column: 'url',
    type: text('operator'),
    sample: 'https://app.example.com/hooks/linchpin',
    response: Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: 'Where events are posted: https, without user name, password and fragment.',
    }),
  },
  description: {
    column: 'description',
    type: text('operator'),
    sample: 'Tells customers to reconnect',
    response: Type.String({ maxLength: 500, description: 'What the endpoint is for.' }),
  },
  /** Types such as `account.created` and prefixes such as `account.*`; null for all. */
  types: {
    column: 'types',
    type: listOrAll<string>(),
    sample: ['account.*'],
    response: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 50,
      uniqueItems: true,
      description: 'Types such as account.created and prefixes such as account.*. Empty: all.',
    }),
  },
  /** The definitions whose events are delivered; null for all. */
  definitionIds: {
    column: 'integration_definition_ids',
    type: listOrAll<DefinitionId>(),
    as: 'integrationDefinitionIds',
    response: Type.Array(
      IdOf<DefinitionId>({ minLength: 1, maxLength: 64, description: 'ID of a definition.' }),
      {
        maxItems: 100,
        uniqueItems: true,
        description: 'Only events of these definitions and of their accounts. Empty: all events.',
      },
    ),
  },
  payload: {
    column: 'payload',
    type: text<Payload>('none'),
    sample: 'full',
    response: OneOf(
      PAYLOADS,
      'full: events as the API returns them. thin: `data` has only ids, `previous` and `reason`.',
    ),
  },
  version: {
    column: 'version',
    type: integer(),
    sample: 1,
    response: Type.Integer({
      minimum: 1,
      maximum: 1,
      description: 'The version of the events that the endpoint receives.',
    }),
  },
  ordering: {
    column: 'ordering',
    type: text<Ordering>('none'),
    sample: 'account',
    response: OneOf(
      ORDERINGS,
      'account: the events of one resource one after the other. none: as soon as possible.',
    ),
  },
  signature: {
    column: 'signature',
    type: text<Signature>('none'),
    sample: 'v1',
    response: OneOf(
      SIGNATURES,
      'The scheme of Standard Webhooks: v1 (HMAC-SHA256), v1a (Ed25519) or both.',
    ),
  },
  maxInFlight: {
    column: 'max_in_flight',
    type: integer(),
    sample: 8,
    response: Type.Integer({
      minimum: 1,
      maximum: 64,
      description: 'Maximum number of concurrent requests.',
    }),
  },
  /** The names of its sealed headers. */
  headerNames: {
    column: 'header_names',
    type: json<readonly string[]>('operator', []),
    response: Type.Array(Type.String(), {
      description: 'The names of the headers that were set. Their values are never returned.',
    }),
  },
  state: {
    column: 'state',
    type: text<EndpointState>('none'),
    sample: 'active',
    response: OneOf(
      ENDPOINT_STATES,
      'active; failing: nothing is sent but probes; paused: by you; disabled: after days of failures.',
    ),
  },
  stateReason: {
    column: 'state_reason',
    type: nullable(text('none')),
    response: Nullable(Type.String({ description: 'Why it is failing or disabled.' })),
  },
  failingSince: {
    column: 'failing_since',
    type: nullable(time()),
    response: Nullable(Timestamp('When its failures began; null after a success.')),
  },
  lastSuccessAt: {
    column: 'last_success_at',
    type: nullable(time()),
    sample: SAMPLE_TIME + 24 * 3_600_000,
    response: Nullable(Timestamp('When it last accepted an event.')),
  },
  /** Number of deliveries that are pending or held; of a read endpoint also those that wait for a replay. */
  pending: {
    column: 'pending',
    type: integer(),
    response: Type.Integer({ description: 'Number of events on their way to it.' }),
  },
  publicKeys: {
    column: 'public_keys',
    type: json<readonly string[]>('none', []),
    sample: ['whpk_zHE9WxZxX9sQVmbYIoBAkTn4RLpdFMZpsNMxPlYYAmM='],
    response: Type.Array(Type.String(), {
      description: 'The keys that verify v1a signatures (`whpk_…`), the newest first.',
    }),
  },
  createdAt: {
    column: 'created_at',
    type: time(),
    sample: SAMPLE_TIME,
    response: Timestamp('When it was created.'),
  },
  updatedAt: {
    column: 'updated_at',
    type: time(),
    sample: SAMPLE_TIME,
    response: Timestamp('When its settings last changed.'),
  },
  /** The signing secrets, the newest first, with the times at which the others expire; see `openSigningSecrets`. */
  sealedSecrets: { column: 'sealed_secrets', type: bytes('sealed') },
  /** The request headers of the owner; null for none. See `openEndpointHeaders`. */
  sealedHeaders: { column: 'sealed_headers', type: nullable(bytes('sealed')) },
  failuresInRow: { column: 'failures_in_row', type: integer(), initial: 0 },
  /** Probes since the endpoint is failing, which determine the interval of the next. */
  probes: { column: 'probes', type: integer(), initial: 0 },
  /** When the next probe is due. */
  retryAt: { column: 'retry_at', type: nullable(time()), initial: null },
  /** The last event of which this endpoint has a delivery or that it does not subscribe to. */
  lastSequence: { column: 'last_sequence', type: integer(), initial: 0 },
  /** Number of deliveries that wait for a replay: they become pending behind live events. */
  queued: { column: 'queued', type: integer(), initial: 0 },
  /** When the dispatcher has to look at the endpoint; null: there is nothing to send. */
  dueAt: { column: 'due_at', type: nullable(time()), initial: null },
  leaseOwner: { column: 'lease_owner', type: nullable(text('none')), initial: null },
  leaseUntil: { column: 'lease_until', type: nullable(time()), initial: null },
  deletedAt: { column: 'deleted_at', type: nullable(time()), initial: null },
} as const

export const WEBHOOK_ENDPOINT = defineResource(fields)

/** A URL of a workspace that receives its events. Times are epoch milliseconds. */
export type WebhookEndpoint = ValuesOf<typeof fields>

export type WebhookEndpointRow = RowOf<typeof fields>

declare module '../../platform/storage/tables.ts' {
  interface Tables {
    webhook_endpoints: WebhookEndpointRow
  }
}

/** What the owner of an endpoint determines. */
export type EndpointSettings = Pick<
  WebhookEndpoint,
  | 'url'
  | 'description'
  | 'types'
  | 'definitionIds'
  | 'payload'
  | 'version'
  | 'ordering'
  | 'signature'
  | 'maxInFlight'
  | 'sealedHeaders'
  | 'headerNames'
>
