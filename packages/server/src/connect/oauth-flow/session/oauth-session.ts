import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashSecret } from '../../../access/auth/access-token.ts'
import type { TokenId } from '../../../access/tokens/token.ts'
import type { UserId } from '../../../access/users/user.ts'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { AccountFacts, AccountId } from '../../../accounts/accounts/account.ts'
import type { FactQuestion } from '../../../accounts/accounts/verification/run-check.ts'
import type { DefinitionId } from '../../../integrations/definitions/definition.ts'
import { generateState } from '../../../integrations/oauth/authorize/authorization-request.ts'
import type { DiscoveredServer } from '../../../integrations/oauth/discovery/authorization-server.ts'
import type { ScopeGrant } from '../../../integrations/oauth/spec/scopes.ts'
import type { OAuthAppId } from '../../../integrations/oauth-apps/oauth-app.ts'
import { readCookie, serializeCookie } from '../../../platform/http/browser-request.ts'
import {
  bytes,
  defineResource,
  flag,
  id,
  nullable,
  type RowOf,
  text,
  time,
  type ValuesOf,
} from '../../../platform/storage/define-resource.ts'
import type { Id } from '../../../platform/storage/id.ts'
import type { LinkId } from '../../links/link.ts'

export type OAuthSessionId = Id<'att'>

const fields = {
  sessionId: { column: 'attempt_id', type: id<OAuthSessionId>() },
  /** SHA-256 of the token of the one-time start page, later of the confirmation token; null otherwise. */
  pageHash: { column: 'page_hash', type: nullable(bytes('none')) },
  /** SHA-256 of `state`; null until the browser has opened the start page. */
  stateHash: { column: 'state_hash', type: nullable(bytes('none')) },
  /** SHA-256 of the cookie of the browser that started. */
  browserHash: { column: 'browser_hash', type: nullable(bytes('none')) },
  workspaceId: { column: 'workspace_id', type: id<WorkspaceId>() },
  definitionId: { column: 'definition_id', type: id<DefinitionId>() },
  oauthAppId: { column: 'oauth_app_id', type: id<OAuthAppId>() },
  linkId: { column: 'link_id', type: nullable(id<LinkId>()) },
  /** The account to reconnect; null for a new one, until it is created. */
  accountId: { column: 'account_id', type: nullable(id<AccountId>()) },
  userId: { column: 'user_id', type: id<UserId>() },
  /** The access token that started it; null if it started on the connect page. */
  tokenId: { column: 'token_id', type: nullable(id<TokenId>()) },
  authType: { column: 'auth_type', type: text('none'), sample: 'OAuth2' },
  /** On a reconnect, an empty name leaves that of the account unchanged. */
  name: { column: 'name', type: text('deleted'), sample: 'Books' },
  /** On a reconnect, null leaves that of the account unchanged. */
  accountIdentifier: { column: 'account_identifier', type: nullable(text('deleted')) },
  /** The encrypted `OAuthSessionSecrets`; null once finished. */
  sealedSecrets: {
    column: 'sealed',
    type: nullable(bytes('sealed')),
    sample: new Uint8Array([1, 0, 4]),
  },
  redirectUrl: { column: 'redirect_url', type: nullable(text('deleted')) },
  needsConfirmation: { column: 'needs_confirm', type: flag(), sample: true },
  allowsOtherIdentity: { column: 'allow_other_identity', type: flag() },
  createdAt: { column: 'created_at', type: time() },
  expiresAt: { column: 'expires_at', type: time() },
  /** When a callback claimed it; no other callback can. */
  claimedAt: { column: 'claimed_at', type: nullable(time()) },
  finishedAt: { column: 'finished_at', type: nullable(time()) },
  /** `connected`, or an error code. */
  outcome: { column: 'outcome', type: nullable(text('none')) },
} as const

export const OAUTH_SESSION = defineResource(fields)

/** One attempt to connect an account through OAuth, from start to callback. Times are epoch milliseconds. */
export type OAuthSession = ValuesOf<typeof fields>

declare module '../../../platform/storage/tables.ts' {
  interface Tables {
    oauth_sessions: RowOf<typeof fields>
  }
}

/** The encrypted part of a session, erased when it finishes. Serialized as JSON: its keys are a storage format. */
export interface OAuthSessionSecrets {
  readonly config: Readonly<Record<string, unknown>>
  /** Names of fields in `config` that an earlier sign-in may have filled: values of this sign-in overwrite them. */
  readonly earlier?: readonly string[]
  /** The bundle at the start of the flow: the code may be sent to the endpoints of this bundle only. */
  readonly bundleSha256: string
  /** The client that the user authorizes: only this client may redeem the code. */
  readonly clientId: string
  /** The PKCE code verifier (RFC 7636); undefined until the browser is redirected to the provider. */
  readonly codeVerifier?: string
  /** What the confirmation token is derived from, instead of the cookie that a frame does not see. */
  readonly confirmSecret?: string
  /** The scopes that the account is to have; undefined if an earlier version started the session. */
  readonly requestedScopes?: readonly string[]
  /** Those of them that the authorization request contains, if the provider adds them to what it has granted; else all. */
  readonly addedScopes?: readonly string[]
  /** Where people sign in, if a server says it; undefined if the spec does. */
  readonly discovered?: DiscoveredServer
  /** The tokens of a reconnect that awaits confirmation. */
  readonly proven?: VerifiedTokens
}

/** The tokens of a token response. */
export interface TokenSet {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** Epoch milliseconds; undefined when unknown. */
  readonly expiresAt: number | undefined
}

/** Tokens that the integration has accepted, with the data to store in the account. */
export interface VerifiedTokens extends TokenSet {
  readonly authType: string
  /** The configuration to encrypt. Never contains the client ID or secret of the OAuth app. */
  readonly config: Readonly<Record<string, unknown>>
  /** The provider's ID of the user who signed in; null when the integration does not report it. */
  readonly identityId: string | null
  /** The provider's display name of that user; undefined when the integration does not report it. */
  readonly identityLabel?: string | undefined
  /** What the provider said about the connection; undefined if an earlier version verified the tokens. */
  readonly facts?: AccountFacts | undefined
  /** What the provider left open; undefined if nothing. */
  readonly questions?: readonly FactQuestion[] | undefined
  /** What was requested and granted; undefined if an earlier version verified the tokens. */
  readonly grant?: ScopeGrant | undefined
}
/** What binds a session to a browser. */
export interface BrowserBinding {
  readonly stateHash: Uint8Array
  readonly browserHash: Uint8Array
  readonly sealed: Uint8Array
}

/** How long a callback may run after its session was claimed, which can be in the last second before it expires. */
export const CALLBACK_GRACE_MS = 2 * 60_000
/** The outcome of a session that awaits confirmation by the host application, or a choice of its person. */
export const AWAITING_DECISION = 'unconfirmed'

/**
 * Holds the secret that binds sessions to a browser (quality T9). All sessions of a browser share one cookie, so that
 * two tabs do not invalidate each other's session.
 */
const COOKIE = 'linchpin-oauth'
const MAX_AGE_SECONDS = 600
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** Reads the browser's secret; undefined when the request has no such cookie, an invalid one or several. */
export function readBrowserSecret(request: FastifyRequest, baseUrl: string): string | undefined {
  return parseSecret(readCookie(request, COOKIE, baseUrl))
}

function parseSecret(value: unknown): string | undefined {
  return typeof value === 'string' && SECRET.test(value) ? value : undefined
}

/**
 * Returns the secret of the browser's cookie, else the secret that the page proposed in its form, else a new one. The
 * proposed secret makes a double click one browser, although the cookie of the first click has not arrived yet.
 */
export function chooseBrowserSecret(
  request: FastifyRequest,
  baseUrl: string,
  proposed?: unknown,
): string {
  return readBrowserSecret(request, baseUrl) ?? parseSecret(proposed) ?? generateState()
}

/** Sets the cookie with the browser's secret, or extends it by another ten minutes. */
export function setBrowserSecret(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
  proposed?: string,
): string {
  const secret = chooseBrowserSecret(request, baseUrl, proposed)
  const cookieOptions = { seconds: MAX_AGE_SECONDS, baseUrl }
  reply.header('set-cookie', serializeCookie(COOKIE, secret, cookieOptions))
  return secret
}

/** Whether the secret belongs to the browser that the session is bound to. Compares in constant time. */
export function isSameBrowser(secret: string | undefined, browserHash: Uint8Array | null): boolean {
  return (
    secret !== undefined && browserHash !== null && timingSafeEqual(hashSecret(secret), browserHash)
  )
}

/**
 * Derives the confirmation token of a session from the 256-bit secret of its browser. Deriving it means that the same
 * browser can receive it again after a reload or a lost response, although only its hash is stored.
 */
export function deriveConfirmToken(browserSecret: string, sessionId: string): string {
  return createHmac('sha256', browserSecret).update(`confirm ${sessionId}`).digest('base64url')
}
