import Type from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { Category } from '../../integrations/definitions/category.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { ChosenScopes, type ScopesByDefinition } from '../../integrations/oauth/spec/scopes.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import { IdOf, listOf, Nullable, Timestamp } from '../../platform/http/schema.ts'
import {
  added,
  defineResource,
  flag,
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

export type LinkId = Id<'lnk'>

const SAMPLE_TIME = Date.parse('2026-11-21T10:00:00.000Z')

/** The fields of a link, in the order of responses. */
const fields = {
  linkId: {
    column: 'link_id',
    type: id<LinkId>(),
    sample: 'lnk_3f9k2m8q0w7e5r1t6y4z3x9c8v2b7n1m',
    response: Type.String({
      description: 'Identifier of the link. Anyone who knows it can add accounts.',
    }),
  },
  name: {
    column: 'name',
    type: text('operator'),
    sample: 'Onboarding',
    as: 'linkName',
    response: Type.String({ description: 'Name of the link.' }),
  },
  canExpire: {
    column: 'can_expire',
    type: flag(),
    sample: true,
    response: Type.Boolean({ description: 'Whether the link can expire.' }),
  },
  preferOAuth: {
    column: 'prefer_oauth',
    type: flag(),
    response: Type.Boolean({ description: 'Whether the link accepts only OAuth sign-in.' }),
  },
  expiresIn: {
    column: 'expires_in',
    type: integer(),
    sample: 86_400,
    response: Type.Number({ description: 'Lifetime in seconds; 0 if the link does not expire.' }),
  },
  /** Null if the link does not expire. */
  expiresAt: { column: 'expires_at', type: nullable(time()) },
  /** Empty for all. */
  categories: {
    column: 'category',
    type: json<readonly Category[]>('none', []),
    sample: [{ key: 'TICKETING', name: 'Ticketing' }],
    as: 'category',
    response: listOf(Category, 'Categories that the link supports.'),
  },
  definitionIds: {
    column: 'definition_ids',
    type: json<readonly DefinitionId[]>('none', []),
    as: 'integrationDefinitionIds',
    response: Type.Array(IdOf<DefinitionId>({ description: 'ID of a definition.' }), {
      description: 'The only definitions that the link supports; empty for no such restriction.',
    }),
  },
  workspaceId: {
    column: 'workspace_id',
    type: id<WorkspaceId>(),
    sample: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
    response: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
  },
  maxAccounts: {
    column: 'max_accounts',
    type: nullable(integer()),
    response: Nullable(
      Type.Integer({ description: 'Maximum number of live accounts; null: unlimited.' }),
    ),
  },
  maxAccountsPerIdentifier: {
    column: 'max_accounts_per_identifier',
    type: nullable(integer()),
    sample: 3,
    response: Nullable(
      Type.Integer({
        description: 'Maximum number of live accounts per accountIdentifier; null: unlimited.',
      }),
    ),
  },
  allowedOrigins: {
    column: 'allowed_origins',
    type: json<readonly string[]>('operator', []),
    sample: ['https://app.example.com'],
    response: Type.Array(Type.String(), {
      description:
        "Origins that may embed the page of the link. Empty: the workspace's list applies.",
    }),
  },
  redirectUrls: {
    column: 'redirect_urls',
    type: json<readonly string[]>('operator', []),
    as: 'redirectURLs',
    response: Type.Array(Type.String(), {
      description: "URLs that the page may redirect to. Empty: the workspace's list applies.",
    }),
  },
  sessionsOnly: {
    column: 'sessions_only',
    type: flag(),
    response: Type.Boolean({
      description: 'Whether its page refuses visitors without a connect session.',
    }),
  },
  oauthAppId: {
    column: 'oauth_app_id',
    type: nullable(id<OAuthAppId>()),
    as: 'integrationOAuthAppId',
    response: Nullable(
      IdOf<OAuthAppId>({
        description: 'The OAuth app that sign-ins to its definition use; null: the default app.',
      }),
    ),
  },
  requireCustomerApp: {
    column: 'require_customer_app',
    type: flag(),
    response: Type.Boolean({
      description: "Whether only sign-ins with the customer's own OAuth app are accepted.",
    }),
  },
  /** Fixed at creation. */
  scopes: {
    column: 'scopes',
    type: added(json<ScopesByDefinition>('none', {})),
    response: ChosenScopes,
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
  revokedAt: { column: 'revoked_at', type: nullable(time()) },
  /** The only one of `definitionIds` in links of earlier versions. */
  definitionId: { column: 'definition_id', type: nullable(id<DefinitionId>()), initial: null },
  /** Whether its expiry is recorded. */
  expiryRecorded: { column: 'expiry_recorded', type: flag(), initial: false },
} as const

export const LINK = defineResource(fields)

/** A shareable link through which customers add accounts. Times are epoch milliseconds. */
export type Link = ValuesOf<typeof fields>

export type LinkRow = RowOf<typeof fields>

declare module '../../platform/storage/tables.ts' {
  interface Tables {
    links: LinkRow
  }
}

/** What a page may connect: a link or, in a connect session without one, the settings of the workspace. */
export type LinkPolicy = Pick<
  Link,
  | 'workspaceId'
  | 'expiresAt'
  | 'preferOAuth'
  | 'categories'
  | 'definitionIds'
  | 'maxAccounts'
  | 'maxAccountsPerIdentifier'
  | 'allowedOrigins'
  | 'redirectUrls'
  | 'scopes'
  | 'revokedAt'
  | 'oauthAppId'
  | 'requireCustomerApp'
> & {
  /** Null without a link. */
  readonly linkId: LinkId | null
}

/** The policy of a connect session without a link: the lists of the workspace apply, and nothing else is restricted. */
export function createWorkspacePolicy(workspaceId: WorkspaceId): LinkPolicy {
  return {
    linkId: null,
    workspaceId,
    expiresAt: null,
    preferOAuth: false,
    categories: [],
    definitionIds: [],
    maxAccounts: null,
    maxAccountsPerIdentifier: null,
    allowedOrigins: [],
    redirectUrls: [],
    scopes: {},
    revokedAt: null,
    oauthAppId: null,
    requireCustomerApp: false,
  }
}
