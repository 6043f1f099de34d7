import type { Text } from './localized-text.ts'

/** What sentences may name. Each asks for what it needs. */
export interface MessageParams {
  readonly workspace: string
  readonly tool: string
  /** Where a person signs in, such as `github.com`. */
  readonly host: string
  /** The name of a connected account. */
  readonly account: string
  /** What was searched for. */
  readonly query: string
  /** The label of a field. */
  readonly label: string
  /** A moment; shown as a day, UTC. */
  readonly at: Date
  readonly seconds: number
  readonly count: number
}

export type TextTemplate<Name extends keyof MessageParams = never> = (
  params: Pick<MessageParams, Name>,
) => Text

/** The words of one screen: what is so, and what it means. */
export interface Message {
  readonly title: Text
  readonly body: Text
}

export type MessageTemplate<Name extends keyof MessageParams = never> = (
  params: Pick<MessageParams, Name>,
) => Message

/** Each screen that tells one thing → what its words need. */
export interface ScreenMessageParams {
  readonly noneInWorkspace: 'workspace'
  readonly noneMatchKeys: 'workspace'
  readonly noneWithSignIn: 'workspace'
  readonly appMissing: 'workspace' | 'tool'
  /** Before going: who asks, and where one signs in. */
  readonly signIn: 'workspace' | 'tool' | 'host'
  readonly signInAgain: 'workspace' | 'tool' | 'host'
  /** The small print of signing in; its title warns of a custom definition. */
  readonly beforeSignIn: 'workspace' | 'tool' | 'host'
  readonly waitingSignIn: 'tool'
  readonly popupBlocked: 'tool'
  /** The way on is a new tab: nobody signs in inside a frame. */
  readonly popupBlockedInFrame: 'tool'
  /** It looks closed; providers can make it look so while it is open. */
  readonly windowClosed: 'tool'
  readonly checking: 'tool'
  readonly slow: 'tool'
  readonly offline: never
  readonly connected: 'tool' | 'workspace'
  readonly connectedAs: 'tool' | 'workspace' | 'account'
  /** Its body is one of `failures`. */
  readonly failed: 'tool'
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
  /** For its developer: the address to go back to is not on the list. */
  readonly redirectNotAllowed: never
  /** For its developer: what the address says of whom it is for cannot be read. */
  readonly wrongAddress: never
  /** A form came of a tool that went away meanwhile, or of a way that did. */
  readonly notOffered: 'tool' | 'workspace'
  readonly wayChanged: 'tool' | 'workspace'
  readonly busy: never
  readonly closed: never
  /** A page of signing in that is used up or too old. */
  readonly notKnown: never
  readonly finished: never
  readonly otherBrowser: never
}

export type FailureCode =
  | 'access_denied'
  | 'authorization_request_failed'
  | 'cancelled'
  | 'credentials_rejected'
  | 'identity_mismatch'
  | 'insufficient_scope'
  | 'integration_failed'
  | 'integration_timeout'
  | 'invalid_credentials'
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
