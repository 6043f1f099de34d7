import { type ObservedTokens, type Spec, TokenObserver } from '@linchpin/runner'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashSecret } from '../../../access/auth/access-token.ts'
import type { AccountFacts } from '../../../accounts/accounts/account.ts'
import {
  findHeaderError,
  isOAuthType,
  listConfigFields,
  listFacts,
  listTokenHosts,
  splitFacts,
} from '../../../accounts/accounts/credentials/account-config.ts'
import { withObservedTokens } from '../../../accounts/accounts/verification/rotated-tokens.ts'
import {
  assertAccepted,
  ChoiceRequiredError,
  createProviderUnavailableError,
  type FactSelection,
  fetchFacts,
  fetchIdentity,
  type Identity,
  runCheck,
  toFactValues,
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
  parseScopes,
  type ScopeGrant,
} from '../../../integrations/oauth/spec/scopes.ts'
import { fillPlaceholders, TemplateError } from '../../../integrations/oauth/template.ts'
import {
  guardSecret,
  withClientCredentials,
} from '../../../integrations/oauth/token/client-request.ts'
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
import {
  getTemplateValues,
  loadSessionContext,
  type OAuthSessionContext,
} from '../session/session-context.ts'
import { ASKING, finishSignIn } from './finish-sign-in.ts'

/**
 * Handles the redirect from the provider. Claims the state first, in a separate transaction, so that a callback that is
 * repeated, late or from another browser never reaches a provider (quality T8, T9).
 */
export async function handleOAuthCallback(
  deps: OAuthFlowDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const query = getRawQuery(request)
  const response = parseAuthorizationResponse(query)
  if (response.state === undefined) return sendUnstartedPage(response, request, reply)
  const stateHash = hashSecret(response.state)
  const browserSecret = readBrowserSecret(request, deps.baseUrl())
  const session = await deps.database.transaction((trx) =>
    deps.oauthSessions.claim(trx, stateHash, deps.now()),
  )
  if (session === undefined)
    return handleReplayedState(deps, response, { stateHash, browserSecret, request, reply })
  if (browserSecret === undefined || !isSameBrowser(browserSecret, session.browserHash)) {
    await closeSession(deps, session, { requestId: request.id, ip: request.auditIp })
    return sendErrorPage(request, reply, 400, 'otherBrowser')
  }
  const outcome = await completeSession(deps, session, query, {
    requestId: request.id,
    ip: request.auditIp,
    browserSecret,
  })
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

async function completeSession(
  deps: OAuthFlowDeps,
  session: OAuthSession,
  query: string,
  { browserSecret, ...caller }: EndingRequest & { readonly browserSecret: string },
): Promise<SessionOutcome | typeof ASKING> {
  const partial: PartialResult = {}
  try {
    const context = await loadSessionContext(deps, session)
    partial.context = context
    // Only the session says what the provider calls the code.
    const response = parseAuthorizationResponse(query, context.type.paramNames.code)
    const issued = await exchangeAuthorizationCode(deps, context, response)
    partial.tokens = issued
    const tokens = await exchangeIssuedToken(deps, context, issued)
    partial.tokens = tokens
    const verified = await verifyTokens(deps, context, tokens, (refreshedTokens) => {
      partial.tokens = { ...tokens, ...refreshedTokens }
    })
    partial.verified = verified
    return await finishSignIn(deps, context, verified, { ...caller, browserSecret })
  } catch (error) {
    return failSession(deps, session, error, caller, partial)
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
 * Exchanges the code of an authorization response for tokens (RFC 6749 section 4.1.3). Sends the code once, to the
 * token endpoint of the session, and only if the response has the expected issuer (RFC 9207).
 *
 * @throws ApiError `oauth_issuer_mismatch`, `access_denied`, `admin_consent_granted`, `token_exchange_failed`,
 * `provider_error`, `provider_timeout`
 */
async function exchangeAuthorizationCode(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  response: AuthorizationResponse,
): Promise<Tokens> {
  const values = getTemplateValues(context.secrets.config, context.app)
  if (response.kind === 'admin_consent')
    throw signInError('admin_consent_granted', 'consent of an administrator, without a code')
  if (response.kind === 'invalid')
    throw signInError('token_exchange_failed', 'invalid authorization response')
  try {
    if (!isValidIssuer(response.iss, getExpectedIssuer(context, values)))
      throw signInError('oauth_issuer_mismatch', 'unexpected issuer')
    if (response.kind === 'error') throw toAuthorizationResponseError(response.error)
    const { codeVerifier } = context.secrets
    const client = await loadOAuthClient(deps, context.app)
    const redirectUri = getRedirectUri(deps.baseUrl(), context)
    const { type, tenant } = context
    const { code } = response
    const allowedParams = await pickAllowedCallbackParams(deps, context, response.extra)
    const tokens = requireTokens(
      await exchangeCode(deps, {
        type,
        client,
        code,
        redirectUri,
        codeVerifier,
        tenant,
        values: { ...allowedParams, ...values },
      }),
    )
    // The token response takes precedence over parameters that came through a browser.
    return { ...tokens, extra: { ...allowedParams, ...tokens.extra } }
  } catch (error) {
    if (error instanceof TemplateError) throw signInError('token_exchange_failed', error.problem)
    throw error
  }
}

/** A spec with `x-issuer` says that the provider sends `iss`, and so do metadata that advertise it. */
function getExpectedIssuer(
  { type: { issuer }, secrets: { discovered } }: OAuthSessionContext,
  values: Readonly<Record<string, unknown>>,
): ExpectedIssuer {
  if (discovered !== undefined) {
    const { issuer, isIssAdvertised: isAdvertised } = discovered.server
    return { issuer, isAdvertised }
  }
  if (issuer === undefined) return { issuer, isAdvertised: false }
  return { issuer: fillPlaceholders(issuer, values), isAdvertised: true }
}

/**
 * Exchanges the access token of a sign-in for one that lives longer, at providers that exchange their tokens.
 *
 * @throws ApiError `token_exchange_failed`, `provider_error`, `provider_timeout`
 */
async function exchangeIssuedToken(
  deps: OAuthFlowDeps,
  { type, app, secrets, tenant }: OAuthSessionContext,
  issued: Tokens,
): Promise<Tokens> {
  if (type.exchanges === undefined || issued.refreshToken !== undefined) return issued
  const client = await loadOAuthClient(deps, app)
  const config = { ...secrets.config, ...issued.extra, access_token: issued.accessToken }
  const request = { type, client, exchange: type.exchanges.first, values: config, tenant }
  try {
    const {
      extra,
      scope = issued.scope,
      ...exchanged
    } = requireTokens(await exchangeToken(deps, request))
    return { ...issued, ...exchanged, scope, extra: { ...issued.extra, ...extra } }
  } catch (error) {
    if (error instanceof TemplateError) throw signInError('token_exchange_failed', error.problem)
    throw error
  }
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
  tokens: Tokens,
  onRefreshed: (refreshed: TokenSet) => void,
): Promise<VerifiedTokens> {
  const { session, spec } = context
  const { bundleSha256: sha256 } = context.definition
  const client = await loadOAuthClient(deps, context.app)
  const { rest: initialConfig, selection } = splitFacts(
    listFacts(spec, session.authType),
    toConfig(context, tokens),
  )
  let latest: TokenSet = tokens
  const config = withClientCredentials(initialConfig, client)
  const headerError = findHeaderError(spec, session.authType, config)
  if (headerError !== undefined) throw signInError('token_exchange_failed', headerError.problem)
  const observer = new TokenObserver(config, async (refreshed) => {
    if (refreshed.configuredToken !== tokens.refreshToken) return
    latest = mergeRefreshedTokens(tokens, refreshed, deps.now())
    onRefreshed(latest)
  })
  const subject = {
    bundle: { sha256, load: () => deps.bundles.load(sha256) },
    tenant: context.tenant,
    hosts: listTokenHosts(spec, context.secrets.discovered?.resource),
    authType: session.authType,
    tokens: observer,
    secret: guardSecret(client),
  }
  const authType = await findAcceptedAuthType(deps, spec, { ...subject, config })
  const accepted = { ...subject, authType, config }
  const { facts, questions, identity } = await inspect(deps, context, accepted, {
    tokens,
    selection,
  })
  const { id, label } = identity
  const { tokens: rotated } = observer
  const latestConfig =
    rotated.length === 0 ? initialConfig : withObservedTokens(initialConfig, rotated)
  return {
    ...latest,
    grant: readGrant(context, tokens, identity),
    authType,
    config: { ...latestConfig, ...toFactValues(facts) },
    facts,
    questions,
    identityId: id,
    identityLabel: label,
  }
}

/** What the provider says about a connection whose tokens it has accepted: its facts, then its user. */
async function inspect(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  accepted: Parameters<typeof fetchIdentity>[1],
  {
    tokens,
    selection,
  }: { readonly tokens: Tokens; readonly selection: FactSelection['selected'] & object },
) {
  const { session, spec, account } = context
  const { authType, config } = accepted
  const asksAgain = await isReconnectOfPortal(deps, session)
  const found = await findFacts(
    fetchFacts(
      deps,
      { ...accepted, config: { ...config, ...toIdToken(tokens) } },
      listFacts(spec, authType),
      { ...toFactSelection(selection, account?.facts), asksAgain },
    ),
  )
  const known = { ...config, ...toFactValues(found.facts) }
  const identity = await fetchIdentity(deps, { ...accepted, config: known })
  assertIdentityKnown(context, identity)
  return { ...found, identity }
}

/** The facts as far as the provider has decided them, and what its user has to choose. */
async function findFacts(
  fetched: Promise<AccountFacts>,
): Promise<Pick<VerifiedTokens, 'questions'> & { readonly facts: AccountFacts }> {
  try {
    return { facts: await fetched }
  } catch (error) {
    if (!(error instanceof ChoiceRequiredError)) throw error
    return { facts: error.facts, questions: error.questions }
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
  { scopes: identityScopes }: Identity,
): ScopeGrant {
  const { type } = context
  const reported = identityScopes ?? (scope === undefined ? undefined : parseScopes(scope, type))
  return createGrant(listRequested(context), reported, type.grantedScopes)
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

type Subject = Parameters<typeof runCheck>[1]

/**
 * The auth type under which CHECK accepts the tokens: the session's, or the API key type if there is no refresh token.
 */
async function findAcceptedAuthType(
  deps: OAuthFlowDeps,
  spec: Spec,
  subject: Subject,
): Promise<string> {
  const outcome = await runCheck(deps, subject)
  const apiKeyType =
    outcome.result.status || !('api_key' in subject.config) ? undefined : findApiKeyType(spec)
  if (apiKeyType !== undefined) {
    const retryOutcome = await runCheck(deps, { ...subject, authType: apiKeyType })
    if (retryOutcome.result.status) return apiKeyType
  }
  assertAccepted(outcome)
  return subject.authType
}

function findApiKeyType(spec: Spec): string | undefined {
  return Object.keys(spec.auth_specification).find(
    (name) =>
      !isOAuthType(spec, name) && listConfigFields(spec, name)?.properties.has('api_key') === true,
  )
}
