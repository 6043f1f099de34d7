import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { LinkId } from '../links/link.ts'

/** One submission of a form of the connect page. Times are epoch milliseconds. */
export interface Submission extends ReturnPage {
  /** SHA-256 of the secret of its page session. */
  readonly sessionHash: Uint8Array
  readonly workspaceId: WorkspaceId
  readonly definitionId: DefinitionId
  readonly authType: string
  readonly kind: 'credentials' | 'sign_in'
  /** The OAuth session; null for other kinds. */
  readonly oauthSessionId: Id<'att'> | null
  readonly state: 'running' | 'connected' | 'failed'
  /** Error code; null unless failed. A running sign-in with the code `already_connected` awaits a choice. */
  readonly code: string | null
  /** The field and the message of the error, from the integration. */
  readonly field: string | null
  readonly hint: string | null
  readonly accountId: AccountId | null
  readonly createdAt: number
  readonly finishedAt: number | null
  readonly expiresAt: number
}

/** The part of a submission that the end of its sign-in needs: the page to return to. */
export interface ReturnPage {
  /** Generated with the form: 128 random bits in base64url. A form can be submitted once. */
  readonly submissionId: string
  /** Null in a connect session without a link. */
  readonly linkId: LinkId | null
  /** The connect session that the form belongs to; null without one. */
  readonly connectSessionId: Id<'cns'> | null
  /** Where the form was submitted, which decides where the browser returns. */
  readonly window: 'page' | 'popup' | 'frame'
  /** The query of the page to return to. */
  readonly returnQuery: string
}

/** A submission that has just begun. */
export type NewSubmission = Omit<
  Submission,
  'state' | 'code' | 'field' | 'hint' | 'accountId' | 'finishedAt'
>

/** How an attempt to connect an account ended: the account, or an error code or an internal outcome (`other_browser`). */
export type ConnectOutcome =
  | { readonly accountId: AccountId }
  | {
      readonly code: string
      /** The field and the message of the error, from the integration. */
      readonly field?: string | undefined
      readonly hint?: string | undefined
    }

/** Identifies one page session at the page of one link or connect session. */
export interface SessionKey {
  readonly sessionHash: Uint8Array
  readonly pageId: PageId
}

/** What the URLs of a page name: its link, or its connect session. */
export type PageId = LinkId | Id<'cns'>

/** An account that was connected in a page session. */
export interface SessionAccount {
  readonly accountId: AccountId
  readonly accountName: string
  /** Whom the provider knows as its owner; null if it did not say. */
  readonly identityLabel: string | null
  readonly accountIdentifier: string | null
  readonly definitionId: DefinitionId
  readonly definitionName: string
  readonly definitionKey: string
}
