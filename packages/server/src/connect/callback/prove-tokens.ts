import type { Spec } from '@linchpin/runner'
import { askIdentity, type Identity } from '../../account/check/ask-identity.ts'
import { refuseUnlessAccepted } from '../../account/check/refuse-unless-accepted.ts'
import { type RotatedTokens, rotateByHeaders } from '../../account/check/rotate-by-headers.ts'
import { providerFailure, runCheck } from '../../account/check/run-check.ts'
import { configFields, isOAuthType } from '../../account/config/config-fields.ts'
import { withClient } from '../../account/renewal/grant/open-grant.ts'
import type { Tokens } from '../../oauth/answer/token-result.ts'
import { askedScopes } from '../../oauth/authorize/asked-scopes.ts'
import { appScopes } from '../../oauth-app/oauth-app-answer.ts'
import { openClient } from '../../oauth-app/oauth-client.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import type { AttemptSecrets } from '../attempt/attempt-secrets.ts'
import type { ConnectDeps } from '../connect-deps.ts'

/** Tokens in hand. */
interface HeldTokens {
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
 * Proves tokens in the jail, with the configuration that existing bundles expect. A bundle that renews tokens itself
 * in HEADERS is not asked to CHECK after a rotation: that would use up the new refresh token, and its rotation is proof.
 *
 * @throws ApiError `credentials_rejected`, `provider_error`, `provider_timeout`; RunnerError
 */
export async function proveTokens(
  deps: ConnectDeps,
  context: AttemptContext,
  tokens: Tokens,
): Promise<ProvenTokens> {
  const { attempt, definition, spec, secrets, type, app } = context
  const client = await openClient(deps.vault, app)
  const sha256 = definition.bundle_sha256
  const subject = {
    sha256,
    tenant: context.tenant,
    hosts: spec['x-hosts'],
    authType: attempt.auth_type,
  }
  const facts = {
    ...known(secrets, tokens.extra),
    token_type: tokens.tokenType,
    scope: tokens.scope ?? askedScopes(type, appScopes(app)).join(type.scopeSeparator),
  }
  const first: HeldTokens = tokens
  const rotated =
    first.refreshToken === undefined
      ? undefined
      : await rotateByHeaders(deps, {
          ...subject,
          config: withClient({ ...facts, ...kept(first) }, client),
        })
  const held = rotated === undefined ? first : withRotated(first, rotated)
  const config = { ...facts, ...kept(held) }
  const whole = { ...subject, config: withClient(config, client) }
  const authType = rotated === undefined ? await checkedType(deps, spec, whole) : attempt.auth_type
  // A bundle that rotates must not be given the chance to lose what it rotates.
  const { refresh_token: _refreshToken, ...shown } = whole.config
  const asked = { ...whole, authType, config: rotated === undefined ? whole.config : shown }
  const identity = await askIdentity(deps, asked)
  refuseUnheard(context, identity)
  const { id, label } = identity
  return { ...held, authType, config, identityId: id, identityLabel: label }
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

/** Headers that carry no access token leave the one that there is. */
function withRotated(first: HeldTokens, rotated: RotatedTokens): HeldTokens {
  const { accessToken, refreshToken, expiresAt } = rotated
  return accessToken === undefined
    ? { ...first, refreshToken }
    : { accessToken, refreshToken, expiresAt }
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
