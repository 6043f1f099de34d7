import type { MessageTemplate, TextTemplate } from './message-params.ts'

/** The connections of one customer, whose names are `account`. */
export interface PortalMessages {
  /** The first page, whose button binds the session to the browser. */
  readonly start: MessageTemplate<'workspace'>
  readonly title: TextTemplate<'workspace'>
  readonly body: string
  /** Instead, how many of all connections only the person can help. */
  readonly attention: TextTemplate<'count' | 'total'>
  readonly none: MessageTemplate<'workspace'>
  readonly signedInAs: TextTemplate<'account'>
  readonly connectedOn: TextTemplate<'at'>
  readonly lastUsedOn: TextTemplate<'at'>
  /** The same for the last days, by their number; 0 is today. */
  readonly lastUsedAgo: TextTemplate<'count'>
  readonly neverUsed: string
  readonly active: string
  /** Only the person can help. */
  readonly needsReauth: string
  /** Only the workspace can help. */
  readonly error: TextTemplate<'workspace'>
  readonly pending: TextTemplate<'workspace'>
  /** The accessible name of the menu of an account. */
  readonly more: TextTemplate<'tool' | 'account'>
  readonly disconnect: string
  /** The accessible name of that link. */
  readonly disconnectAccount: TextTemplate<'tool' | 'account'>
  readonly reconnect: string
  readonly reconnectAccount: TextTemplate<'tool' | 'account'>
  readonly connectFirst: string
  readonly showMore: string
  /** Leads back to the list. */
  readonly yourConnections: string
  readonly ask: MessageTemplate<'tool' | 'workspace'>
  readonly confirm: TextTemplate<'tool'>
  readonly keep: string
  readonly disconnected: TextTemplate<'tool'>
  readonly revoked: TextTemplate<'tool'>
  readonly revocationUnsupported: TextTemplate<'tool'>
  readonly revocationFailed: TextTemplate<'tool'>
  /** Another account uses the same grant. */
  readonly grantShared: TextTemplate<'tool'>
  readonly nothingToRevoke: TextTemplate<'tool'>
  readonly gone: MessageTemplate
}
