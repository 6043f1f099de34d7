import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { ACCOUNT_ERRORS, type AccountErrorCode } from '../../activity/requests/account-errors.ts'
import {
  listMissingScopes,
  SCOPE_SOURCES,
  type ScopeSource,
} from '../../integrations/oauth/spec/scopes.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import { notFound } from '../../platform/errors.ts'
import {
  IdOf,
  KnownText,
  listOf,
  Nullable,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { AccountId } from './account.ts'
import { describeChecks } from './account-health.ts'
import { findHealthRow, type HealthRow } from './account-row-store.ts'
import { listNeededScopes, toGrant } from './account-scopes-store.ts'
import { AccountParams } from './schemas.ts'

const scopes = (description: string) => Type.Array(Type.String(), { description })

const NEEDED_EXAMPLE = {
  scope: 'write:jira',
  since: '2026-11-22T09:00:00.000Z',
  count: 3,
  operation: 'POST /rest/api/3/issue',
}

const NeededScope = StrictObject(
  {
    scope: Type.String({ description: 'The scope.' }),
    since: Timestamp('When a request first needed it.'),
    count: Type.Integer({ description: 'How many requests did.' }),
    operation: Nullable(
      Type.String({
        description:
          'The last of them: its method, and its path with `•` for what may be an id; null if unknown.',
      }),
    ),
  },
  {
    $id: 'NeededScope',
    description: 'A scope that requests needed.',
    examples: [NEEDED_EXAMPLE],
  },
)

const Permissions = StrictObject(
  {
    requested: Nullable(scopes('The scopes of the authorization request; null if unknown.')),
    granted: Nullable(
      scopes(
        'The scopes that the customer granted: a requested one as it was requested, whatever the provider calls it. Null if unknown.',
      ),
    ),
    missing: scopes('Requested scopes that were not granted.'),
    needed: listOf(
      NeededScope,
      'Scopes for whose lack the provider refused requests, those needed longest first.',
    ),
    source: KnownText<ScopeSource>(
      SCOPE_SOURCES,
      'Where `granted` comes from: `reported` by the provider; `assumed` to be what was requested, as the provider reports nothing; `unknown` for an account that an earlier version has connected.',
    ),
  },
  { description: 'What the customer allowed; null for an account without a sign-in.' },
)

const TokenHealth = StrictObject(
  {
    expiresAt: Nullable(Timestamp('When the access token expires; null if unknown.')),
    refreshedAt: Nullable(Timestamp('When the tokens were last refreshed; null: never.')),
    nextRefreshAt: Nullable(Timestamp('When they will be refreshed; null: not without a use.')),
    failures: Type.Integer({ description: 'Refreshes that have failed since the last success.' }),
  },
  { description: 'The times of its token; null for an account without a sign-in.' },
)

/**
 * What is known of the health of an account. No credentials are decrypted for it. What changes with each use is here and not in the
 * account, whose response is stored as JSON and sent with its events: an outage would write and publish every account anew.
 */
export const AccountHealth = StrictObject(
  {
    integrationAccountId: IdOf<AccountId>({ description: 'Identifier of the account.' }),
    statusSince: Timestamp('When the account got its present status.'),
    lastUsedAt: Nullable(
      Timestamp('Time of the last use, with a resolution of 15 minutes; null: never used.'),
    ),
    lastOkAt: Nullable(
      Timestamp(
        'When the provider last accepted the credentials; uses with a resolution of 15 minutes. Null if unknown.',
      ),
    ),
    checkedAt: Nullable(
      Timestamp('When a check last said whether the credentials work; null if unknown.'),
    ),
    nextCheckAt: Nullable(
      Timestamp(
        'When Linchpin looks at the account next. It checks the credentials then, unless a use or a refresh has proven them since, or checks are off. Null: not yet decided, or the account cannot be used.',
      ),
    ),
    rejections: Type.Integer({
      description:
        'How often the provider has rejected the credentials since it last accepted them. Of a check, the second rejection counts.',
    }),
    isHeld: Type.Boolean({
      description:
        'Whether the provider rejected the credentials while it rejected those of many accounts: the status is decided when it accepts some again.',
    }),
    lastErrorAt: Nullable(
      Timestamp(
        'When a request to the provider, a refresh or a check last failed; the same error with a resolution of a minute. Null: never. A later `lastOkAt` means that it works again.',
      ),
    ),
    lastErrorCode: Nullable(
      KnownText<AccountErrorCode>(ACCOUNT_ERRORS, 'Why it failed; null with `lastErrorAt`.'),
    ),
    version: Type.String({ description: 'The version of the tool that the account uses.' }),
    debugWindow: Nullable(
      StrictObject(
        {
          until: Timestamp('When it ends.'),
          exchanges: Type.Integer({ description: 'How many exchanges it has recorded, of 200.' }),
        },
        { description: 'The debug window that is open; null: none.' },
      ),
    ),
    permissions: Nullable(Permissions),
    token: Nullable(TokenHealth),
    integrationOAuthAppId: Nullable(
      IdOf<OAuthAppId>({ description: 'The OAuth app that refreshes the tokens; null if none.' }),
    ),
  },
  {
    $id: 'AccountHealth',
    description: 'What is known of the credentials of an account.',
    examples: [
      {
        integrationAccountId: 'acc_01kahn41dke3jtmrb2w3zj6t0y',
        statusSince: '2026-11-21T10:00:00.000Z',
        lastUsedAt: '2026-11-22T10:00:00.000Z',
        lastOkAt: '2026-11-22T10:00:00.000Z',
        checkedAt: '2026-11-21T10:00:00.000Z',
        nextCheckAt: '2026-11-23T12:00:00.000Z',
        rejections: 0,
        isHeld: false,
        lastErrorAt: '2026-11-20T14:02:00.000Z',
        lastErrorCode: 'provider_unauthorized',
        version: '1.4.0',
        debugWindow: null,
        permissions: {
          requested: ['read:jira', 'write:jira'],
          granted: ['read:jira'],
          missing: ['write:jira'],
          needed: [NEEDED_EXAMPLE],
          source: 'reported',
        },
        token: {
          expiresAt: '2026-11-22T11:00:00.000Z',
          refreshedAt: '2026-11-22T10:00:00.000Z',
          nextRefreshAt: '2026-11-22T10:45:00.000Z',
          failures: 0,
        },
        integrationOAuthAppId: 'oap_01kahn41dke3jtmrb2w3zj6t0y',
      },
    ],
  },
)
export type AccountHealth = Static<typeof AccountHealth>

export interface GetAccountHealthDeps {
  readonly database: Pick<Database, 'read'>
  readonly now: () => number
}

export const getAccountHealthOperation = defineOperation({
  id: 'getAccountHealth',
  sdk: 'accounts.getHealth',
  method: 'GET',
  path: '/v1/integration_account/:integrationAccountId/health',
  tag: 'Integration accounts',
  summary: 'Get the health of an integration account',
  description:
    'When its credentials were last used, accepted and checked, the last error, what the provider permits, and the times of its tokens.',
  scope: 'read',
  params: AccountParams,
  response: AccountHealth,
  returns: 'What is known of its credentials.',
  errors: ['integration_account_not_found'],
  handle: (deps: GetAccountHealthDeps, caller, { params }) =>
    getAccountHealth(deps, caller, params.integrationAccountId),
})

/** The health of an account, or of its tombstone (interface: Get account health). @throws ApiError `integration_account_not_found` */
export async function getAccountHealth(
  { database, now }: GetAccountHealthDeps,
  caller: Caller,
  accountId: AccountId,
): Promise<AccountHealth> {
  const row = isId('acc', accountId) ? await findHealthRow(database, caller, accountId) : undefined
  if (row === undefined) throw notFound('integration_account')
  const hasTokens = row.oauth_app_id !== null && row.deleted_at === null
  const isHeld = row.is_held === 1
  return {
    integrationAccountId: row.account_id,
    statusSince: toTimestamp(row.deleted_at ?? row.status_since ?? row.created_at),
    lastUsedAt: showTime(row.last_used_at),
    lastOkAt: showTime(row.last_ok_at),
    checkedAt: showTime(row.checked_at),
    ...describeChecks(row.deleted_at === null ? row.status : 'deleted', {
      checkAt: row.check_at,
      rejections: row.rejections ?? 0,
      isHeld,
    }),
    isHeld,
    lastErrorAt: showTime(row.last_error_at),
    lastErrorCode: row.last_error_code as AccountErrorCode | null,
    version: row.version,
    debugWindow: describeDebugWindow(row, now()),
    permissions: hasTokens ? await describePermissions(database, row) : null,
    token: hasTokens
      ? {
          expiresAt: showTime(row.token_expires_at),
          refreshedAt: showTime(row.refreshed_at),
          nextRefreshAt: showTime(row.refresh_at),
          failures: row.refresh_failures ?? 0,
        }
      : null,
    integrationOAuthAppId: row.oauth_app_id,
  }
}

function describeDebugWindow(
  { debug_until, debug_exchanges }: HealthRow,
  now: number,
): AccountHealth['debugWindow'] {
  if (debug_until === null || Number(debug_until) <= now) return null
  return { until: toTimestamp(Number(debug_until)), exchanges: Number(debug_exchanges) }
}

function showTime(at: number | null): string | null {
  return at === null ? null : toTimestamp(at)
}

async function describePermissions(
  { read }: GetAccountHealthDeps['database'],
  row: HealthRow,
): Promise<NonNullable<AccountHealth['permissions']>> {
  const { requested, granted, source } = toGrant(row)
  const needed = await listNeededScopes(read, row)
  return {
    requested: requested && [...requested],
    granted: granted && [...granted],
    missing: listMissingScopes({ requested, granted }),
    needed: needed.map(({ since, ...rest }) => ({ ...rest, since: toTimestamp(since) })),
    source,
  }
}
