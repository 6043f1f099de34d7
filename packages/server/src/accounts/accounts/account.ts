import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { ScopeGrant, ScopeSource } from '../../integrations/oauth/spec/scopes.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import {
  IdOf,
  Nullable,
  OpenObject,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { Change } from '../../platform/record/change.ts'
import type { EventType } from '../../platform/record/event-types.ts'
import {
  bytes,
  defineResource,
  id,
  integer,
  json,
  type NewValuesOf,
  nullable,
  type RowOf,
  text,
  time,
  type ValuesOf,
} from '../../platform/storage/define-resource.ts'
import type { Id } from '../../platform/storage/id.ts'
import { STORED_HEALTH, type StoredHealth } from './account-health.ts'

export type AccountId = Id<'acc'>

/** Whether an account can be used and, if not, who has to act. */
export const ACCOUNT_STATUSES = ['active', 'pending', 'needs_reauth', 'error'] as const
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

/** The status in responses: `deleted` for a deleted account, whatever its stored status. */
export const REPORTED_STATUSES = [...ACCOUNT_STATUSES, 'deleted'] as const
/** The values of `statusReason` that Linchpin gives; others are error codes of providers. */
export const STATUS_REASONS = [
  ...(['no_refresh_token', 'invalid_grant', 'token_expired', 'credentials_rejected'] as const),
  ...(['reply_lost', 'invalid_client', 'oauth_app_missing', 'auth_type_missing'] as const),
  ...(['invalid_config', 'oauth_app_secret_required', 'authorization_server_changed'] as const),
] as const
export type ReportedStatus = (typeof REPORTED_STATUSES)[number]

/** The `statusReason` of an imported account until its credentials have worked once. */
export const UNCHECKED = 'unchecked'

/**
 * The version of the text in `response_json`. Increase it whenever the response of an account changes: other versions of the
 * text are ignored, and the account is serialized when it is read. A new field with a `response` also belongs into the trigger
 * `accounts_clear_response`.
 */
export const RESPONSE_SCHEMA = 4

const SAMPLE_TIME = Date.parse('2026-11-21T10:00:00.000Z')

/** `tags` in responses. */
export const TagsResponse = Type.Record(Type.String(), Type.String(), {
  description: 'The tags: values by key.',
})

const FactText = (description: string) => Type.String({ description })
const factItem = {
  value: FactText('The value, as the provider has it.'),
  label: Nullable(FactText('Its display name; null if it has none.')),
}

/** What a connection has to know, such as its site: from the provider, never from a person. */
export const AccountFact = Type.Object(
  {
    ...factItem,
    all: Type.Optional(
      Type.Array(Type.Object(factItem, { description: 'A value.' }), {
        description: 'All values, if the integration has all of them; `value` is the first.',
      }),
    ),
  },
  { description: 'A fact of the connection.' },
)
export type AccountFact = Static<typeof AccountFact>
/** The facts of an account, by the names that its integration gives them. */
export type AccountFacts = Readonly<Record<string, AccountFact>>

/** What responses show of an account, in their order: no credentials. */
const publicFields = {
  accountId: {
    column: 'account_id',
    type: id<AccountId>(),
    sample: 'acc_01kahn41dke3jtmrb2w3zj6t0y',
    as: 'integrationAccountId',
    response: IdOf<AccountId>({ description: 'Identifier of the account.' }),
  },
  definitionId: {
    column: 'definition_id',
    type: id<DefinitionId>(),
    sample: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
    as: 'integrationDefinitionId',
    response: IdOf<DefinitionId>({ description: 'Identifier of its definition.' }),
  },
  /** Null once deleted. */
  publicConfig: {
    column: 'public_config',
    type: nullable(json<Readonly<Record<string, unknown>>>('scrubbed', {})),
    sample: { base_url: 'https://desk.example.com' },
    as: 'integrationConfiguration',
    response: Nullable(
      OpenObject({
        description:
          'The public fields of the configuration, never a secret. Null in links and after deletion.',
      }),
    ),
  },
  authType: {
    column: 'auth_type',
    type: text('none'),
    sample: 'Api Key',
    response: Type.String({
      description: 'Authentication type: a key of `auth_specification` in the spec.',
    }),
  },
  workspaceId: {
    column: 'workspace_id',
    type: id<WorkspaceId>(),
    sample: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
    response: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
  },
  name: {
    column: 'name',
    type: text('scrubbed'),
    sample: 'Support desk',
    as: 'integrationAccountName',
    response: Type.String({ description: 'Display name.' }),
  },
  deletedAt: {
    column: 'deleted_at',
    type: nullable(time()),
    as: 'deleted',
    response: Nullable(Timestamp('Time of deletion; null if not deleted.')),
  },
  createdAt: {
    column: 'created_at',
    type: time(),
    sample: SAMPLE_TIME,
    response: Timestamp('Creation time.'),
  },
  updatedAt: {
    column: 'updated_at',
    type: time(),
    sample: SAMPLE_TIME,
    response: Timestamp('Time of last update.'),
  },
  linkId: {
    column: 'link_id',
    type: nullable(id<Id<'lnk'>>()),
    response: Nullable(
      Type.String({ description: 'The link through which the account was created; null if none.' }),
    ),
  },
  accountIdentifier: {
    column: 'account_identifier',
    type: nullable(text('scrubbed')),
    response: Nullable(Type.String({ description: 'Groups accounts, for example by user.' })),
  },
  tags: {
    column: 'tags',
    type: { ...json<Tags>('scrubbed', {}), write: stringifyTags },
    sample: { plan: 'pro' },
    response: TagsResponse,
  },
  status: {
    column: 'status',
    type: text<AccountStatus>('none'),
    sample: 'active',
    response: Type.Unsafe<ReportedStatus>({
      type: 'string',
      enum: [...REPORTED_STATUSES],
      description:
        'Whether the account can be used: active, pending, needs_reauth, error or deleted.',
    }),
  },
  /** Such as `invalid_grant`; null while active. */
  statusReason: {
    column: 'status_reason',
    type: nullable(text('none')),
    response: Nullable(
      Type.String({
        'x-known-values': STATUS_REASONS,
        description:
          'A stable code that says why the account is not active. `no_refresh_token` on an active account: it works until its access token expires. `unchecked` on an active account: it was imported, and its credentials have not worked yet. Otherwise null.',
      }),
    ),
  },
  facts: {
    column: 'facts',
    type: json<AccountFacts>('scrubbed', {}),
    sample: { cloud_id: { value: '1324a887', label: 'Acme' } },
    response: Type.Record(Type.String(), AccountFact, {
      description:
        'What the provider said about the connection after it was made, such as its site, by name: its value is known to URLs and headers of the integration. Empty for most integrations, and after deletion.',
    }),
  },
  /** When the status changed; null if it never has since the creation. */
  statusSince: { column: 'status_since', type: nullable(time()) },
  /** The provider's id of the user who connected. */
  identityId: { column: 'identity_id', type: nullable(text('scrubbed')) },
  /** The provider's name of the user who connected; null if unknown, and once deleted. */
  identityLabel: { column: 'identity_label', type: nullable(text('scrubbed')) },
} as const

export const PUBLIC_ACCOUNT = defineResource(publicFields)
const { publicConfig, tags, statusSince, identityLabel, ...namedFields } = publicFields

/** What responses make of several fields. */
const COMBINED_SCHEMAS = {
  statusSince: Timestamp('When the account got its present status.'),
  identity: Nullable(
    StrictObject(
      {
        id: Nullable(
          Type.String({ description: "The provider's id of the user; null if unknown." }),
        ),
        label: Nullable(
          Type.String({
            description:
              "The provider's name of the user, such as an e-mail address; null if unknown.",
          }),
        ),
      },
      {
        description:
          'The user who connected, as the provider names them. Null if unknown, and after deletion.',
      },
    ),
  ),
}

/** An account in responses, as the OpenAPI document shows it. */
export const ACCOUNT_EXAMPLE = {
  ...PUBLIC_ACCOUNT.example,
  statusSince: toTimestamp(SAMPLE_TIME),
  identity: { id: '5b10a2844c20165700ede21g', label: 'ada@example.com' },
}

/** What responses show of an erased account. */
export const ERASED_RESPONSE = { ...PUBLIC_ACCOUNT.erasedResponse, identity: null }

const credentialFields = {
  /** The whole configuration, encrypted; null once deleted. */
  sealedConfig: {
    column: 'sealed_config',
    type: nullable(bytes('sealed')),
    sample: new Uint8Array([1, 0, 2]),
  },
  /** Counts changes of the credentials, for fencing. */
  credentialVersion: { column: 'credential_version', type: integer(), sample: 1 },
  /** The OAuth app that the account was connected with; null for other auth types. */
  oauthAppId: { column: 'oauth_app_id', type: nullable(id<OAuthAppId>()) },
  /** A deletion is revoking the tokens until then; other deletions treat the account as deleted. */
  revokingUntil: { column: 'revoking_until', type: nullable(time()) },
  /** SHA-256 of the one-time token that confirms a pending account. */
  confirmHash: { column: 'confirm_hash', type: nullable(bytes('hash')) },
  confirmUntil: { column: 'confirm_until', type: nullable(time()) },
} as const

const agentFields = {
  /** How far its customer restricts what agents do with it; null: not. */
  agentAccess: { column: 'agent_access', type: nullable(text<'read_only' | 'paused'>('none')) },
} as const

/** Without the public fields of the configuration and the tags, which only responses need. */
export const ACCOUNT = defineResource({ ...namedFields, ...credentialFields, ...agentFields })

const storedFields = {
  ...publicFields,
  ...credentialFields,
  ...agentFields,
  /** What versions before `account_health` wrote; only its background job reads these two. */
  formerOkAt: { column: 'last_ok_at', type: nullable(time()), initial: null },
  formerCheckedAt: { column: 'checked_at', type: nullable(time()), initial: null },
  /** When a request to the provider last failed, a refresh or a check; null if none has, and once deleted. */
  lastErrorAt: { column: 'last_error_at', type: nullable(time()) },
  /** One of `ACCOUNT_ERRORS`; null with `lastErrorAt`. */
  lastErrorCode: { column: 'last_error_code', type: nullable(text('none')) },
  /** In steps of 15 minutes; null if the credentials were never used. */
  lastUsedAt: { column: 'last_used_at', type: nullable(time()), initial: null },
  /** The version of `response_json`. */
  responseSchema: { column: 'response_schema', type: nullable(integer()), initial: null },
  /** The response of the account. */
  responseJson: { column: 'response_json', type: nullable(text('scrubbed')), initial: null },
  /** What lists search in; null if deleted, or if an older version wrote the account. */
  searchText: { column: 'search_text', type: nullable(text('scrubbed')), initial: null },
} as const

export const STORED_ACCOUNT = defineResource(storedFields)
export type AccountRow = RowOf<typeof storedFields>

/** The state of token refresh, which has a table of its own: decision 037. An account without a row has none. */
const tokenStateFields = {
  /** When the access token expires; null if unknown or absent. */
  tokenExpiresAt: { column: 'token_expires_at', type: nullable(time()) },
  /** Lifetime of the last access token with a known expiry, in milliseconds; null if there was none. */
  tokenTtlMs: { column: 'token_ttl_ms', type: nullable(integer()) },
  /** Encrypted cache of headers with a token that the bundle obtained itself, for all nodes; null if absent. */
  sealedHeaders: {
    column: 'sealed_headers',
    type: nullable(bytes('sealed')),
    sample: new Uint8Array([1, 0, 5]),
  },
  /** When to refresh in the background; null for never. */
  refreshAt: { column: 'refresh_at', type: nullable(time()) },
  /** Failed attempts since the last success. */
  refreshFailures: { column: 'refresh_failures', type: integer() },
  /** When a refresh token was sent whose response is not stored yet: the response may be lost. */
  refreshSentAt: { column: 'refresh_sent_at', type: nullable(time()) },
  /** The holder of the refresh lease. */
  leaseOwner: { column: 'lease_owner', type: nullable(id<string>()) },
  leaseUntil: { column: 'lease_until', type: nullable(time()) },
  /** Host and port of the token endpoint at the last refresh; null until the first. */
  tokenHost: {
    column: 'token_host',
    type: nullable(text('deleted')),
    sample: 'login.example.com:443',
  },
  /** What the tokens were requested for (RFC 8707): they are sent to its origin only. Null if the spec has the endpoints. */
  resource: {
    column: 'resource',
    type: nullable(text('deleted')),
    sample: 'https://mcp.example.com/mcp',
  },
  /** When that server last said who issues its tokens. */
  discoveredAt: { column: 'discovered_at', type: nullable(time()) },
} as const

export const TOKEN_STATE = defineResource(tokenStateFields)
export type TokenState = ValuesOf<typeof tokenStateFields>
/** The columns of the state. */
export type TokenStateColumns = RowOf<typeof tokenStateFields>

const storedTokenFields = {
  ...tokenStateFields,
  /** The scopes of the authorization request; null without one, or if an earlier version sent it. */
  requestedScopes: { column: 'requested_scopes', type: nullable(json<string[]>('none', [])) },
  /** The scopes that were granted: a requested one as it was requested. Null if unknown. */
  grantedScopes: { column: 'granted_scopes', type: nullable(json<string[]>('none', [])) },
  /** What `grantedScopes` is known from; null until `fillScopes` has read what an earlier version stored. */
  scopeSource: { column: 'scope_source', type: nullable(text<ScopeSource>('none')) },
  /** When the scopes were stored. A trigger removes the source of what an earlier version stores, which does not change it. */
  scopesAt: { column: 'scopes_at', type: nullable(time()) },
  /** When the tokens were last refreshed; null if they never were. */
  refreshedAt: { column: 'refreshed_at', type: nullable(time()) },
} as const

/** The state, and what only the health of an account shows. */
export const STORED_TOKEN_STATE = defineResource(storedTokenFields)
type StoredTokenState = ValuesOf<typeof storedTokenFields>
/** All columns of `account_tokens` but its keys. */
export type StoredTokenColumns = RowOf<typeof storedTokenFields>

/** The state of token refresh of an account, if it has any. */
export interface AccountTokenRow extends StoredTokenColumns {
  workspace_id: WorkspaceId
  account_id: AccountId
}

declare module '../../platform/storage/tables.ts' {
  interface Tables {
    accounts: AccountRow
    account_tokens: AccountTokenRow
  }
}

/** What responses show of an account: no credentials. Times are epoch milliseconds. */
export type PublicAccount = ValuesOf<typeof publicFields>

/**
 * A connected account with its encrypted credentials and the state of their refresh. Without the public fields of its
 * configuration and its tags, which only responses need.
 */
export type Account = ValuesOf<typeof namedFields & typeof credentialFields & typeof agentFields> &
  TokenState

/** All that is stored of an account. */
export type NewAccount = ValuesOf<typeof storedFields> & StoredTokenState & StoredHealth

/** New values of some members of an account. */
export type AccountUpdate = Partial<NewAccount>

/** An account with these members. Those that can be null may be absent. */
export function toNewAccount(members: NewValuesOf<NewAccount>): NewAccount {
  return {
    ...STORED_ACCOUNT.create(members),
    ...STORED_TOKEN_STATE.create(members),
    ...STORED_HEALTH.create(members),
  }
}

/** Tags of an account: values by key. */
export type Tags = Readonly<Record<string, string>>

/** `tags` in requests. */
export const TagsInput = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 20,
  patternProperties: { '^[A-Za-z0-9_.-]{1,64}$': { type: 'string', maxLength: 255 } },
  additionalProperties: false,
  description:
    'At most 20 tags: values of at most 255 characters, by keys of 1 to 64 letters, digits, `_`, `.` and `-`.',
})

/** The stored form: JSON, ordered by key. */
export function stringifyTags(tags: Tags): string {
  const entries = Object.entries(tags)
  // Most accounts have none.
  return entries.length === 0
    ? '{}'
    : JSON.stringify(Object.fromEntries(entries.toSorted(compareKeys)))
}

function compareKeys([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : 1
}

/** A connected account (interface: IntegrationAccount), with `accountIdentifier` and `tags`. */
export const IntegrationAccount = StrictObject(
  { ...PUBLIC_ACCOUNT.schemas, ...COMBINED_SCHEMAS },
  {
    $id: 'IntegrationAccount',
    description: 'A verified connection of one definition in one workspace.',
    examples: [ACCOUNT_EXAMPLE],
  },
)
export type IntegrationAccount = Static<typeof IntegrationAccount>

/** The response of Delete integration account: the tombstone and the outcome of revocation. */
export const DeletedAccount = StrictObject(
  {
    ...IntegrationAccount.properties,
    revocation: Nullable(
      Type.String({
        'x-known-values': ['revoked', 'failed', 'unsupported', 'shared'],
        description:
          'The outcome of revoking the tokens at the provider: revoked, failed, unsupported, or shared (another live account may use the same grant; deleting that account revokes it). Null if there was nothing to revoke and on repeated calls.',
      }),
    ),
  },
  {
    $id: 'DeletedAccount',
    description: 'The tombstone of a deleted account.',
    examples: [
      {
        ...ACCOUNT_EXAMPLE,
        integrationConfiguration: null,
        authType: 'OAuth2',
        deleted: '2026-11-21T11:00:00.000Z',
        updatedAt: '2026-11-21T11:00:00.000Z',
        tags: {},
        status: 'deleted',
        statusSince: '2026-11-21T11:00:00.000Z',
        identity: null,
        revocation: 'revoked',
      },
    ],
  },
)
export type DeletedAccount = Static<typeof DeletedAccount>

/** Serializes an account. A tombstone has no configuration. */
export function serializeAccount(account: PublicAccount): IntegrationAccount {
  const {
    deletedAt,
    statusSince: changedAt,
    createdAt,
    identityId: id,
    identityLabel: label,
  } = account
  const response = {
    ...PUBLIC_ACCOUNT.serialize(account),
    statusSince: toTimestamp(deletedAt ?? changedAt ?? createdAt),
    identity: id === null && label === null ? null : { id, label },
  }
  return deletedAt === null
    ? response
    : { ...response, status: 'deleted', statusReason: null, identity: null }
}

/** The response of an account as JSON: the fields that the response schema lists, and no others. */
export function stringifyAccount(account: PublicAccount): string {
  return stringify(serializeAccount(account))
}

const stringify = createSerializer(IntegrationAccount)

/** The columns that are derived from an account: its response, the version of that, and what lists search in. */
export function toResponseColumns(account: PublicAccount) {
  return {
    response_json: stringifyAccount(account),
    response_schema: RESPONSE_SCHEMA,
    search_text: account.deletedAt === null ? toSearchText(account) : null,
  }
}

/** Name, identifier and user in lower case. A line break, which a search cannot have, separates them. */
function toSearchText({
  name,
  accountIdentifier,
  identityLabel,
}: Pick<PublicAccount, 'name' | 'accountIdentifier' | 'identityLabel'>): string {
  return [name, accountIdentifier ?? '', ...(identityLabel === null ? [] : [identityLabel])]
    .join('\n')
    .toLowerCase()
}

/** The stored response of an account; undefined without one of this version. */
export function readResponse(stored: {
  readonly response_json: string | null
  readonly response_schema: number | null
}): string | undefined {
  return stored.response_schema === RESPONSE_SCHEMA
    ? (stored.response_json ?? undefined)
    : undefined
}

/**
 * What `record` needs to know of an account that changed: the entry of its history and, with a `type`, the event, which
 * has the account without its configuration and `data`.
 */
export function describeAccountChange(
  account: IntegrationAccount,
  type?: EventType,
  data?: Readonly<Record<string, unknown>>,
): Pick<Change, 'workspaceId' | 'subject' | 'account' | 'event'> {
  const { integrationAccountId: subject, workspaceId } = account
  const { accountIdentifier = null, status = '', statusReason = null } = account
  const snapshot = { ...account, integrationConfiguration: null }
  return {
    workspaceId,
    subject,
    account: { accountId: subject, status, statusReason },
    event: type && { type, subject, accountIdentifier, data: { account: snapshot, ...data } },
  }
}

/** The state of credentials against which nothing speaks. */
export const NEVER_REJECTED = {
  failures: 0,
  rejections: 0,
  rejectedAt: null,
  isHeld: false,
} as const satisfies Partial<StoredHealth>

/** What changes when the provider accepts credentials at a time, in epoch milliseconds. */
export function okAt(now: number) {
  return { ...NEVER_REJECTED, lastOkAt: now }
}

/** What changes when CHECK accepts them. */
export function acceptedAt(now: number) {
  return { ...okAt(now), checkedAt: now, checkAt: null }
}

/** The fields of an account that store a grant; without one, a background job reads it from the configuration. */
export function toGrantColumns(grant: ScopeGrant | undefined, now: number) {
  return {
    requestedScopes: grant?.requested == null ? null : [...grant.requested],
    grantedScopes: grant?.granted == null ? null : [...grant.granted],
    scopeSource: grant?.source ?? null,
    scopesAt: now,
  } satisfies AccountUpdate
}

/** The state of an account whose credentials Linchpin does not refresh. */
export const NON_REFRESHABLE_DEFAULTS = {
  ...NEVER_REJECTED,
  status: 'active',
  statusReason: null,
  oauthAppId: null,
  tokenExpiresAt: null,
  tokenTtlMs: null,
  sealedHeaders: null,
  refreshAt: null,
  refreshFailures: 0,
  leaseOwner: null,
  leaseUntil: null,
  refreshSentAt: null,
  tokenHost: null,
  resource: null,
  discoveredAt: null,
  requestedScopes: null,
  grantedScopes: null,
  scopeSource: null,
  scopesAt: null,
  refreshedAt: null,
  revokingUntil: null,
  identityId: null,
  identityLabel: null,
  facts: {},
  confirmHash: null,
  confirmUntil: null,
} as const satisfies AccountUpdate
