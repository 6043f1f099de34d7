import type { Caller } from '../../access/auth/caller.ts'
import { BUNDLE_ERRORS, defineOperation } from '../../access/operations/define-operation.ts'
import { fieldError, notFound, unknownReference, validationFailed } from '../../platform/errors.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import { listSecretOrigins } from '../oauth/discovery/authorization-server.ts'
import { listEndpointOrigins } from '../oauth/spec/endpoint-templates.ts'
import {
  assertRedirectName,
  assertSelectable,
  hasSameConnections,
  rethrowConflict,
} from './create-oauth-app.ts'
import {
  createClientSecretContext,
  createOAuthAppSecretRequiredError,
} from './load-oauth-client.ts'
import { type OAuthApp, type OAuthAppId, readServer } from './oauth-app.ts'
import { type RequireOAuthAppDeps, requireOAuthApp, withAccounts } from './oauth-app-operations.ts'
import type { OAuthAppChange } from './oauth-app-store.ts'
import { IntegrationOAuthApp, OAuthAppParams, UpdateOAuthApp } from './schemas.ts'

export interface UpdateOAuthAppDeps extends RequireOAuthAppDeps {
  readonly definitions: DefinitionStore
  readonly vault: Vault
  readonly now: () => number
}

export const updateOAuthAppOperation = defineOperation({
  id: 'updateOAuthApp',
  sdk: 'oauthApps.update',
  method: 'POST',
  path: '/v1/integration_oauth/:integrationOAuthAppId',
  tag: 'OAuth apps',
  summary: 'Update an OAuth app',
  description:
    'Replaces the given fields. An omitted client secret is unchanged. Existing accounts use the new values from their next token refresh, for which providers reject another client: create a successor instead of changing `clientId` while the app has accounts.',
  scope: 'apps:write',
  params: OAuthAppParams,
  body: UpdateOAuthApp,
  response: IntegrationOAuthApp,
  returns: 'The OAuth app, without its secret.',
  errors: [
    'oauth_app_not_found',
    'oauth_app_secret_required',
    'already_exists',
    'unknown_reference',
    ...BUNDLE_ERRORS,
  ],
  audit: 'oauth_app.updated',
  handle: (deps: UpdateOAuthAppDeps, caller, { params, body }) =>
    updateOAuthApp(deps, caller, params.integrationOAuthAppId, body),
})

/**
 * Updates the given fields of an app. An omitted secret is unchanged; a new one is bound to the endpoints of the definition's
 * current spec. The changes apply from the next token request, also for existing accounts.
 *
 * @throws ApiError `oauth_app_not_found`; `validation_failed`; `oauth_app_secret_required` for a new allowed host without the secret;
 * `unknown_reference` for a successor that cannot be one; `already_exists` for a second default, and for a customer's app that is left without its successor
 */
export async function updateOAuthApp(
  deps: UpdateOAuthAppDeps,
  caller: Caller,
  appId: OAuthAppId,
  input: UpdateOAuthApp,
): Promise<IntegrationOAuthApp> {
  const now = deps.now()
  const existing = await requireOAuthApp(deps, caller, appId)
  const change = { ...(await listChangedFields(deps.vault, existing, input)), updatedAt: now }
  // Serializable: the compared hosts and the spec's endpoints must not change before the update commits.
  const store = () =>
    deps.database.transaction(
      async (trx) => {
        const current = await deps.oauthApps.find(trx, caller, appId)
        if (current === undefined) throw notFound('oauth_app')
        assertNoNewHosts(current, input)
        assertSelectable(current.accountIdentifier, input)
        assertReplacing(input)
        await assertSuccessor(deps, trx, caller, current, input)
        const { workspaceId, definitionId } = current
        const definition = await deps.definitions.findLive(trx, caller, workspaceId, definitionId)
        if (input.redirectName != null && definition !== undefined)
          assertRedirectName(definition.spec, input, { isRequired: false })
        // Bound to the endpoints of the definition's current spec, or of its server.
        const server = readServer(current)
        const specOrigins = definition === undefined ? [] : listEndpointOrigins(definition.spec)
        const secretOrigins = server === undefined ? specOrigins : listSecretOrigins(server)
        const origins = input.clientSecret == null ? {} : { secretOrigins }
        if (input.replaceDefault === true) await replaceDefault(deps, trx, caller, current, now)
        const updated = await deps.oauthApps.update(trx, caller, appId, { ...change, ...origins })
        if (updated === undefined) throw notFound('oauth_app')
        const response = await withAccounts(deps, trx, updated)
        await record(trx, caller, now, {
          action: 'oauth_app.updated',
          workspaceId: updated.workspaceId,
          subject: appId,
          detail: { fields: listProvidedFields(input) },
          response,
        })
        return response
      },
      { serializable: true },
    )
  return store().catch((error) => rethrowConflict(error, existing))
}

/** Without this check, adding a host would send the stored secret there. */
function assertNoNewHosts(current: OAuthApp, input: UpdateOAuthApp): void {
  if (input.allowedHosts == null || input.clientSecret != null || current.sealedSecret === null)
    return
  if (input.allowedHosts.some((host) => !current.allowedHosts.includes(host)))
    throw createOAuthAppSecretRequiredError(
      'Adding a host to allowedHosts lets it receive the client secret. Send clientSecret again in the same request.',
    )
}

/** Nothing takes the place of a default that is only ended. @throws ApiError `validation_failed` */
function assertReplacing({ isDefault, replaceDefault }: UpdateOAuthApp): void {
  if (replaceDefault === true && isDefault !== true)
    throw validationFailed(
      fieldError('replaceDefault', 'not_allowed', 'Must be sent with "isDefault": true.'),
    )
}

/** Ends the default whose place an app takes: before it does, as there is only one. */
async function replaceDefault(
  { oauthApps }: UpdateOAuthAppDeps,
  trx: Transaction,
  caller: Caller,
  app: OAuthApp,
  now: number,
): Promise<void> {
  const subject = await oauthApps.endDefault(trx, app, now)
  if (subject === undefined) return
  await record(trx, caller, now, {
    action: 'oauth_app.updated',
    workspaceId: app.workspaceId,
    subject,
    detail: { fields: ['isDefault'] },
  })
}

/** A successor takes over the same connections, and its own successors never lead back. @throws ApiError `unknown_reference` */
async function assertSuccessor(
  { oauthApps }: UpdateOAuthAppDeps,
  trx: Transaction,
  caller: Caller,
  current: OAuthApp,
  { successorId }: UpdateOAuthApp,
): Promise<void> {
  const seen = new Set<string>([current.oauthAppId])
  for (let next = successorId ?? null; next !== null; ) {
    const app =
      isId('oap', next) && !seen.has(next) ? await oauthApps.find(trx, caller, next) : undefined
    if (app === undefined || !hasSameConnections(app, current) || seen.size > MAX_SUCCESSORS)
      throw unknownReference('successorId')
    seen.add(app.oauthAppId)
    next = app.successorId
  }
}

/** In a row, so that a request reads a bounded number of apps. */
const MAX_SUCCESSORS = 20

async function listChangedFields(
  vault: Vault,
  current: OAuthApp,
  input: UpdateOAuthApp,
): Promise<OAuthAppChange> {
  const { integrationOAuthAppName: name, clientId, clientSecret, scopes } = input
  return {
    ...(name == null ? {} : { name }),
    ...(clientId == null ? {} : { clientId }),
    ...(clientSecret == null
      ? {}
      : { sealedSecret: await vault.seal(createClientSecretContext(current), clientSecret) }),
    ...(scopes == null ? {} : { scopes }),
    ...(input.scopesMode == null ? {} : { scopesMode: input.scopesMode }),
    ...(input.optionalScopes == null ? {} : { optionalScopes: input.optionalScopes }),
    ...(input.redirectName == null ? {} : { redirectName: input.redirectName }),
    ...(input.allowedHosts == null ? {} : { allowedHosts: input.allowedHosts }),
    ...(input.isDefault == null ? {} : { isDefault: input.isDefault }),
    ...(input.successorId === undefined ? {} : { successorId: input.successorId }),
  }
}

function listProvidedFields(input: UpdateOAuthApp): string[] {
  return Object.entries(input)
    .filter(([field, value]) => value != null || (field === 'successorId' && value === null))
    .map(([field]) => field)
}
