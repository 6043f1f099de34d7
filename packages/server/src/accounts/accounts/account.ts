import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { Tags } from './account-tags.ts'

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
  ...(['invalid_config', 'oauth_app_secret_required'] as const),
] as const
export type ReportedStatus = (typeof REPORTED_STATUSES)[number]

/** The `statusReason` of an imported account until its credentials have worked once. */
export const UNCHECKED = 'unchecked'

/** What responses show of an account: no credentials. Times are epoch milliseconds. */
export interface PublicAccount {
  readonly accountId: AccountId
  readonly workspaceId: WorkspaceId
  readonly definitionId: DefinitionId
  /** The link through which the account was created; null if none. */
  readonly linkId: Id<'lnk'> | null
  readonly name: string
  readonly authType: string
  readonly accountIdentifier: string | null
  readonly tags: Tags
  /** The public fields of the configuration; null once deleted. */
  readonly publicConfig: Readonly<Record<string, unknown>> | null
  readonly status: AccountStatus
  /** The reason of the status, such as `invalid_grant`; null while active. */
  readonly statusReason: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly deletedAt: number | null
}

/**
 * A connected account with its encrypted credentials and the state of their refresh. Without the public fields of its
 * configuration and its tags, which only responses need.
 */
export interface Account extends Omit<PublicAccount, 'publicConfig' | 'tags'> {
  /** The whole configuration, encrypted; null once deleted. */
  readonly sealedConfig: Uint8Array | null
  /** Counts changes of the credentials, for fencing. */
  readonly credentialVersion: number
  /** The OAuth app that the account was connected with; null for other auth types. */
  readonly oauthAppId: OAuthAppId | null
  /** When the access token expires; null if unknown or absent. */
  readonly tokenExpiresAt: number | null
  /** Lifetime of the last access token with a known expiry, in milliseconds; null if there was none. */
  readonly tokenTtlMs: number | null
  /** Encrypted cache of headers with a token that the bundle obtained itself, for all nodes; null if absent. */
  readonly sealedHeaders: Uint8Array | null
  /** When to refresh in the background; null for never. */
  readonly refreshAt: number | null
  /** Failed attempts since the last success. */
  readonly refreshFailures: number
  /** The holder of the refresh lease. */
  readonly leaseOwner: string | null
  readonly leaseUntil: number | null
  /** When a refresh token was sent whose response is not stored yet: the response may be lost. */
  readonly refreshSentAt: number | null
  /** Host and port of the token endpoint at the last refresh; null until the first. */
  readonly tokenHost: string | null
  /** A deletion is revoking the tokens until then; other deletions treat the account as deleted. */
  readonly revokingUntil: number | null
  /** The provider's id of the user who connected. */
  readonly identityId: string | null
  /** SHA-256 of the one-time token that confirms a pending account. */
  readonly confirmHash: Uint8Array | null
  readonly confirmUntil: number | null
}

/** All that is stored of an account. */
export interface NewAccount extends Account, PublicAccount {
  /** The provider's name of the user who connected; null if unknown. */
  readonly identityLabel: string | null
}

/** New values of some members of an account. */
export type AccountUpdate = Partial<NewAccount>
