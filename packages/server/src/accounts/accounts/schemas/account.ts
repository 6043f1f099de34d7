import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../../integrations/definitions/definition.ts'
import {
  IdOf,
  Nullable,
  OpenObject,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../../platform/http/schema.ts'
import { createSerializer } from '../../../platform/http/serializer.ts'
import type { Change } from '../../../platform/record/change.ts'
import type { EventType } from '../../../platform/record/event-types.ts'
import {
  type AccountId,
  type PublicAccount,
  REPORTED_STATUSES,
  type ReportedStatus,
  STATUS_REASONS,
} from '../account.ts'
import { TagsResponse } from '../account-tags.ts'

/** A connected account (interface: IntegrationAccount), with `accountIdentifier` and `tags`. */
export const IntegrationAccount = StrictObject(
  {
    integrationAccountId: IdOf<AccountId>({ description: 'Identifier of the account.' }),
    integrationDefinitionId: IdOf<DefinitionId>({ description: 'Identifier of its definition.' }),
    integrationConfiguration: Nullable(
      OpenObject({
        description:
          'The public fields of the configuration, never a secret. Null in links and after deletion.',
      }),
    ),
    authType: Type.String({
      description: 'Authentication type: a key of `auth_specification` in the spec.',
    }),
    workspaceId: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
    integrationAccountName: Type.String({ description: 'Display name.' }),
    deleted: Nullable(Timestamp('Time of deletion; null if not deleted.')),
    createdAt: Timestamp('Creation time.'),
    updatedAt: Timestamp('Time of last update.'),
    linkId: Nullable(
      Type.String({ description: 'The link through which the account was created; null if none.' }),
    ),
    accountIdentifier: Nullable(
      Type.String({ description: 'Groups accounts, for example by user.' }),
    ),
    tags: TagsResponse,
    status: Type.Unsafe<ReportedStatus>({
      type: 'string',
      enum: [...REPORTED_STATUSES],
      description:
        'Whether the account can be used: active, pending, needs_reauth, error or deleted.',
    }),
    statusReason: Nullable(
      Type.String({
        'x-known-values': STATUS_REASONS,
        description:
          'A stable code that says why the account is not active. `no_refresh_token` on an active account: it works until its access token expires. `unchecked` on an active account: it was imported, and its credentials have not worked yet. Otherwise null.',
      }),
    ),
  },
  {
    $id: 'IntegrationAccount',
    description: 'A verified connection of one definition in one workspace.',
    examples: [
      {
        integrationAccountId: 'acc_01kahn41dke3jtmrb2w3zj6t0y',
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        integrationConfiguration: { base_url: 'https://desk.example.com' },
        authType: 'Api Key',
        workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
        integrationAccountName: 'Support desk',
        deleted: null,
        createdAt: '2026-11-21T10:00:00.000Z',
        updatedAt: '2026-11-21T10:00:00.000Z',
        linkId: null,
        accountIdentifier: null,
        tags: { plan: 'pro' },
        status: 'active',
        statusReason: null,
      },
    ],
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
        integrationAccountId: 'acc_01kahn41dke3jtmrb2w3zj6t0y',
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        integrationConfiguration: null,
        authType: 'OAuth2',
        workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
        integrationAccountName: 'Support desk',
        deleted: '2026-11-21T11:00:00.000Z',
        createdAt: '2026-11-21T10:00:00.000Z',
        updatedAt: '2026-11-21T11:00:00.000Z',
        linkId: null,
        accountIdentifier: null,
        tags: {},
        status: 'deleted',
        statusReason: null,
        revocation: 'revoked',
      },
    ],
  },
)
export type DeletedAccount = Static<typeof DeletedAccount>

/** Serializes an account. A tombstone has no configuration. */
export function serializeAccount(account: PublicAccount): IntegrationAccount {
  const createdAt = toTimestamp(account.createdAt)
  const isDeleted = account.deletedAt !== null
  return {
    integrationAccountId: account.accountId,
    integrationDefinitionId: account.definitionId,
    integrationConfiguration: account.publicConfig,
    authType: account.authType,
    workspaceId: account.workspaceId,
    integrationAccountName: account.name,
    deleted: account.deletedAt === null ? null : toTimestamp(account.deletedAt),
    createdAt,
    updatedAt: account.updatedAt === account.createdAt ? createdAt : toTimestamp(account.updatedAt),
    linkId: account.linkId,
    accountIdentifier: account.accountIdentifier,
    tags: { ...account.tags },
    status: isDeleted ? 'deleted' : account.status,
    statusReason: isDeleted ? null : account.statusReason,
  }
}

/**
 * The version of the text in `response_json`. Increase it whenever the response of an account changes: other versions of the
 * text are ignored, and the account is serialized when it is read. A new public column also belongs into the trigger
 * `accounts_clear_response`.
 */
export const RESPONSE_SCHEMA = 2

/** The response of an account as JSON: the fields that the response schema lists, and no others. */
export function stringifyAccount(account: PublicAccount): string {
  return stringify(serializeAccount(account))
}

const stringify = createSerializer(IntegrationAccount)

/** The columns of the response of an account: its text, and the version of the text. */
export function toResponseColumns(account: PublicAccount) {
  return { response_json: stringifyAccount(account), response_schema: RESPONSE_SCHEMA }
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

/** Serializes an account inside a link: without its configuration, because link IDs are shared with customers. */
export function serializeLinkedAccount(account: PublicAccount): IntegrationAccount {
  return serializeAccount({ ...account, publicConfig: null })
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
