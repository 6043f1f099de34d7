import { type ObservedTokens, type Spec, TokenObserver } from '@linchpin/runner'
import { askIdentity, type Identity } from '../../account/check/ask-identity.ts'
import { refuseUnlessAccepted } from '../../account/check/refuse-unless-accepted.ts'
import { providerFailure, runCheck } from '../../account/check/run-check.ts'
import { withObservedTokens } from '../../account/check/with-observed-tokens.ts'
import { configFields, isOAuthType } from '../../account/config/config-fields.ts'
import { withClient } from '../../account/renewal/grant/open-grant.ts'
import type { Tokens } from '../../oauth/answer/token-result.ts'
import { askedScopes } from '../../oauth/authorize/asked-scopes.ts'
import { guardSecret } from '../../oauth/token/secret-guard.ts'
import { appScopes } from '../../oauth-app/oauth-app-answer.ts'
import { openClient } from '../../oauth-app/oauth-client.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import type { AttemptSecrets } from '../attempt/attempt-secrets.ts'
import type { ConnectDeps } from '../connect-deps.ts'

/** Tokens in hand. */
export interface HeldTokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** Epoch milliseconds; undefined when unknown. */
  readonly expiresAt: number | undefined
}

/** Tokens that the integration has accepted, as an account keeps them. */
export interface ProvenTokens extends HeldTokens {
  readonly authType: string
  /** What is sealed: never the client's id or secret. */
  readonly config: Readonly<Record<string, unknown>>
  /** The provider's id of who signed in; null when the integration does not tell. */
  readonly identityId: string | null
  /** What the provider calls who signed in; undefined when the integration does not tell. */
  readonly identityLabel?: string | undefined
}

/**
 * Proves tokens by CHECK, with the configuration that existing bundles expect. A bundle that refreshes them by itself is
 * observed: the newest are the ones to store, or to revoke when the sign-in fails.
 *
 * @param hold gets newer tokens as soon as they are there
 * @throws ApiError `credentials_rejected`, `provider_error`, `provider_timeout`; RunnerError
 */
export async function proveTokens(
  deps: ConnectDeps,
  context: AttemptContext,
  tokens: Tokens,
  hold: (newer: HeldTokens) => void,
): Promise<ProvenTokens> {
  const { attempt, definition, spec, secrets, type, app } = context
  const client = await openClient(deps, app)
  const sha256 = definition.bundle_sha256
  const facts = {
    ...known(secrets, tokens.extra),
    token_type: tokens.tokenType,
    scope: tokens.scope ?? askedScopes(type, appScopes(app)).join(type.scopeSeparator),
  }
  const first = { ...facts, ...kept(tokens) }
  let held: HeldTokens = tokens
  const config = withClient(first, client)
  const observer = new TokenObserver(config, async (newer) => {
    if (newer.given !== tokens.refreshToken) return
    held = withNewer(tokens, newer, deps.now())
    hold(held)
  })
  const subject = {
    sha256,
    tenant: context.tenant,
    hosts: spec['x-hosts'],
    authType: attempt.auth_type,
    tokens: observer,
    secret: guardSecret(client),
  }
  const settled = () => observer.settled()
  const authType = await checkedType(deps, spec, { ...subject, config }).finally(settled)
  // The same refresh token as CHECK had: its refresh is answered from the first response.
  const shown = withObservedTokens(config, observer.tokens.map(withoutRotation))
  const whom = { ...subject, authType, config: shown }
  const identity = await askIdentity(deps, whom).finally(settled)
  refuseUnheard(context, identity)
  const { id, label } = identity
  const newest = withObservedTokens(first, observer.tokens)
  return { ...held, authType, config: newest, identityId: id, identityLabel: label }
}

function withoutRotation(tokens: ObservedTokens): ObservedTokens {
  return { ...tokens, refreshToken: undefined }
}

function withNewer(first: HeldTokens, newer: ObservedTokens, now: number): HeldTokens {
  const { accessToken, refreshToken = first.refreshToken, expiresIn } = newer
  const expiresAt = expiresIn === undefined ? undefined : now + expiresIn * 1_000
  return { accessToken, refreshToken, expiresAt }
}

/** Where it matters who signed in, a provider that cannot tell now has not said that it was somebody else. */
function refuseUnheard({ attempt, account }: AttemptContext, { unheard }: Identity): void {
  const matters = account?.identity_id != null && attempt.allow_other_identity === 0
  if (matters && unheard !== undefined) throw providerFailure(unheard)
}

/** What people gave wins over what the provider says, and that over what it said at an earlier sign-in. */
function known(
  { config, earlier = [] }: AttemptSecrets,
  extra: Tokens['extra'],
): Record<string, unknown> {
  const isNew = (name: string) => Object.hasOwn(extra, name) && earlier.includes(name)
  const kept = Object.entries(config).filter(([name]) => !isNew(name))
  return { ...extra, ...Object.fromEntries(kept) }
}

/** Without a refresh token the access token is all there is: also as `api_key`, for bundles with no other way. */
function kept({ accessToken, refreshToken }: HeldTokens): Record<string, string> {
  return refreshToken === undefined
    ? { access_token: accessToken, api_key: accessToken }
    : { access_token: accessToken, refresh_token: refreshToken }
}

type Subject = Parameters<typeof runCheck>[1]

/** The auth type under which the bundle accepts the tokens: its own, or the one for keys when no refresh token came. */
async function checkedType(deps: ConnectDeps, spec: Spec, subject: Subject): Promise<string> {
  const outcome = await runCheck(deps, subject)
  const forKeys =
    outcome.answer.status || !('api_key' in subject.config) ? undefined : keyType(spec)
  if (forKeys !== undefined) {
    const second = await runCheck(deps, { ...subject, authType: forKeys })
    if (second.answer.status) return forKeys
  }
  refuseUnlessAccepted(outcome)
  return subject.authType
}

function keyType(spec: Spec): string | undefined {
  return Object.keys(spec.auth_specification).find(
    (name) =>
      !isOAuthType(spec, name) && configFields(spec, name)?.properties.has('api_key') === true,
  )
}
