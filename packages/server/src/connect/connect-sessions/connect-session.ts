import { randomBytes } from 'node:crypto'
import Type from 'typebox'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import {
  type AccountId,
  stringifyTags,
  type Tags,
  TagsResponse,
} from '../../accounts/accounts/account.ts'
import type {
  AccountScope,
  PortalAccount,
  PortalAccountStore,
} from '../../accounts/accounts/portal-account-store.ts'
import { Category } from '../../integrations/definitions/category.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { ChosenScopes, type ScopesByDefinition } from '../../integrations/oauth/spec/scopes.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import { IdOf, listOf, Nullable, OneOf, Timestamp } from '../../platform/http/schema.ts'
import {
  added,
  bytes,
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
import { type Id, isId } from '../../platform/storage/id.ts'
import type { LinkId, LinkPolicy } from '../links/link.ts'

export type ConnectSessionId = Id<'cns'>

/** A configuration field whose value the session gives: shown locked, or hidden. */
export interface GivenField {
  readonly name: string
  readonly hidden: boolean
}

export const CONNECT_SESSION_STATUSES = [
  'created',
  'opened',
  'completed',
  'expired',
  'revoked',
] as const
export type ConnectSessionStatus = (typeof CONNECT_SESSION_STATUSES)[number]

export const CONNECT_SESSION_MODES = ['connect', 'manage', 'app'] as const

const SAMPLE_TIME = Date.parse('2026-11-21T10:00:00.000Z')

/** The fields of a connect session, in the order of responses. */
const fields = {
  connectSessionId: {
    column: 'connect_session_id',
    type: id<ConnectSessionId>(),
    sample: 'cns_01kahn2s6kf5arr5d1x6z5cq3b',
    response: IdOf<ConnectSessionId>({ description: 'Identifier of the connect session.' }),
  },
  workspaceId: {
    column: 'workspace_id',
    type: id<WorkspaceId>(),
    sample: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
    response: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
  },
  /** The session can only narrow the restrictions of its link. */
  linkId: {
    column: 'link_id',
    type: nullable(id<LinkId>()),
    response: Nullable(
      IdOf<LinkId>({
        description:
          'The link whose restrictions apply; null: the settings of the workspace apply.',
      }),
    ),
  },
  mode: {
    column: 'mode',
    type: text<(typeof CONNECT_SESSION_MODES)[number]>('none'),
    sample: 'connect',
    response: OneOf(
      CONNECT_SESSION_MODES,
      "connect: to add accounts; manage: the portal; app: the customer's administrator enters an OAuth app first.",
    ),
  },
  accountIdentifier: {
    column: 'account_identifier',
    type: nullable(text('deleted')),
    sample: 'customer-17',
    response: Nullable(
      Type.String({ description: 'The accountIdentifier of every account of the session.' }),
    ),
  },
  accountId: {
    column: 'account_id',
    type: nullable(id<AccountId>()),
    as: 'integrationAccountId',
    response: Nullable(
      IdOf<AccountId>({ description: 'The account to reconnect; null to add accounts.' }),
    ),
  },
  definitionIds: {
    column: 'definition_ids',
    type: json<readonly DefinitionId[]>('none', []),
    as: 'integrationDefinitionIds',
    response: Type.Array(Type.String(), {
      description:
        'The only definitions that it offers. Empty: those of the link or, without one, all.',
    }),
  },
  categories: {
    column: 'category',
    type: json<readonly Category[]>('none', []),
    as: 'category',
    response: listOf(
      Category,
      'The only categories that it offers. Empty: those of the link or, without one, all.',
    ),
  },
  configFields: {
    column: 'config_fields',
    type: {
      ...json<readonly GivenField[]>('deleted', []),
      show: (given: readonly GivenField[]) => given.map(({ name }) => name),
    },
    response: Type.Array(Type.String(), {
      description: 'The fields whose values are given. The values are not returned.',
    }),
  },
  scopes: {
    column: 'scopes',
    type: added(json<ScopesByDefinition>('none', {})),
    response: ChosenScopes,
  },
  /** Copied to every account that it adds. */
  tags: {
    column: 'tags',
    type: { ...json<Tags>('deleted', {}), write: stringifyTags },
    response: TagsResponse,
  },
  redirectUrl: {
    column: 'redirect_url',
    type: nullable(text('deleted')),
    sample: 'https://app.example.com/connected',
    as: 'redirectURL',
    response: Nullable(Type.String({ description: 'Where the person returns to.' })),
  },
  lang: {
    column: 'lang',
    type: nullable(text('none')),
    response: Nullable(
      Type.String({ description: "The language of the page; null: the browser's." }),
    ),
  },
  maxAccounts: {
    column: 'max_accounts',
    type: integer(),
    sample: 1,
    response: Type.Integer({ description: 'How many accounts complete the session.' }),
  },
  accountIds: {
    column: 'account_ids',
    type: json<readonly AccountId[]>('none', []),
    as: 'integrationAccountIds',
    response: Type.Array(Type.String(), {
      description: 'The accounts that were connected in the session, oldest first.',
    }),
  },
  oauthAppId: {
    column: 'oauth_app_id',
    type: nullable(id<OAuthAppId>()),
    as: 'integrationOAuthAppId',
    response: Nullable(
      IdOf<OAuthAppId>({
        description:
          'The OAuth app that sign-ins to its definition use; null: that of its link, the customer or the workspace. With the mode app: the app that was entered.',
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
  /** The hosts that may receive the client secret of the app that is entered. */
  allowedHosts: {
    column: 'allowed_hosts',
    type: nullable(json<readonly string[]>('operator', [])),
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
  openedAt: {
    column: 'opened_at',
    type: nullable(time()),
    response: Nullable(Timestamp('When a person pressed the button.')),
  },
  completedAt: {
    column: 'completed_at',
    type: nullable(time()),
    response: Nullable(Timestamp('When the last account was connected.')),
  },
  expiresAt: {
    column: 'expires_at',
    type: time(),
    sample: SAMPLE_TIME + 30 * 60_000,
    response: Timestamp('Until when the session can be used.'),
  },
  revokedAt: { column: 'revoked_at', type: nullable(time()) },
  /** The values of the given fields, encrypted; null without any. */
  sealedConfig: { column: 'sealed_config', type: nullable(bytes('sealed')) },
  /** SHA-256 of the secret of the browser that it is bound to; null until a person presses the button. */
  browserHash: { column: 'browser_hash', type: nullable(bytes('none')) },
  /** Why the last attempt failed; null without a failure. */
  lastCode: { column: 'last_code', type: nullable(text('none')) },
  lastCodeAt: { column: 'last_code_at', type: nullable(time()) },
  /** SHA-256 of the token of its URL. */
  tokenHash: { column: 'token_hash', type: bytes('none'), initial: new Uint8Array() },
  /** Whether it can still be used, unless it has expired; false once its end is recorded. */
  isOpen: { column: 'is_open', type: flag(), initial: true },
} as const

export const CONNECT_SESSION = defineResource(fields)

/** A session in which one customer connects accounts. Times are epoch milliseconds. */
export type ConnectSession = ValuesOf<typeof fields>

declare module '../../platform/storage/tables.ts' {
  interface Tables {
    connect_sessions: RowOf<typeof fields>
  }
}

/** The status at `now`. A completed session stays completed. */
export function getStatus(
  session: Pick<ConnectSession, 'completedAt' | 'expiresAt' | 'openedAt' | 'revokedAt'>,
  now: number,
): ConnectSessionStatus {
  if (session.completedAt !== null) return 'completed'
  if (session.revokedAt !== null) return 'revoked'
  if (session.expiresAt <= now) return 'expired'
  return session.openedAt === null ? 'created' : 'opened'
}

/** A new token of a connect session: `cnt_` and 160 random bits in base64url. */
export function generateConnectToken(): string {
  return `cnt_${randomBytes(20).toString('base64url')}`
}

/** Whether the text has the form of such a token. */
export function isConnectToken(text: string): boolean {
  return /^cnt_[A-Za-z0-9_-]{27}$/.test(text)
}

/**
 * The account of a session: live, of its customer, of a tool that the session and its link allow and, in a session that
 * reconnects one account, that account. The only answer to the question, for the page, its forms and the end of a sign-in.
 * Undefined for every other account, and for malformed IDs.
 */
export async function findSessionAccount(
  { portalAccounts }: { readonly portalAccounts: Pick<PortalAccountStore, 'find'> },
  access: WorkspaceAccess,
  { connectSession, link }: SessionPolicy,
  accountId: string,
): Promise<PortalAccount | undefined> {
  const scope = getAccountScope({ connectSession, link })
  return scope === undefined || !isId('acc', accountId)
    ? undefined
    : portalAccounts.find(access, scope, accountId)
}

/** A session, and what its link or workspace allows. */
export interface SessionPolicy {
  readonly connectSession: ConnectSession
  readonly link: Pick<LinkPolicy, 'definitionIds' | 'categories'>
}

/** The accounts of a session; undefined for one that names neither a customer nor an account, and so has none. */
export function getAccountScope({ connectSession, link }: SessionPolicy): AccountScope | undefined {
  const { workspaceId, accountIdentifier, accountId } = connectSession
  if (accountIdentifier === null && accountId === null) return undefined
  // The definitions of a link take the place of its categories.
  const linkKeys = link.definitionIds.length > 0 ? [] : toKeys(link.categories)
  return {
    workspaceId,
    accountIdentifier,
    accountId,
    definitionIds: [link.definitionIds, connectSession.definitionIds].filter(isRestriction),
    typeKeys: [linkKeys, toKeys(connectSession.categories)].filter(isRestriction),
  }
}

function toKeys(categories: readonly { readonly key: string }[]): string[] {
  return categories.map(({ key }) => key)
}

function isRestriction(list: readonly string[]): boolean {
  return list.length > 0
}
