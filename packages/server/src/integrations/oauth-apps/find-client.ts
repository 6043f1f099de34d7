import type { EgressGateway } from '@linchpin/runner'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { Workspace } from '../../access/workspaces/workspace.ts'
import { ApiError, fieldError } from '../../platform/errors.ts'
import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { newId } from '../../platform/storage/id.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { Definition } from '../definitions/definition.ts'
import {
  type AuthorizationServer,
  listSecretOrigins,
} from '../oauth/discovery/authorization-server.ts'
import { createMcpServerInvalidError } from '../oauth/discovery/discover-server.ts'
import { type ClientUrls, describeClient, getClientDocumentUrl } from './client-document.ts'
import { isAppTaken } from './create-oauth-app.ts'
import { createClientSecretContext } from './load-oauth-client.ts'
import { OAUTH_APP, type OAuthApp } from './oauth-app.ts'
import type { OAuthAppStore } from './oauth-app-store.ts'
import { registerClient } from './register-client.ts'
import { selectOAuthApp } from './select-oauth-app.ts'

/*
 * The client at an authorization server that was discovered, an OAuth app of its issuer. The first that there is:
 *
 * 1. one that the team has registered, or an earlier sign-in
 * 2. the client ID metadata document of the workspace, if the server reads such documents
 * 3. one that Linchpin registers now (RFC 7591)
 */

export interface FindClientDeps extends ClientUrls {
  readonly database: Database
  readonly vault: Vault
  readonly oauthApps: OAuthAppStore
  readonly egressGateway: EgressGateway
  readonly now: () => number
}

/** Where a client is needed. */
export interface ClientRequest {
  readonly definition: Definition
  readonly workspace: Workspace
  readonly server: AuthorizationServer
}

/**
 * The apps whose clients are registered with an issuer.
 *
 * @param apps the candidates for a connection
 * @param meant those that the request, the account or the definition mean: none of them is replaced without a word
 * @throws ApiError `mcp_server_invalid` if one of these was registered with another issuer
 */
export function selectAppsOfIssuer(
  apps: readonly OAuthApp[],
  meant: readonly OAuthApp[],
  { issuer }: AuthorizationServer,
): OAuthApp[] {
  const other = meant.find((app) => app.issuer !== issuer)
  if (other !== undefined)
    throw createMcpServerInvalidError(
      'client',
      `The OAuth app ${other.oauthAppId} is registered with ${other.issuer ?? 'no issuer'}, and the server names ${issuer}.`,
    )
  return apps.filter((app) => app.issuer === issuer)
}

/**
 * Creates the app of a workspace at an authorization server that has none yet.
 *
 * @throws ApiError `client_required` if only the team can register a client; `mcp_server_invalid` if the server rejects ours
 */
export async function createClient(
  deps: FindClientDeps,
  access: WorkspaceAccess,
  request: ClientRequest,
): Promise<OAuthApp> {
  const { definition, server } = request
  const app = await buildApp(deps, request)
  try {
    // Serializable: no account may be connected with a client that is deleted.
    await deps.database.transaction((trx) => storeClient(deps, trx, app), { serializable: true })
    return app
  } catch (error) {
    if (!isAppTaken(error)) throw error
    // Another sign-in has created one at the same time.
    const { read } = deps.database
    const apps = await deps.oauthApps.listCandidates(read, access, definition, null)
    const winner = selectOAuthApp(selectAppsOfIssuer(apps, [], server), {})
    if (winner === undefined) throw error
    return winner
  }
}

/**
 * Stores a client, and deletes those of the definition that no one has used for a day: customers choose the servers, of which each may
 * name any number of issuers.
 */
async function storeClient(
  { oauthApps }: FindClientDeps,
  trx: Transaction,
  app: OAuthApp,
): Promise<void> {
  const { oauthAppId, workspaceId, definitionId, kind, issuer, createdAt } = app
  const unused = await oauthApps.removeUnused(trx, app, createdAt - UNUSED_MS)
  for (const subject of unused)
    await record(trx, SYSTEM_ACTOR, createdAt, {
      action: 'oauth_app.deleted',
      workspaceId,
      subject,
      detail: { definitionId },
    })
  await oauthApps.insert(trx, app)
  await record(trx, SYSTEM_ACTOR, createdAt, {
    action: 'oauth_app.created',
    workspaceId,
    subject: oauthAppId,
    detail: { definitionId, kind, issuer },
  })
}

/** Longer than a sign-in lasts. */
const UNUSED_MS = 24 * 60 * 60_000

async function buildApp(
  deps: FindClientDeps,
  { definition, workspace, server }: ClientRequest,
): Promise<OAuthApp> {
  const now = deps.now()
  const { workspaceId } = workspace
  const ids = { oauthAppId: newId('oap', now), workspaceId }
  const client = await obtainClient(deps, { definition, workspace, server })
  const { clientSecret } = client
  return OAUTH_APP.create({
    ...ids,
    definitionId: definition.definitionId,
    name: definition.name,
    clientId: client.clientId,
    sealedSecret:
      clientSecret === undefined
        ? null
        : await deps.vault.seal(createClientSecretContext(ids), clientSecret),
    scopes: [],
    scopesMode: 'add',
    optionalScopes: [],
    secretOrigins: listSecretOrigins(server),
    allowedHosts: [],
    isDefault: true,
    kind: client.kind,
    issuer: server.issuer,
    serverMetadata: JSON.stringify(server),
    createdAt: now,
    updatedAt: now,
  })
}

interface ObtainedClient {
  readonly kind: OAuthApp['kind']
  readonly clientId: string
  readonly clientSecret?: string | undefined
}

async function obtainClient(
  deps: FindClientDeps,
  { definition, workspace, server }: ClientRequest,
): Promise<ObtainedClient> {
  const { workspaceId } = workspace
  const documentUrl = getClientDocumentUrl(deps, workspaceId)
  const isPublicClient = server.authMethods.includes('none')
  if (server.acceptsDocuments && isPublicClient && documentUrl !== undefined)
    return { kind: 'metadata_document', clientId: documentUrl }
  if (server.registrationEndpoint === undefined) throw createClientRequiredError(server)
  const tenant = { workspaceId, definitionId: definition.definitionId }
  const options = { tenant, hosts: definition.spec['x-hosts'] }
  const registered = await registerClient(deps, server, describeClient(deps, workspace), options)
  return { kind: 'dynamic', ...registered }
}

function createClientRequiredError({ issuer }: AuthorizationServer): ApiError {
  return new ApiError(
    'client_required',
    `The authorization server ${issuer} neither registers clients nor reads their metadata. Register a client there, then send its client ID and secret, with this issuer, to POST /v1/integration_oauth.`,
    {
      errors: fieldError(
        'integrationDefinitionId',
        'client_required',
        'This definition has no OAuth app for the authorization server of this MCP server.',
      ),
    },
  )
}

/** Stores newer metadata of the server of an app. The secret of a registered client stays with the endpoints that it was entered for. */
export async function withServer(
  { database, oauthApps }: Pick<FindClientDeps, 'database' | 'oauthApps'>,
  app: OAuthApp,
  server: AuthorizationServer,
): Promise<OAuthApp> {
  const serverMetadata = JSON.stringify(server)
  if (app.serverMetadata === serverMetadata) return app
  const change =
    app.kind === 'registered'
      ? { serverMetadata }
      : { serverMetadata, secretOrigins: listSecretOrigins(server) }
  await database.transaction((trx) => oauthApps.setServer(trx, app, change))
  return { ...app, ...change }
}
