import type { Gate } from '@linchpin/runner'
import { recordAudit } from '../../audit/audit-store.ts'
import type { Caller } from '../../caller/caller.ts'
import type { DefinitionStore } from '../../definition/definition-store.ts'
import { ApiError } from '../../errors.ts'
import type { Log } from '../../http/log.ts'
import { callbackUrl } from '../../oauth/authorize/callback-url.ts'
import type { OAuthType } from '../../oauth/spec/auth-type.ts'
import { usualOAuthType } from '../../oauth/spec/oauth-types.ts'
import type { OAuthAppRow } from '../../storage/tables.ts'
import type { Vault } from '../../vault/vault.ts'
import { type FindOAuthAppDeps, findOAuthApp } from '../find-oauth-app.ts'
import { appScopes } from '../oauth-app-answer.ts'
import { openClient } from '../oauth-client.ts'
import { compareScopes } from './compare-scopes.ts'
import { foreseeConsent } from './foresee-consent.ts'
import { foreseeRefresh } from './foresee-refresh.ts'
import type { OAuthAppCheck, OAuthAppReport } from './oauth-app-report.ts'
import { probeClient } from './probe-client.ts'

export interface TestOAuthAppDeps extends FindOAuthAppDeps {
  readonly definitions: DefinitionStore
  readonly vault: Vault
  readonly gate: Gate
  readonly baseUrl: () => string
  readonly log: Log
  readonly now: () => number
}

/**
 * The doctor: tells what is wrong with an OAuth app before a customer meets it. Sends one token request with a made-up
 * code; stores nothing but a line in the audit trail.
 *
 * @throws ApiError `oauth_app_not_found`; `auth_type_not_allowed` when the definition has no sign-in any more;
 * `oauth_app_secret_required`
 */
export async function testOAuthApp(
  deps: TestOAuthAppDeps,
  caller: Caller,
  appId: string,
): Promise<OAuthAppReport> {
  const app = await findOAuthApp(deps, caller, appId)
  const type = await oauthTypeOf(deps, caller, app)
  // The client's credentials go out, so the trail has it before that.
  await deps.database.transaction((trx) =>
    recordAudit(trx, caller, deps.now(), {
      action: 'oauth_app.tested',
      workspaceId: app.workspace_id,
      subject: appId,
    }),
  )
  const redirectUri = callbackUrl(deps.baseUrl())
  const client = await openClient(deps, app, { actor: caller })
  const tenant = { workspaceId: app.workspace_id, definitionId: app.definition_id }
  const probe = await probeClient(deps, { type, client, redirectUri, tenant })
  const { scopes, check } = compareScopes(type, appScopes(app))
  return {
    redirectUri,
    checks: [
      redirectCheck(redirectUri, probe.refusesRedirect),
      probe.endpoint,
      probe.credentials,
      check,
      foreseeRefresh(type, scopes.app),
      foreseeConsent(type),
    ],
    scopes,
  }
}

async function oauthTypeOf(
  deps: TestOAuthAppDeps,
  caller: Caller,
  app: OAuthAppRow,
): Promise<OAuthType> {
  const definition = await deps.definitions.find(caller, app.definition_id, app.workspace_id)
  const found = definition && usualOAuthType(JSON.parse(definition.spec))
  if (found === undefined)
    throw new ApiError(
      'auth_type_not_allowed',
      'The definition of this OAuth app has no auth type with sign-in at the provider.',
    )
  return found.type
}

function redirectCheck(redirectUri: string, isRefused: boolean): OAuthAppCheck {
  const name = 'redirect_uri'
  if (isRefused)
    return { name, status: 'failed', message: `Register ${redirectUri} at the provider.` }
  if (new URL(redirectUri).protocol === 'http:')
    return {
      name,
      status: 'warning',
      message: `${redirectUri} works for browsers on this machine only. Set LINCHPIN_PUBLIC_URL before customers connect.`,
    }
  return {
    name,
    status: 'unknown',
    message: `Register ${redirectUri} at the provider, character by character. Only a connection shows whether it is.`,
  }
}
