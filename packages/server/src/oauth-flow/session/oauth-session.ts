import type { OAuthAppId } from '../../oauth-apps/oauth-app.ts'
import type { Id } from '../../storage/id.ts'

export type OAuthSessionId = Id<'att'>

/** One attempt to connect an account through OAuth, from start to callback. Times are epoch milliseconds. */
export interface OAuthSession {
  readonly sessionId: OAuthSessionId
  /** SHA-256 of the token of the one-time start page, later of the confirmation token; null otherwise. */
  readonly pageHash: Uint8Array | null
  /** SHA-256 of `state`; null until the browser has opened the start page. */
  readonly stateHash: Uint8Array | null
  /** SHA-256 of the cookie of the browser that started. */
  readonly browserHash: Uint8Array | null
  readonly workspaceId: string
  readonly definitionId: string
  readonly oauthAppId: OAuthAppId
  readonly linkId: string | null
  /** The account to reconnect; null for a new one, until it is created. */
  readonly accountId: string | null
  readonly userId: string
  /** The access token that started it; null if it started on the connect page. */
  readonly tokenId: string | null
  readonly authType: string
  /** On a reconnect, an empty name leaves that of the account unchanged. */
  readonly name: string
  /** On a reconnect, null leaves that of the account unchanged. */
  readonly accountIdentifier: string | null
  /** The encrypted `OAuthSessionSecrets`; null once finished. */
  readonly sealedSecrets: Uint8Array | null
  readonly redirectUrl: string | null
  readonly needsConfirmation: boolean
  readonly allowsOtherIdentity: boolean
  readonly createdAt: number
  readonly expiresAt: number
  /** When a callback claimed it; no other callback can. */
  readonly claimedAt: number | null
  readonly finishedAt: number | null
  /** `connected`, or an error code. */
  readonly outcome: string | null
}

/** How an attempt to connect an account ended: the account, or an error code or an internal outcome (`other_browser`). */
export type ConnectOutcome =
  | { readonly accountId: string }
  | {
      readonly code: string
      /** The field and the message of the error, from the integration. */
      readonly field?: string | undefined
      readonly hint?: string | undefined
    }

/** What the connect page needs to show how a sign-in ended. */
export interface ReturnPage {
  readonly submissionId: string
  readonly linkId: string
  /** Where the sign-in started, which decides where the browser returns. */
  readonly window: 'page' | 'popup' | 'frame'
  /** The query of the page to return to. */
  readonly returnQuery: string
}
