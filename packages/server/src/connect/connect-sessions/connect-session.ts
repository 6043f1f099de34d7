import { randomBytes } from 'node:crypto'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { AccountId, Tags } from '../../accounts/accounts/account.ts'
import type {
  AccountScope,
  PortalAccount,
  PortalAccountStore,
} from '../../accounts/accounts/portal-account-store.ts'
import type { Category } from '../../integrations/definitions/category.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { type Id, isId } from '../../platform/storage/id.ts'
import type { LinkId, LinkPolicy } from '../links/link.ts'

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
