import type { EgressGateway, Spec } from '@linchpin/runner'
import type { Caller, WorkspaceAccess } from '../../access/auth/caller.ts'
import { BUNDLE_ERRORS, defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { ApiError, fieldError, unknownReference, validationFailed } from '../../platform/errors.ts'
import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { isId, newId } from '../../platform/storage/id.ts'
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
import {
  type AuthorizationServer,
  listSecretOrigins,
} from '../oauth/discovery/authorization-server.ts'
import { discoverAuthorizationServer } from '../oauth/discovery/discover-server.ts'
import { listEndpointDomains, listEndpointOrigins } from '../oauth/spec/endpoint-templates.ts'
import { getDefaultOAuthType, listOAuthTypes } from '../oauth/spec/parse-oauth-type.ts'
import { createClientSecretContext } from './load-oauth-client.ts'
import { OAUTH_APP, type OAuthApp, type OAuthAppId } from './oauth-app.ts'
import type { OAuthAppStore } from './oauth-app-store.ts'
import { CreateOAuthApp, IntegrationOAuthApp, serializeOAuthApp } from './schemas.ts'
import { selectOAuthApp } from './select-oauth-app.ts'

export interface CreateOAuthAppDeps {
  readonly database: Database
  readonly vault: Vault
  readonly workspaces: WorkspaceStore
  readonly definitions: DefinitionStore
  readonly oauthApps: OAuthAppStore
  readonly egressGateway: EgressGateway
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
    'A workspace has one default app per definition, and one for each customer with an app of its own (`accountIdentifier`), besides those that have a successor. The client secret is stored encrypted and never returned. Omit it for a public client.',
  scope: 'apps:write',
  body: CreateOAuthApp,
  status: 201,
  response: IntegrationOAuthApp,
  returns: 'The OAuth app, without its secret.',
  errors: [
    'already_exists',
    'auth_type_not_allowed',
    'egress_unavailable',
    'mcp_server_invalid',
    'unknown_reference',
    ...BUNDLE_ERRORS,
  ],
  audit: 'oauth_app.created',
  handle: (deps: CreateOAuthAppDeps, caller, { body }) => createOAuthApp(deps, caller, body),
})

/**
 * Creates an OAuth app of a workspace for a definition. Seals the client secret and binds it to the endpoints of the
 * definition's current spec.
 *
 * @throws ApiError `workspace_not_accessible`, `unknown_reference`, `auth_type_not_allowed`, `validation_failed`, `already_exists`
 * for a second default, a second app of a customer, and a second successor
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
  if (input.accountIdentifier != null) assertIdentifier(input.accountIdentifier)
  assertSelectable(input.accountIdentifier ?? null, input)
  const server = await discoverIssuer(deps, definition, input)
  const app = await buildApp(deps, definition, input, server)
  const response = serializeOAuthApp(app, 0)
  // Serializable: the definition must not be deleted before the insert commits.
  await deps.database
    .transaction(
      async (trx) => {
        await requireDefinition(deps, trx, caller, workspaceId, definitionId)
        if (input.predecessorId != null) await succeed(deps, trx, caller, input.predecessorId, app)
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
    .catch((error) => rethrowConflict(error, app))
  return response
}

/**
 * The metadata of the authorization server that a client is registered with; undefined where the spec has its endpoints.
 *
 * @throws ApiError `validation_failed` naming `issuer`, `mcp_server_invalid`, `egress_unavailable`
 */
export async function discoverIssuer(
  deps: Pick<CreateOAuthAppDeps, 'egressGateway'>,
  { spec, workspaceId, definitionId }: Definition,
  { issuer }: Pick<CreateOAuthApp, 'issuer'>,
): Promise<AuthorizationServer | undefined> {
  const isDiscovered = getDefaultOAuthType(spec)?.type.discoveredFrom !== undefined
  if (!isDiscovered && issuer != null)
    throw validationFailed(
      fieldError('issuer', 'not_allowed', 'The spec has the endpoints of this provider.'),
    )
  if (!isDiscovered) return undefined
  if (issuer == null)
    throw validationFailed(
      fieldError(
        'issuer',
        'required',
        'Specify the authorization server that the client is registered with.',
      ),
    )
  const options = { tenant: { workspaceId, definitionId }, hosts: spec['x-hosts'] }
  return await discoverAuthorizationServer(deps, issuer, options)
}

/**
 * Makes an app that is about to be stored the successor of another. Before it is stored, because a customer has one app without a
 * successor.
 *
 * @throws ApiError `unknown_reference`; `already_exists` if the other one has a successor
 */
async function succeed(
  { oauthApps }: CreateOAuthAppDeps,
  trx: Transaction,
  caller: Caller,
  predecessorId: OAuthAppId,
  app: OAuthApp,
): Promise<void> {
  const found = isId('oap', predecessorId)
    ? await oauthApps.find(trx, caller, predecessorId)
    : undefined
  if (found === undefined || !hasSameConnections(found, app))
    throw unknownReference('predecessorId')
  if (found.successorId !== null)
    throw new ApiError('already_exists', 'This OAuth app already has a successor. Name that one.', {
      errors: fieldError('predecessorId', 'taken', 'Already has a successor.'),
    })
  const { oauthAppId: successorId, createdAt: updatedAt, workspaceId } = app
  await oauthApps.update(trx, caller, predecessorId, { successorId, updatedAt })
  await record(trx, caller, updatedAt, {
    action: 'oauth_app.updated',
    workspaceId,
    subject: predecessorId,
    detail: { fields: ['successorId'] },
  })
}

/** Whether an app can take over the connections of another. */
export function hasSameConnections(one: OAuthApp, other: OAuthApp): boolean {
  return (
    one.workspaceId === other.workspaceId &&
    one.definitionId === other.definitionId &&
    one.accountIdentifier === other.accountIdentifier &&
    one.issuer === other.issuer
  )
}

/** A customer's own app is never the default of others. @throws ApiError `validation_failed` */
export function assertSelectable(
  accountIdentifier: string | null,
  { isDefault }: Pick<CreateOAuthApp, 'isDefault'>,
): void {
  if (isDefault === true && accountIdentifier !== null)
    throw validationFailed(
      fieldError('isDefault', 'not_allowed', 'The own app of a customer cannot be the default.'),
    )
}

/** Throws for identifiers that forms do not preserve: nothing must ever belong to the wrong customer. @throws ApiError `validation_failed` */
export function assertIdentifier(accountIdentifier: string): void {
  if (/\p{Cc}/u.test(accountIdentifier) || !accountIdentifier.isWellFormed())
    throw validationFailed(
      fieldError('accountIdentifier', 'invalid', 'Must not contain control characters.'),
    )
}

/**
 * The app that a request describes, with its secret sealed and bound to the endpoints of the definition's current spec, or of the
 * server that has none there.
 */
export async function buildApp(
  deps: Pick<CreateOAuthAppDeps, 'vault' | 'now'>,
  definition: Definition,
  input: Omit<CreateOAuthApp, 'integrationDefinitionId' | 'workspaceId'>,
  server?: AuthorizationServer,
): Promise<OAuthApp> {
  const now = deps.now()
  const { spec } = definition
  const ids = { oauthAppId: newId('oap', now), workspaceId: definition.workspaceId }
  return OAUTH_APP.create({
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
    redirectName: input.redirectName,
    secretOrigins: server === undefined ? listEndpointOrigins(spec) : listSecretOrigins(server),
    allowedHosts: input.allowedHosts ?? getDefaultAllowedHosts(definition, spec),
    isDefault: input.isDefault ?? (input.accountIdentifier == null && input.predecessorId == null),
    accountIdentifier: input.accountIdentifier,
    kind: 'registered',
    issuer: server?.issuer,
    serverMetadata: server === undefined ? undefined : JSON.stringify(server),
    createdAt: now,
    updatedAt: now,
  })
}

/** Catalogue templates contain only domains of the provider. In a custom definition anyone could own them. */
function getDefaultAllowedHosts(definition: Definition, spec: Spec): string[] {
  return isCatalogueDefinition(definition) ? listEndpointDomains(spec) : []
}

/** @param field the field of the request that names the definition */
export function createNoOAuthTypeError(field = 'integrationDefinitionId'): ApiError {
  const message = 'This integration has no OAuth auth type.'
  return new ApiError('auth_type_not_allowed', `${field}: ${message}`, {
    errors: fieldError(field, 'not_allowed', message),
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

/** Each definition has one default app, and each customer one app of a definition. @throws ApiError `already_exists` */
export function rethrowConflict(
  error: unknown,
  { accountIdentifier }: Pick<OAuthApp, 'accountIdentifier'>,
): never {
  if (!isAppTaken(error)) throw error
  if (accountIdentifier !== null) throw createAppTakenError()
  throw new ApiError(
    'already_exists',
    'This definition already has a default OAuth app. Update that app, or send "isDefault": false. An update with "replaceDefault": true takes its place.',
    {
      errors: fieldError('integrationDefinitionId', 'taken', 'Already has a default OAuth app.'),
    },
  )
}

/** Whether an app could not be stored because another one has its place. */
export function isAppTaken(error: unknown): boolean {
  return error instanceof StorageError && error.kind === 'unique'
}

/** The customer has an app of its own already. */
export function createAppTakenError(): ApiError {
  return new ApiError(
    'already_exists',
    'This customer already has its own OAuth app for this definition. Name that app in predecessorId, or update or delete it.',
    { errors: fieldError('accountIdentifier', 'taken', 'Already has an OAuth app.') },
  )
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
  const ids = { workspaceId, definitionId: ACME_SANDBOX_ID }
  const existing = await oauthApps.listCandidates(database.read, access, ids, null)
  if (selectOAuthApp(existing, {}) !== undefined) return
  const createdAt = now()
  const app = OAUTH_APP.create({
    ...ids,
    oauthAppId: newId('oap', createdAt),
    name: 'Acme Sandbox',
    clientId: SANDBOX_CLIENT_ID,
    scopes: [],
    scopesMode: 'add',
    optionalScopes: [],
    secretOrigins: [SANDBOX_ORIGIN],
    allowedHosts: [],
    isDefault: true,
    kind: 'registered',
    createdAt,
    updatedAt: createdAt,
  })
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
      if (!isAppTaken(error)) throw error
    })
}
