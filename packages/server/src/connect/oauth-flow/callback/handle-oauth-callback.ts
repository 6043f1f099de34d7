import { type ObservedTokens, type Spec, TokenObserver } from '@linchpin/runner'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { hashSecret } from '../../../access/auth/access-token.ts'
import type { AccountFacts } from '../../../accounts/accounts/account.ts'
import {
  isOAuthType,
  listConfigFields,
  listFacts,
  type PreparedTokens,
  prepareTokens,
} from '../../../accounts/accounts/credentials/account-config.ts'
import { withObservedTokens } from '../../../accounts/accounts/verification/rotated-tokens.ts'
import {
  assertAccepted,
  createProviderUnavailableError,
  type FactSelection,
  type Identity,
  inspectConnection,
  runCheck,
} from '../../../accounts/accounts/verification/run-check.ts'
import {
  type AuthorizationResponse,
  type ExpectedIssuer,
  getRedirectUri,
  isValidIssuer,
  parseAuthorizationResponse,
} from '../../../integrations/oauth/authorize/authorization-response.ts'
import {
  createGrant,
  getRequestedScopes,
  type ScopeGrant,
} from '../../../integrations/oauth/spec/scopes.ts'
import { fillPlaceholders, TemplateError } from '../../../integrations/oauth/template.ts'
import type { OAuthClient } from '../../../integrations/oauth/token/client-request.ts'
import { exchangeCode, exchangeToken } from '../../../integrations/oauth/token/token-endpoint.ts'
import {
  type TokenResult,
  type Tokens,
  toNestedFields,
} from '../../../integrations/oauth/token-response/token-result.ts'
import { loadOAuthClient } from '../../../integrations/oauth-apps/load-oauth-client.ts'
import { ApiError } from '../../../platform/errors.ts'
import { getRawQuery } from '../../../platform/http/browser-request.ts'
import { redirect } from '../../../platform/http/send-page.ts'
import {
  finishPageUrl,
  getPageReturnUrl,
  redirectAfterOAuth,
  sendErrorPage,
  sendFinishPage,
} from '../finish-page.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import {
  closeSession,
  type EndingRequest,
  failSession,
  type PartialResult,
  type SessionOutcome,
  signInError,
  toSignInError,
} from '../session/end-session.ts'
import {
  isSameBrowser,
  type OAuthSession,
  type OAuthSessionSecrets,
  readBrowserSecret,
  setBrowserSecret,
  type TokenSet,
  type VerifiedTokens,
} from '../session/oauth-session.ts'
import { loadSessionContext, type OAuthSessionContext } from '../session/session-context.ts'
import { ASKING, finishSignIn } from './finish-sign-in.ts'

/** The route of the redirect URI. */
export function oauthCallbackRoute(deps: OAuthFlowDeps): RouteOptions {
  return {
    method: 'GET',
    url: '/api/v1/oauth/callback',
    config: { rawQuery: true, maxUrlLength: MAX_CALLBACK_URL },
    // A HEAD request would use up the state.
    exposeHeadRoute: false,
    schema: { hide: true },
    handler: (request, reply) => handleOAuthCallback(deps, request, reply),
  }
}

/** The provider chooses the length of the code: with 8,192 characters, and other parameters. */
const MAX_CALLBACK_URL = 12_288

/**
 * Handles the redirect from the provider. Claims the state first, in a separate transaction, so that a callback that is
 * repeated, late or from another browser never reaches a provider (quality T8, T9).
 */
async function handleOAuthCallback(
  deps: OAuthFlowDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const query = getRawQuery(request)
  const response = parseAuthorizationResponse(query)
  if (response.state === undefined) return sendUnstartedPage(response, request, reply)
  const stateHash = hashSecret(response.state)
  const session = await deps.database.transaction((trx) =>
    deps.oauthSessions.claim(trx, stateHash, deps.now()),
  )
  const browserSecret = readBrowserSecret(request, deps.baseUrl())
  if (session === undefined)
    return handleReplayedState(deps, response, { stateHash, browserSecret, request, reply })
  const caller = { requestId: request.id, ip: request.auditIp }
  if (browserSecret === undefined || !isSameBrowser(browserSecret, session.browserHash)) {
    await closeSession(deps, session, caller)
    return sendErrorPage(request, reply, 400, 'otherBrowser')
  }
  const received = { query, response }
  const outcome = await completeSession(deps, session, received, { ...caller, browserSecret })
  // A choice needs the cookie as long as it is open.
  if (outcome === ASKING) {
    setBrowserSecret(request, reply, deps.baseUrl())
    return redirect(reply, finishPageUrl(deps.baseUrl(), session))
  }
  if ('code' in outcome && outcome.code === 'already_connected')
    setBrowserSecret(request, reply, deps.baseUrl())
  return redirectAfterOAuth(deps, session, outcome, reply)
}

/** For a response to a sign-in that is unknown here: an app directory of the provider, or an administrator, may have started it. */
function sendUnstartedPage(
  response: AuthorizationResponse,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (response.kind === 'admin_consent') return sendErrorPage(request, reply, 200, 'adminConsent')
  const isMissing = response.kind === 'invalid' && response.reason === 'state_missing'
  return sendErrorPage(request, reply, 400, isMissing ? 'startedElsewhere' : 'notKnown')
}

/** The query of the redirect from the provider. */
interface ReceivedResponse {
  readonly query: string
  /** The query, parsed before the session was known. */
  readonly response: AuthorizationResponse
}

async function completeSession(
  deps: OAuthFlowDeps,
  session: OAuthSession,
  received: ReceivedResponse,
  { browserSecret, ...caller }: EndingRequest & { readonly browserSecret: string },
): Promise<SessionOutcome | typeof ASKING> {
  const partial: PartialResult = {}
  try {
    const context = await loadSessionContext(deps, session)
    partial.context = context
    const { code, extra } = requireCode(context, received)
    const redirectUri = getRedirectUri(deps.baseUrl(), context)
    const client = await loadOAuthClient(deps, context.app)
    const callbackParams = await pickAllowedCallbackParams(deps, context, extra)
    const issued = await redeemCode(deps, context, client, { code, redirectUri, callbackParams })
    partial.tokens = issued
    const tokens = await exchangeIssuedToken(deps, context, client, issued)
    partial.tokens = tokens
    const verified = await verifyTokens(deps, context, client, tokens, (refreshedTokens) => {
      partial.tokens = { ...tokens, ...refreshedTokens }
    })
    partial.verified = verified
    return await finishSignIn(deps, context, verified, { ...caller, browserSecret })
  } catch (error) {
    const isUnfillable = error instanceof TemplateError
    const cause = isUnfillable ? signInError('token_exchange_failed', error.problem) : error
    return failSession(deps, session, cause, caller, partial)
  }
}

interface ReplayedRequest {
  readonly stateHash: Uint8Array
  readonly browserSecret: string | undefined
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/**
 * Responds to a state that is unknown or already claimed. Repeats nothing and sends no request to a provider. The
 * session's own browser may continue, because a reload discards the response that it was waiting for.
 */
async function handleReplayedState(
  deps: OAuthFlowDeps,
  response: AuthorizationResponse,
  { stateHash, browserSecret, request, reply }: ReplayedRequest,
): Promise<FastifyReply> {
  const session = await deps.oauthSessions.findByState(stateHash)
  if (session?.claimedAt == null) return sendUnstartedPage(response, request, reply)
  if (browserSecret === undefined || !isSameBrowser(browserSecret, session.browserHash))
    return sendErrorPage(request, reply, 400, 'finished')
  const returnUrl = await getPageReturnUrl(deps, session)
  if (returnUrl !== undefined) return redirect(reply, returnUrl)
  return sendFinishPage(deps, session, browserSecret, { request, reply, isReplay: true })
}

/**
 * The code of an authorization response, if it has the expected issuer (RFC 9207).
 *
 * @throws ApiError `oauth_issuer_mismatch`, `access_denied`, `admin_consent_granted`, `token_exchange_failed`, `provider_error`;
 * TemplateError if the configuration cannot fill the issuer
 */
function requireCode(
  context: OAuthSessionContext,
  { query, response: received }: ReceivedResponse,
): Extract<AuthorizationResponse, { kind: 'code' }> {
  // Only the session says what the provider calls the code.
  const { code: codeName } = context.type.paramNames
  const response = codeName === undefined ? received : parseAuthorizationResponse(query, codeName)
  if (response.kind === 'admin_consent')
    throw signInError('admin_consent_granted', 'consent of an administrator, without a code')
  if (response.kind === 'invalid')
    throw signInError('token_exchange_failed', 'invalid authorization response')
  if (!isValidIssuer(response.iss, getExpectedIssuer(context)))
    throw signInError('oauth_issuer_mismatch', 'unexpected issuer')
  if (response.kind === 'error') throw toAuthorizationResponseError(response.error)
  return response
}

/** A spec with `x-issuer` says that the provider sends `iss`, and so do metadata that advertise it. */
function getExpectedIssuer({
  type: { issuer },
  secrets: { discovered },
  values,
}: OAuthSessionContext): ExpectedIssuer {
  if (discovered !== undefined) {
    const { issuer, isIssAdvertised: isAdvertised } = discovered.server
    return { issuer, isAdvertised }
  }
  if (issuer === undefined) return { issuer, isAdvertised: false }
  return { issuer: fillPlaceholders(issuer, values), isAdvertised: true }
}

/**
 * Exchanges a code for tokens (RFC 6749 section 4.1.3). Sends it once, to the token endpoint of the session.
 *
 * @throws ApiError `token_exchange_failed`, `provider_error`, `provider_timeout`; TemplateError
 */
async function redeemCode(
  deps: OAuthFlowDeps,
  { type, tenant, secrets: { codeVerifier }, values }: OAuthSessionContext,
  client: OAuthClient,
  {
    code,
    redirectUri,
    callbackParams,
  }: {
    readonly code: string
    readonly redirectUri: string
    readonly callbackParams: Readonly<Record<string, string>>
  },
): Promise<Tokens> {
  const tokens = requireTokens(
    await exchangeCode(deps, {
      type,
      client,
      code,
      redirectUri,
      codeVerifier,
      tenant,
      values: { ...callbackParams, ...values },
    }),
  )
  // The token response takes precedence over parameters that came through a browser.
  return { ...tokens, extra: { ...callbackParams, ...tokens.extra } }
}

/**
 * Exchanges the access token of a sign-in for one that lives longer, at providers that exchange their tokens.
 *
 * @throws ApiError `token_exchange_failed`, `provider_error`, `provider_timeout`; TemplateError
 */
async function exchangeIssuedToken(
  deps: OAuthFlowDeps,
  { type, secrets, tenant }: OAuthSessionContext,
  client: OAuthClient,
  issued: Tokens,
): Promise<Tokens> {
  if (type.exchanges === undefined || issued.refreshToken !== undefined) return issued
  const values = { ...secrets.config, ...issued.extra, access_token: issued.accessToken }
  const request = { type, client, exchange: type.exchanges.first, values, tenant }
  const result = await exchangeToken(deps, request)
  const { extra, scope = issued.scope, ...exchanged } = requireTokens(result)
  return { ...issued, ...exchanged, scope, extra: { ...issued.extra, ...extra } }
}

function requireTokens(result: TokenResult): Tokens {
  if (result.kind === 'tokens') return result.tokens
  throw toSignInError(result, 'token_exchange_failed')
}

/** Maps an error response (RFC 6749 section 4.1.2.1): denied access and provider outages have their own codes. */
function toAuthorizationResponseError(error: string): ApiError {
  if (error === 'access_denied') return signInError('access_denied', error)
  if (error === 'server_error' || error === 'temporarily_unavailable')
    return signInError('provider_error', error)
  return signInError('token_exchange_failed', error)
}

/**
 * Returns the callback parameters that the spec lists in `callback_params`. They came through a browser, so values that
 * the spec's field of that name does not allow are dropped: only validated values may affect where requests are sent.
 */
async function pickAllowedCallbackParams(
  deps: Pick<OAuthFlowDeps, 'validateConfig'>,
  { session, tenant, spec, type }: OAuthSessionContext,
  params: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const names = type.callbackParams.filter((name) => Object.hasOwn(params, name))
  if (names.length === 0) return {}
  const allowed = new Map(names.map((name) => [name, params[name] ?? '']))
  const fields = listConfigFields(spec, session.authType)
  for (const [name, value] of allowed) {
    const property = fields?.properties.get(name)
    if (property === undefined) continue
    const schema = { properties: new Map([[name, property]]), required: [], declaresRequired: true }
    if (!(await isValid(deps.validateConfig(schema, { [name]: value }, tenant))))
      allowed.delete(name)
  }
  return Object.fromEntries(allowed)
}

async function isValid(validation: Promise<void>): Promise<boolean> {
  try {
    await validation
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'validation_failed') return false
    throw error
  }
}

/**
 * Verifies tokens with CHECK, using the configuration that existing bundles expect, and loads the identity. Observes a
 * bundle that refreshes the tokens itself: the latest tokens are the ones to store, or to revoke if the session fails.
 *
 * @param onRefreshed receives refreshed tokens as soon as the bundle obtains them
 * @throws ApiError `credentials_rejected`, `provider_error`, `provider_timeout`
 * @throws RunnerError when the bundle fails
 */
async function verifyTokens(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  client: OAuthClient,
  tokens: Tokens,
  onRefreshed: (refreshed: TokenSet) => void,
): Promise<VerifiedTokens> {
  const { session, definition, account, tenant, secrets } = context
  const { ownConfig, selectedFacts, ...prepared } = prepareTokens(
    deps,
    definition,
    session.authType,
    toConfig(context, tokens),
    { tenant, resource: secrets.discovered?.resource, client },
  )
  let latest: TokenSet = tokens
  const observer = new TokenObserver(prepared.config, async (refreshed) => {
    if (refreshed.configuredToken !== tokens.refreshToken) return
    latest = mergeRefreshedTokens(tokens, refreshed, deps.now())
    onRefreshed(latest)
  })
  const asksAgain = await isReconnectOfPortal(deps, session)
  const inspection = {
    selection: { ...toFactSelection(selectedFacts, account?.facts), asksAgain },
    withIdentity: true,
    transient: toIdToken(tokens),
    returnsQuestions: true,
  }
  const accepted = await findAccepted(deps, context.spec, { ...prepared, tokens: observer })
  const { facts, factValues, questions, identity } = await inspectConnection(deps, accepted, {
    facts: accepted.facts,
    ...inspection,
  })
  assertIdentityKnown(context, identity)
  const { tokens: rotated } = observer
  const config = rotated.length === 0 ? ownConfig : withObservedTokens(ownConfig, rotated)
  return {
    ...latest,
    grant: readGrant(context, tokens, identity),
    authType: accepted.authType,
    config: { ...config, ...factValues },
    facts,
    questions,
    identityId: identity.id,
    identityLabel: identity.label,
  }
}

/** Whether the person reconnects an account in the portal, where they may choose another site, tenant or company. */
async function isReconnectOfPortal(
  { oauthSessions }: Pick<OAuthFlowDeps, 'oauthSessions'>,
  session: OAuthSession,
): Promise<boolean> {
  const page = session.accountId === null ? undefined : await oauthSessions.findReturnPage(session)
  return page !== undefined && new URLSearchParams(page.returnQuery).has('reconnect')
}

/** An ID token is not stored: CONNECTED alone sees it. */
function toIdToken({ idToken }: Tokens): Record<string, string> {
  return idToken === undefined ? {} : { id_token: idToken }
}

/** A reconnect starts with the values that the account has. */
function toFactSelection(
  selection: Readonly<Record<string, unknown>>,
  previous: AccountFacts = {},
): FactSelection {
  const others = Object.entries(selection).filter(
    ([name, value]) => value !== previous[name]?.value,
  )
  return { selected: Object.fromEntries(others), previous }
}

/** What IDENTITY says was granted, otherwise the token response, and otherwise what was requested (RFC 6749 section 5.1). */
function readGrant(
  context: OAuthSessionContext,
  { scope }: Tokens,
  { scopes }: Identity,
): ScopeGrant {
  return createGrant(listRequested(context), scopes ?? scope, context.type)
}

function listRequested({ secrets, type, app }: OAuthSessionContext): readonly string[] {
  return secrets.requestedScopes ?? getRequestedScopes(type, app)
}

function toConfig(context: OAuthSessionContext, tokens: Tokens): Record<string, unknown> {
  const { secrets, type } = context
  return {
    ...toNestedFields(tokens.nested),
    ...mergeKnownFields(secrets, tokens.extra),
    token_type: tokens.tokenType,
    scope: tokens.scope || listRequested(context).join(type.scopeSeparator),
    ...toTokenFields(tokens),
  }
}

function mergeRefreshedTokens(initial: TokenSet, refreshed: ObservedTokens, now: number): TokenSet {
  const { accessToken, refreshToken = initial.refreshToken, expiresIn } = refreshed
  const expiresAt = expiresIn === undefined ? undefined : now + expiresIn * 1_000
  return { accessToken, refreshToken, expiresAt }
}

/** If the identity matters, an unreachable provider is reported as such, not as a different user. */
function assertIdentityKnown(
  { session, account }: OAuthSessionContext,
  { unreachable }: Identity,
): void {
  const isIdentityRequired = account?.identityId != null && !session.allowsOtherIdentity
  if (isIdentityRequired && unreachable !== undefined)
    throw createProviderUnavailableError(unreachable)
}

/** Precedence: input of the user, then values of this token response, then values of an earlier sign-in. */
function mergeKnownFields(
  { config, earlier = [] }: OAuthSessionSecrets,
  extra: Tokens['extra'],
): Record<string, unknown> {
  const isNew = (name: string) => Object.hasOwn(extra, name) && earlier.includes(name)
  const inputFields = Object.entries(config).filter(([name]) => !isNew(name))
  return { ...extra, ...Object.fromEntries(inputFields) }
}

/** Without a refresh token, also passes the access token as `api_key`, for bundles that accept only an API key. */
function toTokenFields({ accessToken, refreshToken }: TokenSet): Record<string, string> {
  return refreshToken === undefined
    ? { access_token: accessToken, api_key: accessToken }
    : { access_token: accessToken, refresh_token: refreshToken }
}

type Subject = Omit<PreparedTokens, 'ownConfig' | 'selectedFacts'> & {
  readonly tokens: TokenObserver
}

/** The tokens under the auth type for which CHECK accepts them: the session's, or the API key type if there is no refresh token. */
async function findAccepted(deps: OAuthFlowDeps, spec: Spec, subject: Subject): Promise<Subject> {
  const outcome = await runCheck(deps, subject)
  const apiKeyType =
    outcome.result.status || !('api_key' in subject.config) ? undefined : findApiKeyType(spec)
  if (apiKeyType !== undefined) {
    const retried = { ...subject, authType: apiKeyType, facts: listFacts(spec, apiKeyType) }
    const retryOutcome = await runCheck(deps, retried)
    if (retryOutcome.result.status) return retried
  }
  assertAccepted(outcome)
  return subject
}

function findApiKeyType(spec: Spec): string | undefined {
  return Object.keys(spec.auth_specification).find(
    (name) =>
      !isOAuthType(spec, name) && listConfigFields(spec, name)?.properties.has('api_key') === true,
  )
}
