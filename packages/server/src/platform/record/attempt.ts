import type { Id } from '../storage/id.ts'

/** How a person or a program tried to connect: the API, the page of a link or of a session, or POST /v1/oauth. */
export const ATTEMPT_ORIGINS = ['api', 'link', 'connect_session', 'oauth'] as const

/**
 * How an attempt ended. `accepted`: a check without an account found that the credentials work. `cancelled`: the person
 * declined. `abandoned`: no one returned from the sign-in in time.
 */
export const ATTEMPT_OUTCOMES = [
  'connected',
  'accepted',
  'failed',
  'cancelled',
  'abandoned',
] as const

/** An attempt as metrics count it. */
export interface CountedAttempt extends Pick<ConnectAttempt, 'outcome' | 'code'> {
  /** The tool, with its latest version if it is in the catalogue; undefined if the request named none that it may use. */
  readonly definition: { readonly key: string; readonly latestVersion: string | null } | undefined
  /** What was sent: credentials, or the person to a sign-in. */
  readonly method: 'credentials' | 'sign_in'
}

/** Counts attempts, those too that are not stored. */
export interface AttemptCounter {
  /** Returns immediately and never throws. */
  add(attempt: CountedAttempt): void
}

/** An attempt to connect an account, and how it ended. Contains no secrets and no texts of the provider. */
export interface ConnectAttempt {
  readonly workspaceId: Id<'wsp'>
  /** Null if the attempt named none that it may use. */
  readonly definitionId: Id<'def'> | null
  readonly authType: string | null
  readonly via: (typeof ATTEMPT_ORIGINS)[number]
  readonly outcome: (typeof ATTEMPT_OUTCOMES)[number]
  /** Why it failed; null for others. */
  readonly code: string | null
  /** The HTTP status of the provider's last response; null if unknown. */
  readonly providerStatus: number | null
  /** The provider's id of the request that it answered with that status. Default: unknown. */
  readonly providerRequestId?: string | null
  /** The account that was connected, or that should have been reconnected. */
  readonly accountId: Id<'acc'> | null
  readonly linkId: Id<'lnk'> | null
  readonly connectSessionId: Id<'cns'> | null
  readonly accountIdentifier: string | null
}
