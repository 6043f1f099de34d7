import { type ObservedTokens, type Spec, TokenObserver } from '@linchpin/runner'
import {
  findHeaderError,
  isOAuthType,
  listConfigFields,
} from '../../../accounts/accounts/credentials/account-config.ts'
import { withObservedTokens } from '../../../accounts/accounts/verification/rotated-tokens.ts'
import {
  assertAccepted,
  createProviderUnavailableError,
  fetchIdentity,
  type Identity,
  runCheck,
} from '../../../accounts/accounts/verification/run-check.ts'
import { getRequestedScopes } from '../../../integrations/oauth/authorize/get-requested-scopes.ts'
import {
  guardSecret,
  withClientCredentials,
} from '../../../integrations/oauth/token/client-request.ts'
import { toNestedFields } from '../../../integrations/oauth/token-response/nested-token-fields.ts'
import type { Tokens } from '../../../integrations/oauth/token-response/token-result.ts'
import { loadOAuthClient } from '../../../integrations/oauth-apps/load-oauth-client.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { OAuthSessionSecrets, TokenSet, VerifiedTokens } from '../session/oauth-session.ts'
import type { OAuthSessionContext } from '../session/session-context.ts'
import { signInError } from '../session/sign-in-error.ts'

/**
 * Verifies tokens with CHECK, using the configuration that existing bundles expect, and loads the identity. Observes a
 * bundle that refreshes the tokens itself: the latest tokens are the ones to store, or to revoke if the session fails.
 *
 * @param onRefreshed receives refreshed tokens as soon as the bundle obtains them
 * @throws ApiError `credentials_rejected`, `provider_error`, `provider_timeout`
 * @throws RunnerError when the bundle fails
 */
export async function verifyTokens(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
  tokens: Tokens,
  onRefreshed: (refreshed: TokenSet) => void,
): Promise<VerifiedTokens> {
  const { session, spec } = context
  const { bundleSha256: sha256 } = context.definition
  const client = await loadOAuthClient(deps, context.app)
  const initialConfig = toConfig(context, tokens)
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
    hosts: spec['x-hosts'],
    authType: session.authType,
    tokens: observer,
    secret: guardSecret(client),
  }
  const authType = await findAcceptedAuthType(deps, spec, { ...subject, config })
  const identity = await fetchIdentity(deps, { ...subject, authType, config })
  assertIdentityKnown(context, identity)
  const { id, label } = identity
  const { tokens: rotated } = observer
  const latestConfig =
    rotated.length === 0 ? initialConfig : withObservedTokens(initialConfig, rotated)
  return { ...latest, authType, config: latestConfig, identityId: id, identityLabel: label }
}

function toConfig(
  { secrets, type, app }: OAuthSessionContext,
  tokens: Tokens,
): Record<string, unknown> {
  return {
    ...toNestedFields(tokens.nested),
    ...mergeKnownFields(secrets, tokens.extra),
    token_type: tokens.tokenType,
    scope: tokens.scope ?? getRequestedScopes(type, app.scopes).join(type.scopeSeparator),
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
