import type { OAuthSessionId } from './oauth-session.ts'

/** One submission of a form of the connect page. Times are epoch milliseconds. */
export interface Submission {
  /** Generated with the form: 128 random bits in base64url. A form can be submitted once. */
  readonly submissionId: string
  /** SHA-256 of the secret of its page session. */
  readonly sessionHash: Uint8Array
  readonly linkId: string
  readonly workspaceId: string
  readonly definitionId: string
  readonly authType: string
  readonly kind: 'credentials' | 'sign_in'
  /** The OAuth session; null for other kinds. */
  readonly oauthSessionId: OAuthSessionId | null
  /** The page where it started, which decides where the browser returns. */
  readonly window: 'page' | 'popup' | 'frame'
  /** The query of the page to return to. */
  readonly returnQuery: string
  readonly state: 'running' | 'connected' | 'failed'
  /** Error code; null unless failed. */
  readonly code: string | null
  /** The field and the message of the error, from the integration. */
  readonly field: string | null
  readonly hint: string | null
  readonly accountId: string | null
  readonly createdAt: number
  readonly finishedAt: number | null
  readonly expiresAt: number
}

/** An account that was connected in a page session. */
export interface SessionAccount {
  readonly accountId: string
  readonly accountName: string
  readonly accountIdentifier: string | null
  readonly definitionId: string
  readonly definitionName: string
  readonly definitionKey: string
}

/** The outcome of a submission. */
export type SubmissionOutcome =
  | { readonly accountId: string }
  | {
      readonly code: string
      readonly field?: string | undefined
      readonly hint?: string | undefined
    }
