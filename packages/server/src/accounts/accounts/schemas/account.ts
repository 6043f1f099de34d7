import Type, { type Static } from 'typebox'
import { Nullable, StrictObject } from '../../../platform/http/schema.ts'
import { createSerializer } from '../../../platform/http/serializer.ts'
import type { Change } from '../../../platform/record/change.ts'
import type { EventType } from '../../../platform/record/event-types.ts'
import { PUBLIC_ACCOUNT, type PublicAccount, RESPONSE_SCHEMA } from '../account.ts'

/** A connected account (interface: IntegrationAccount), with `accountIdentifier` and `tags`. */
export const IntegrationAccount = StrictObject(PUBLIC_ACCOUNT.schemas, {
  $id: 'IntegrationAccount',
  description: 'A verified connection of one definition in one workspace.',
  examples: [PUBLIC_ACCOUNT.example],
})
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
        ...PUBLIC_ACCOUNT.example,
        integrationConfiguration: null,
        authType: 'OAuth2',
        deleted: '2026-11-21T11:00:00.000Z',
        updatedAt: '2026-11-21T11:00:00.000Z',
        tags: {},
        status: 'deleted',
        revocation: 'revoked',
      },
    ],
  },
)
export type DeletedAccount = Static<typeof DeletedAccount>

/** Serializes an account. A tombstone has no configuration. */
export function serializeAccount(account: PublicAccount): IntegrationAccount {
  const response = PUBLIC_ACCOUNT.serialize(account)
  return account.deletedAt === null
    ? response
    : { ...response, status: 'deleted', statusReason: null }
}

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
