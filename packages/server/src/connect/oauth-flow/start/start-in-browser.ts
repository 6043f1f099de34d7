import { hashSecret } from '../../../access/auth/access-token.ts'
import type { WorkspaceAccess } from '../../../access/auth/caller.ts'
import { toConsentPageUrl } from '../../../integrations/acme-sandbox/consent-page.ts'
import {
  buildAuthorizationUrl,
  deriveCodeChallenge,
  generateCodeVerifier,
  generateState,
  pushAuthorizationRequest,
} from '../../../integrations/oauth/authorize/authorization-request.ts'
import { getRedirectUri } from '../../../integrations/oauth/authorize/authorization-response.ts'
import { getRequestedScopes } from '../../../integrations/oauth/spec/scopes.ts'
import { TemplateError } from '../../../integrations/oauth/template.ts'
import { loadOAuthClient } from '../../../integrations/oauth-apps/load-oauth-client.ts'
import type { Actor } from '../../../platform/record/change.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { StartOAuth } from '../oauth-schemas.ts'
import { failSession, signInError, toSignInError } from '../session/end-session.ts'
import type { OAuthSession } from '../session/oauth-session.ts'
import {
  getTemplateValues,
  type OAuthSessionContext,
  sealSessionSecrets,
} from '../session/session-context.ts'
import { resolveOAuthStart, type StartOfPage } from './resolve-oauth-start.ts'
import { createOAuthSessionRecord, validateStart } from './validate-start.ts'

/** The input of a start on a page of this service that has already informed the user. */
export interface StartInBrowserInput {
  readonly input: StartOAuth
  /** Binds the session to the browser that is redirected to the provider. */
  readonly browserSecret: string
  /** The secret of a page that does not see the cookie of this browser, for the confirmation token; undefined otherwise. */
  readonly confirmSecret?: string | undefined
  /** The connect session of the page; undefined on the page of a link. */
  readonly connectSession?: StartOfPage['connectSession']
  /** Runs in the transaction that stores the session. */
  readonly onInsert: (trx: Transaction, session: OAuthSession) => Promise<void>
}

/**
 * Starts an OAuth session in the requesting browser, without a consent page in between. Returns the authorization URL;
 * undefined when the provider rejected a pushed authorization request, in which case the session has failed.
 *
 * @throws ApiError as `resolveStart` and `validateStart`
 */
export async function startInBrowser(
  deps: OAuthFlowDeps,
  starter: WorkspaceAccess & Actor,
  { input, browserSecret, confirmSecret, connectSession, onInsert }: StartInBrowserInput,
): Promise<string | undefined> {
  const target = await resolveOAuthStart(deps, starter, input, { connectSession })
  const initialSecrets = await validateStart(deps, starter, target, input.config)
  const session = createOAuthSessionRecord(target, starter, input, deps.now())
  const state = generateState()
  const codeVerifier = generateCodeVerifier()
  const secrets = {
    ...initialSecrets,
    codeVerifier,
    ...(confirmSecret === undefined ? {} : { confirmSecret }),
  }
  const boundSession: OAuthSession = {
    ...session,
    stateHash: hashSecret(state),
    browserHash: hashSecret(browserSecret),
    sealedSecrets: await sealSessionSecrets(deps.vault, session, secrets),
  }
  await deps.database.transaction(async (trx) => {
    await deps.oauthSessions.insert(trx, starter, boundSession)
    await onInsert(trx, boundSession)
  })
  try {
    return await prepareAuthorizationUrl(deps, { ...target, secrets }, { state, codeVerifier })
  } catch (error) {
    await failSession(deps, boundSession, error, starter)
    return undefined
  }
}

/**
 * Builds the authorization URL. If the spec names a pushed authorization request endpoint, pushes the request there
 * once, and the URL contains only its `request_uri` (RFC 9126).
 *
 * @throws ApiError `authorization_request_failed`, `provider_error`, `provider_timeout`
 */
export async function prepareAuthorizationUrl(
  deps: OAuthFlowDeps,
  { type, app, secrets, tenant }: Pick<OAuthSessionContext, 'app' | 'secrets' | 'type' | 'tenant'>,
  { state, codeVerifier }: { readonly state: string; readonly codeVerifier: string },
): Promise<string> {
  const { requestedScopes = getRequestedScopes(type, app), addedScopes } = secrets
  const request = {
    type,
    scopes: addedScopes ?? requestedScopes,
    includesGranted: addedScopes !== undefined,
    state,
    codeChallenge: await deriveCodeChallenge(codeVerifier),
    values: getTemplateValues(secrets.config, app),
  }
  try {
    const redirectUri = getRedirectUri(deps.baseUrl(), { type, app })
    if (type.pushedRequestUrl === undefined)
      return toBrowserUrl(
        deps,
        buildAuthorizationUrl({ ...request, redirectUri, clientId: app.clientId }),
      )
    const client = await loadOAuthClient(deps, app)
    const result = await pushAuthorizationRequest(deps, {
      ...request,
      redirectUri,
      client,
      tenant,
    })
    if (result.kind === 'pushed') return toBrowserUrl(deps, result.url)
    throw toSignInError(result, 'authorization_request_failed')
  } catch (error) {
    if (error instanceof TemplateError)
      throw signInError('authorization_request_failed', error.problem)
    throw error
  }
}

/** Where a browser goes for an authorization URL: that of Acme Sandbox is a page of this service, and an emulator has all others. */
function toBrowserUrl(
  { baseUrl, emulator }: Pick<OAuthFlowDeps, 'baseUrl' | 'emulator'>,
  authorizationUrl: string,
): string {
  const url = toConsentPageUrl(authorizationUrl, baseUrl())
  if (emulator === undefined || url !== authorizationUrl || !url.startsWith('https://')) return url
  return `${emulator.origin}/_hosts/${url.slice('https://'.length)}`
}
