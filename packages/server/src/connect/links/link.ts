import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Category } from '../../integrations/definitions/category.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { Id } from '../../platform/storage/id.ts'

export type LinkId = Id<'lnk'>

/** A shareable link through which customers add accounts. Times are epoch milliseconds. */
export interface Link {
  /** A capability: anyone who knows it can add accounts. */
  readonly linkId: LinkId
  readonly workspaceId: WorkspaceId
  readonly name: string
  readonly canExpire: boolean
  /** Lifetime in seconds; 0 if the link does not expire. */
  readonly expiresIn: number
  /** Null if the link does not expire. */
  readonly expiresAt: number | null
  /** Whether the link accepts only OAuth sign-in. */
  readonly preferOAuth: boolean
  /** The categories that the link supports; empty for all. */
  readonly categories: readonly Category[]
  /** The only definitions that the link allows; empty for no such restriction. */
  readonly definitionIds: readonly DefinitionId[]
  /** Maximum number of accounts that are not deleted; null for no limit. */
  readonly maxAccounts: number | null
  /** The same for each `accountIdentifier`. */
  readonly maxAccountsPerIdentifier: number | null
  /** Origins that may embed its page. Empty: those of the workspace. */
  readonly allowedOrigins: readonly string[]
  /** Exact URLs that the page may redirect to. Empty: those of the workspace. */
  readonly redirectUrls: readonly string[]
  /** Whether its page refuses visitors without a connect session. */
  readonly sessionsOnly: boolean
  readonly createdAt: number
  readonly updatedAt: number
  readonly revokedAt: number | null
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
  | 'revokedAt'
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
    revokedAt: null,
  }
}
