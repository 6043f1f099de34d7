import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import type { Tags } from '../../accounts/accounts/account-tags.ts'
import type { Category } from '../../integrations/definitions/category.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { LinkId } from '../links/link.ts'

export type ConnectSessionId = Id<'cns'>

/** A session in which one customer connects accounts. Times are epoch milliseconds. */
export interface ConnectSession {
  readonly connectSessionId: ConnectSessionId
  readonly workspaceId: WorkspaceId
  /** The link whose restrictions apply; the session can only narrow them. Null: the settings of the workspace apply. */
  readonly linkId: LinkId | null
  readonly mode: 'connect' | 'manage'
  /** What every account of the session gets; null: none. */
  readonly accountIdentifier: string | null
  /** The account to reconnect; null to add accounts. */
  readonly accountId: AccountId | null
  /** The only definitions that it offers; empty: those of the link, or all. */
  readonly definitionIds: readonly DefinitionId[]
  /** The only categories that it offers; empty: those of the link, or all. */
  readonly categories: readonly Category[]
  /** The fields whose values are given. */
  readonly configFields: readonly GivenField[]
  /** Their values, encrypted; null without any. */
  readonly sealedConfig: Uint8Array | null
  /** Copied to every account that it adds. */
  readonly tags: Tags
  readonly redirectUrl: string | null
  readonly lang: string | null
  /** How many accounts complete it. */
  readonly maxAccounts: number
  /** SHA-256 of the secret of the browser that it is bound to; null until a person presses the button. */
  readonly browserHash: Uint8Array | null
  readonly accountIds: readonly AccountId[]
  /** Why the last attempt failed; null without a failure. */
  readonly lastCode: string | null
  readonly lastCodeAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly expiresAt: number
  readonly openedAt: number | null
  readonly completedAt: number | null
  readonly revokedAt: number | null
}

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
