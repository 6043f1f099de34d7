import type { EgressGateway } from '@linchpin/runner'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation, PROVIDER_ERRORS } from '../../access/operations/define-operation.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Log } from '../../platform/http/log.ts'
import { StrictObject } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import { getCallbackUrl } from '../oauth/authorize/authorization-response.ts'
import { bindToServer } from '../oauth/discovery/authorization-server.ts'
import { getDefaultOAuthType, type OAuthType } from '../oauth/spec/parse-oauth-type.ts'
import type { OAuthClient } from '../oauth/token/client-request.ts'
import { loadOAuthClient } from './load-oauth-client.ts'
import { type OAuthApp, type OAuthAppId, readServer } from './oauth-app.ts'
import {
  compareScopes,
  describeAuthorizationRequest,
  type OAuthAppCheck,
  OAuthAppReport,
  predictRefresh,
  probeClient,
} from './oauth-app-checks.ts'
import { type RequireOAuthAppDeps, requireOAuthApp } from './oauth-app-operations.ts'
import { OAuthAppParams } from './schemas.ts'

export interface TestOAuthAppDeps extends RequireOAuthAppDeps {
  readonly definitions: DefinitionStore
  readonly vault: Vault
  readonly egressGateway: EgressGateway
  readonly baseUrl: () => string
  readonly log: Log
  readonly now: () => number
}

export const testOAuthAppOperation = defineOperation({
  id: 'testOAuthApp',
  sdk: 'oauthApps.test',
  method: 'POST',
  path: '/v1/integration_oauth/:integrationOAuthAppId/test',
  tag: 'OAuth apps',
  summary: 'Diagnose an OAuth app',
  description:
    'Sends the provider one token request with a made-up code, compares scopes, and predicts whether refresh tokens are issued. Problems of the app are reported with status 200 in `checks`.',
  scope: 'apps:write',
  params: OAuthAppParams,
  body: StrictObject({}),
  response: OAuthAppReport,
  returns: 'The diagnosis.',
  errors: ['oauth_app_not_found', 'oauth_app_secret_required', ...PROVIDER_ERRORS],
  audit: 'oauth_app.tested',
  config: { optionalBody: true, ignoresIdempotencyKey: true },
  handle: (deps: TestOAuthAppDeps, caller, { params }) =>
    testOAuthApp(deps, caller, params.integrationOAuthAppId),
})

/**
 * Diagnoses an OAuth app. Sends one token request with a made-up code. Stores nothing except an audit event.
 *
 * @throws ApiError `oauth_app_not_found`; `auth_type_not_allowed` if the definition no longer has an OAuth type;
 * `oauth_app_secret_required`
 */
export async function testOAuthApp(
  deps: TestOAuthAppDeps,
  caller: Caller,
  appId: OAuthAppId,
): Promise<OAuthAppReport> {
  const app = await requireOAuthApp(deps, caller, appId)
  const type = await loadOAuthType(deps, caller, app)
  // Record the event before the client's credentials are sent.
  await deps.database.transaction((trx) =>
    record(trx, caller, deps.now(), {
      action: 'oauth_app.tested',
      workspaceId: app.workspaceId,
      subject: appId,
    }),
  )
  const client = await loadOAuthClient(deps, app, { actor: caller })
  return diagnoseClient(deps, { app, type, client })
}

/** A client to diagnose, whether its app is stored or not. */
export interface DiagnosedClient {
  readonly app: Pick<
    OAuthApp,
    'workspaceId' | 'definitionId' | 'scopes' | 'scopesMode' | 'redirectName'
  >
  readonly type: OAuthType
  readonly client: OAuthClient
  /** Values for the placeholders of the token endpoint, as far as they are known. */
  readonly config?: Readonly<Record<string, unknown>>
}

/** Diagnoses a client. Sends one token request with a made-up code. @throws ApiError `oauth_app_secret_required` */
export async function diagnoseClient(
  deps: Pick<TestOAuthAppDeps, 'baseUrl' | 'egressGateway' | 'now'>,
  { app, type, client, config }: DiagnosedClient,
): Promise<OAuthAppReport> {
  const redirectUri = getCallbackUrl(deps.baseUrl())
  const tenant = { workspaceId: app.workspaceId, definitionId: app.definitionId }
  const sent = app.redirectName ?? redirectUri
  const probe = await probeClient(deps, { type, client, redirectUri: sent, tenant, config })
  const { scopes, check } = compareScopes(type, app)
  return {
    redirectUri,
    checks: [
      checkRedirectUri(redirectUri, probe.rejectsRedirectUri),
      probe.endpoint,
      probe.credentials,
      check,
      predictRefresh(type, app),
      describeAuthorizationRequest(type),
    ],
    scopes,
  }
}

async function loadOAuthType(
  deps: TestOAuthAppDeps,
  caller: Caller,
  app: OAuthApp,
): Promise<OAuthType> {
  const definition = await deps.definitions.find(caller, app.definitionId, app.workspaceId)
  const oauthType = definition && getDefaultOAuthType(definition.spec)
  if (oauthType === undefined)
    throw new ApiError(
      'auth_type_not_allowed',
      'The definition of this OAuth app has no OAuth auth type.',
    )
  const server = readServer(app)
  return server === undefined ? oauthType.type : bindToServer(oauthType.type, { server })
}

function checkRedirectUri(redirectUri: string, isRejected: boolean): OAuthAppCheck {
  const name = 'redirect_uri'
  if (isRejected)
    return { name, status: 'failed', message: `Register ${redirectUri} at the provider.` }
  if (new URL(redirectUri).protocol === 'http:')
    return {
      name,
      status: 'warning',
      message: `${redirectUri} works only in browsers on this machine. Set LINCHPIN_PUBLIC_URL before customers connect.`,
    }
  return {
    name,
    status: 'unknown',
    message: `Register exactly ${redirectUri} at the provider. Only a connection attempt can verify this.`,
  }
}
