import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../caller/caller.ts'
import { notFound } from '../errors.ts'
import type { OAuthAppRow } from '../storage/tables.ts'
import type { Vault } from '../vault/vault.ts'
import { type FindOAuthAppDeps, findOAuthApp } from './find-oauth-app.ts'
import type { IntegrationOAuthApp, UpdateOAuthApp } from './oauth-app.ts'
import { toOAuthApp } from './oauth-app-answer.ts'
import { secretPlace } from './oauth-client.ts'

export interface UpdateOAuthAppDeps extends FindOAuthAppDeps {
  readonly vault: Vault
  readonly now: () => number
}

/**
 * Replaces the fields that are given; a secret that is left out is kept. What was given counts from the next token
 * request on, for accounts that are connected already too.
 *
 * @throws ApiError `oauth_app_not_found`
 */
export async function updateOAuthApp(
  deps: UpdateOAuthAppDeps,
  caller: Caller,
  appId: string,
  input: UpdateOAuthApp,
): Promise<IntegrationOAuthApp> {
  const before = await findOAuthApp(deps, caller, appId)
  const now = deps.now()
  const change = { ...(await changedColumns(deps.vault, before, input)), updated_at: now }
  const row = await deps.database.transaction(async (trx) => {
    const updated = await deps.oauthApps.update(trx, caller, appId, change)
    if (updated === undefined) throw notFound('oauth_app')
    await recordAudit(trx, caller, now, {
      action: 'oauth_app.updated',
      workspaceId: updated.workspace_id,
      subject: appId,
      detail: { fields: givenFields(input) },
    })
    return updated
  })
  return toOAuthApp(row)
}

async function changedColumns(
  vault: Vault,
  before: OAuthAppRow,
  input: UpdateOAuthApp,
): Promise<Partial<OAuthAppRow>> {
  const { integrationOAuthAppName: name, clientId, clientSecret, scopes } = input
  return {
    ...(name == null ? {} : { name }),
    ...(clientId == null ? {} : { client_id: clientId }),
    ...(clientSecret == null
      ? {}
      : { sealed_secret: await vault.seal(secretPlace(before), clientSecret) }),
    ...(scopes == null ? {} : { scopes: JSON.stringify(scopes) }),
  }
}

function givenFields(input: UpdateOAuthApp): string[] {
  return Object.entries(input)
    .filter(([, value]) => value != null)
    .map(([field]) => field)
}
