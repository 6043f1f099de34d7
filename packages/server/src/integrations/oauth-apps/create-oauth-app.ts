import type { Spec } from '@linchpin/runner'
import type { Caller, WorkspaceAccess } from '../../access/auth/caller.ts'
import { BUNDLE_ERRORS, defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { ApiError, fieldError, validationFailed } from '../../platform/errors.ts'
import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import { newId } from '../../platform/storage/id.ts'
import { StorageError } from '../../platform/storage/storage-error.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { SANDBOX_CLIENT_ID, SANDBOX_ORIGIN } from '../acme-sandbox/acme-sandbox.ts'
import { ACME_SANDBOX_ID } from '../catalogue/offered-integration.ts'
import {
  type Definition,
  type DefinitionId,
  isCatalogueDefinition,
} from '../definitions/definition.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import { requireDefinition } from '../definitions/find-definition.ts'
import { listEndpointDomains, listEndpointOrigins } from '../oauth/spec/endpoint-templates.ts'
import { getDefaultOAuthType, listOAuthTypes } from '../oauth/spec/parse-oauth-type.ts'
import { createClientSecretContext } from './load-oauth-client.ts'
import { OAUTH_APP, type OAuthApp } from './oauth-app.ts'
import type { OAuthAppStore } from './oauth-app-store.ts'
import { CreateOAuthApp, IntegrationOAuthApp } from './schemas.ts'

export interface CreateOAuthAppDeps {
  readonly database: Database
  readonly vault: Vault
  readonly workspaces: WorkspaceStore
  readonly definitions: DefinitionStore
  readonly oauthApps: OAuthAppStore
  readonly now: () => number
}

export const createOAuthAppOperation = defineOperation({
  id: 'createOAuthApp',
  sdk: 'oauthApps.create',
  method: 'POST',
  path: '/v1/integration_oauth',
  tag: 'OAuth apps',
  summary: 'Create an OAuth app',
  description:
    'A workspace has at most one OAuth app per definition. The client secret is stored encrypted and never returned. Omit it for a public client.',
  scope: 'apps:write',
  body: CreateOAuthApp,
  status: 201,
  response: IntegrationOAuthApp,
  returns: 'The OAuth app, without its secret.',
  errors: ['already_exists', 'auth_type_not_allowed', 'unknown_reference', ...BUNDLE_ERRORS],
  audit: 'oauth_app.created',
  handle: (deps: CreateOAuthAppDeps, caller, { body }) => createOAuthApp(deps, caller, body),
})

/**
 * Creates the OAuth app of a workspace for a definition. Seals the client secret and binds it to the endpoints of the
 * definition's current spec. A workspace has at most one app per definition.
 *
 * @throws ApiError `workspace_not_accessible`, `unknown_reference`, `auth_type_not_allowed`, `validation_failed`, `already_exists`
 */
export async function createOAuthApp(
  deps: CreateOAuthAppDeps,
  caller: Caller,
  input: CreateOAuthApp,
): Promise<IntegrationOAuthApp> {
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  const { read } = deps.database
  const { integrationDefinitionId: reference } = input
  const definition = await requireDefinition(deps, read, caller, workspaceId, reference)
  const { definitionId } = definition
  if (getDefaultOAuthType(definition.spec) === undefined) throw createNoOAuthTypeError()
  assertRedirectName(definition.spec, input, { isRequired: true })
  const app = await buildApp(deps, definition, input)
  const response = OAUTH_APP.serialize(app)
  // Serializable: the definition must not be deleted before the insert commits.
  await deps.database
    .transaction(
      async (trx) => {
        await requireDefinition(deps, trx, caller, workspaceId, definitionId)
        await deps.oauthApps.insert(trx, app)
        await record(trx, caller, app.createdAt, {
          action: 'oauth_app.created',
          workspaceId,
          subject: app.oauthAppId,
          detail: { definitionId },
          response,
        })
      },
      { serializable: true },
    )
    .catch(rethrowConflict)
  return response
}

async function buildApp(
  deps: CreateOAuthAppDeps,
  definition: Definition,
  input: CreateOAuthApp,
): Promise<OAuthApp> {
  const now = deps.now()
  const { spec } = definition
  const ids = { oauthAppId: newId('oap', now), workspaceId: definition.workspaceId }
  return {
    ...ids,
    definitionId: definition.definitionId,
    name: input.integrationOAuthAppName ?? definition.name,
    clientId: input.clientId,
    sealedSecret:
      input.clientSecret == null
        ? null
        : await deps.vault.seal(createClientSecretContext(ids), input.clientSecret),
    scopes: input.scopes ?? [],
    scopesMode: input.scopesMode ?? 'add',
    optionalScopes: input.optionalScopes ?? [],
    redirectName: input.redirectName ?? null,
    secretOrigins: listEndpointOrigins(spec),
    allowedHosts: input.allowedHosts ?? getDefaultAllowedHosts(definition, spec),
    failingSince: null,
    createdAt: now,
    updatedAt: now,
  }
}

/** Catalogue templates contain only domains of the provider. In a custom definition anyone could own them. */
function getDefaultAllowedHosts(definition: Definition, spec: Spec): string[] {
  return isCatalogueDefinition(definition) ? listEndpointDomains(spec) : []
}

function createNoOAuthTypeError(): ApiError {
  const message = 'This integration has no OAuth auth type.'
  return new ApiError('auth_type_not_allowed', `integrationDefinitionId: ${message}`, {
    errors: fieldError('integrationDefinitionId', 'not_allowed', message),
  })
}

/**
 * Asserts that an app has a redirect name if the provider assigns one. Elsewhere it would divert sign-ins.
 *
 * @throws ApiError `validation_failed`
 */
export function assertRedirectName(
  spec: Spec,
  { redirectName }: Pick<CreateOAuthApp, 'redirectName'>,
  { isRequired }: { readonly isRequired: boolean },
): void {
  const term = listOAuthTypes(spec)
    .map(({ type }) => type.redirectName)
    .find((each) => each !== undefined)
  if (term === undefined && redirectName != null)
    throw validationFailed(
      fieldError('redirectName', 'not_allowed', 'This provider expects the redirect URI itself.'),
    )
  if (isRequired && term !== undefined && redirectName == null)
    throw validationFailed(
      fieldError(
        'redirectName',
        'required',
        `This provider expects its ${term} in place of the redirect URI.`,
      ),
    )
}

function rethrowConflict(error: unknown): never {
  if (error instanceof StorageError && error.kind === 'unique')
    throw new ApiError(
      'already_exists',
      'This workspace already has an OAuth app for this definition. Update that app instead.',
      { errors: fieldError('integrationDefinitionId', 'taken', 'Already has an OAuth app.') },
    )
  throw error
}

export interface EnsureSandboxAppDeps {
  readonly database: Database
  readonly oauthApps: OAuthAppStore
  readonly now: () => number
}

/**
 * Creates the workspace's OAuth app for Acme Sandbox when a request names that tool for the first time: its client is public,
 * so there is none to register. Does nothing for other definitions.
 */
export async function ensureSandboxApp(
  { database, oauthApps, now }: EnsureSandboxAppDeps,
  access: WorkspaceAccess,
  workspaceId: WorkspaceId,
  definitionIds: readonly DefinitionId[],
): Promise<void> {
  if (!definitionIds.includes(ACME_SANDBOX_ID)) return
  const existing = await oauthApps.findForDefinition(
    database.read,
    access,
    workspaceId,
    ACME_SANDBOX_ID,
  )
  if (existing !== undefined) return
  const createdAt = now()
  const ids = { oauthAppId: newId('oap', createdAt), workspaceId, definitionId: ACME_SANDBOX_ID }
  const app = {
    ...ids,
    name: 'Acme Sandbox',
    clientId: SANDBOX_CLIENT_ID,
    sealedSecret: null,
    scopes: [],
    scopesMode: 'add' as const,
    optionalScopes: [],
    redirectName: null,
    secretOrigins: [SANDBOX_ORIGIN],
    allowedHosts: [],
    failingSince: null,
    createdAt,
    updatedAt: createdAt,
  }
  await database
    .transaction(async (trx) => {
      await oauthApps.insert(trx, app)
      await record(trx, SYSTEM_ACTOR, createdAt, {
        action: 'oauth_app.created',
        workspaceId,
        subject: app.oauthAppId,
        detail: { definitionId: ACME_SANDBOX_ID },
      })
    })
    // Another request has created it at the same time.
    .catch((error) => {
      if (!(error instanceof StorageError && error.kind === 'unique')) throw error
    })
}
