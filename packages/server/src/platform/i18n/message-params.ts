import type { Text } from './localized-text.ts'

/** The values that messages may contain. Each message declares those it needs. */
export interface MessageParams {
  readonly workspace: string
  readonly tool: string
  /** Host of the authorization page, such as `github.com`. */
  readonly host: string
  /** The name of a connected account. */
  readonly account: string
  /** The search query. */
  readonly query: string
  /** The label of a field. */
  readonly label: string
  /** Shown as a date in UTC. */
  readonly at: Date
  readonly seconds: number
  readonly count: number
  readonly total: number
}

export type TextTemplate<Name extends keyof MessageParams = never> = (
  params: Pick<MessageParams, Name>,
) => Text

/** The texts of one screen. */
export interface Message {
  readonly title: Text
  readonly body: Text
}

export type MessageTemplate<Name extends keyof MessageParams = never> = (
  params: Pick<MessageParams, Name>,
) => Message

/** The parameters of each screen's message. */
export interface ScreenMessageParams {
  readonly noneInWorkspace: 'workspace'
  readonly noneMatchKeys: 'workspace'
  readonly noneWithSignIn: 'workspace'
  readonly appMissing: 'workspace' | 'tool'
  /** The same for an account that exists. */
  readonly appRemoved: 'workspace' | 'tool'
  /** The tool of an account, or all tools of a session, are no longer offered. */
  readonly toolGone: 'workspace'
  /** Before the redirect to the provider. */
  readonly signIn: 'workspace' | 'tool' | 'host'
  readonly signInAgain: 'workspace' | 'tool' | 'host'
  /** The notes under a sign-in form; the title is the warning for a custom definition. */
  readonly beforeSignIn: 'workspace' | 'tool' | 'host'
  readonly waitingSignIn: 'tool'
  readonly popupBlocked: 'tool'
  /** Sign-in continues in a new tab, because it never runs inside a frame. */
  readonly popupBlockedInFrame: 'tool'
  /** The window appears closed; a provider's COOP header can cause that while it is open. */
  readonly windowClosed: 'tool'
  readonly checking: 'tool'
  readonly slow: 'tool'
  readonly offline: never
  readonly connected: 'tool' | 'workspace'
  readonly connectedAs: 'tool' | 'workspace' | 'account'
  /** Shown with one of `failures` as its body. */
  readonly failed: 'tool'
  /** The same user of the tool is connected; the person chooses what to do. */
  readonly alreadyConnected: 'tool' | 'account'
  readonly expired: 'workspace' | 'at'
  readonly revoked: 'workspace'
  readonly unknownLink: never
  readonly full: 'workspace'
  readonly identifierFull: 'workspace'
  readonly alreadyFinished: 'tool'
  readonly stillRunning: 'tool'
  readonly rateLimited: 'seconds'
  readonly tooManyFailed: 'seconds'
  readonly notHere: never
  readonly notOurs: never
  /** For developers: the redirect URL is not on the allowlist. */
  readonly redirectNotAllowed: never
  /** The first page of a connect session, whose button binds it to the browser. */
  readonly sessionStart: 'workspace'
  /** The same of a session for one tool. */
  readonly sessionStartOne: 'workspace' | 'tool'
  /** A connect session that cannot be used here, or any more. */
  readonly sessionRefused: never
  /** The same for a visitor who has its token: it has done what it was for, or another browser has opened it. */
  readonly sessionUsed: 'workspace'
  readonly sessionElsewhere: 'workspace'
  /** The link accepts only visitors with a connect session. */
  readonly sessionRequired: never
  /** For developers: the account identifier in the URL is invalid. */
  readonly wrongAddress: never
  /** A form was submitted for an integration or auth method that is no longer offered. */
  readonly notOffered: 'tool' | 'workspace'
  readonly wayChanged: 'tool' | 'workspace'
  readonly busy: never
  readonly closed: never
  /** A sign-in page that was already used or has expired. */
  readonly notKnown: never
  readonly finished: never
  /** The provider reports the consent of an administrator, without a sign-in. */
  readonly adminConsent: never
  /** The provider, or no one, has started the sign-in. */
  readonly startedElsewhere: never
  readonly otherBrowser: never
}

export type FailureCode =
  | 'access_denied'
  | 'admin_consent_granted'
  | 'already_connected'
  | 'authorization_request_failed'
  | 'cancelled'
  | 'credentials_rejected'
  | 'egress_unavailable'
  | 'identity_mismatch'
  | 'insufficient_scope'
  | 'integration_failed'
  | 'integration_timeout'
  | 'key_rejected'
  | 'link_expired'
  | 'link_full'
  | 'link_identifier_full'
  | 'link_revoked'
  | 'oauth_app_missing'
  | 'oauth_attempt_invalid'
  | 'oauth_issuer_mismatch'
  | 'oauth_start_revoked'
  | 'other_browser'
  | 'provider_error'
  | 'provider_timeout'
  | 'rate_limited'
  | 'sign_in_overdue'
  | 'sign_in_rejected'
  | 'window_replaced'
  | 'wrong_host'
  | 'unknown'
