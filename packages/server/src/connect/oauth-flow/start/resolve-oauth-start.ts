import type { Spec } from '@linchpin/runner'
import type { WorkspaceAccess } from '../../../access/auth/caller.ts'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import { resolveWorkspace } from '../../../access/workspaces/workspace-store.ts'
import type { Account } from '../../../accounts/accounts/account.ts'
import { readGrant, toScopesOwner } from '../../../accounts/accounts/account-scopes-store.ts'
import { decryptConfig } from '../../../accounts/accounts/credentials/account-config.ts'
import { dropProviderFields } from '../../../accounts/accounts/credentials/list-prompt-fields.ts'
import type {
  Definition,
  DefinitionReference,
} from '../../../integrations/definitions/definition.ts'
import { requireDefinition } from '../../../integrations/definitions/find-definition.ts'
import { bindToServer } from '../../../integrations/oauth/discovery/authorization-server.ts'
import {
  getDefaultOAuthType,
  listOAuthTypes,
  type NamedOAuthType,
  type OAuthType,
} from '../../../integrations/oauth/spec/parse-oauth-type.ts'
import {
  planScopes,
  type ScopesPlan,
  UNKNOWN_GRANT,
} from '../../../integrations/oauth/spec/scopes.ts'
import { ensureSandboxApp } from '../../../integrations/oauth-apps/create-oauth-app.ts'
import type { OAuthApp, OAuthAppId } from '../../../integrations/oauth-apps/oauth-app.ts'
import { selectOAuthApp } from '../../../integrations/oauth-apps/select-oauth-app.ts'
import {
  ApiError,
  fieldError,
  unknownReference,
  validationFailed,
} from '../../../platform/errors.ts'
import { isId } from '../../../platform/storage/id.ts'
import type { ConnectSession } from '../../connect-sessions/connect-session.ts'
import type { Link } from '../../links/link.ts'
import { assertLinkAccepts, assertOpen, requireAllowedDefinition } from '../../links/link-policy.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { StartOAuth } from '../oauth-schemas.ts'
import { discoverStart, findDiscoveredApp } from './discover-start.ts'
import type { OAuthStartContext } from './oauth-start-context.ts'

/** What a page of this service has decided about a start. */
export interface StartOfPage {
  /** The connect session of the page, whose customer sees it. */
  readonly connectSession:
    | Pick<ConnectSession, 'oauthAppId' | 'requireCustomerApp' | 'scopes'>
    | undefined
}

/**
 * Resolves the references of a start request.
 *
 * @param page the page that has checked the account, which may be of another link; undefined for a start by API
 * @throws ApiError `workspace_not_accessible`, `unknown_reference`, `auth_type_not_allowed`, `oauth_app_missing`,
 * `validation_failed`; as `assertLinkAccepts`, `discoverStart` and `findDiscoveredApp`
 */
export async function resolveOAuthStart(
  deps: OAuthFlowDeps,
  caller: WorkspaceAccess,
  input: StartOAuth,
  page?: StartOfPage,
): Promise<OAuthStartContext> {
  const link = await findOpenLink(deps, caller, input)
  const requestedId = link?.workspaceId ?? input.workspaceId
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, requestedId)
  const workspace = await deps.workspaces.find(caller, workspaceId)
  if (workspace === undefined) throw unknownReference('workspaceId')
  const accountLink = page === undefined ? link : undefined
  const account = await findAccount(deps, caller, workspaceId, input, accountLink)
  const requestedApp = await findRequestedApp(deps, caller, workspaceId, input)
  const definitionId =
    requestedApp?.definitionId ?? input.integrationDefinitionId ?? account?.definitionId
  const definition = await findDefinition(deps, caller, workspaceId, definitionId)
  if (account !== undefined && account.definitionId !== definition.definitionId)
    throw unknownReference('integrationAccountId')
  if (link !== undefined)
    await requireAllowedDefinition(deps, caller, link, definition.definitionId)
  const { spec } = definition
  const chosen = chooseOAuthType(spec, input.authType ?? findOwnAuthType(spec, account))
  const storedConfig = await loadStoredConfig(deps, account, chosen.type)
  const tenant = {
    workspaceId,
    definitionId: definition.definitionId,
    linkId: link?.linkId ?? account?.linkId ?? undefined,
  }
  const found = { ...chosen, tenant, workspace, link, definition, account, storedConfig, spec }
  const discovered = await discoverStart(deps, found, input)
  const app = await findApp(deps, caller, { ...found, discovered }, { input, page })
  const type = discovered === undefined ? chosen.type : bindToServer(chosen.type, discovered)
  const ofSession = page?.connectSession?.scopes[definition.definitionId]
  const subject = { type, app, account, link, discovered }
  const scopes = await resolveScopes(deps, caller, subject, ofSession)
  return { ...found, ...scopes, type, discovered, app }
}

/** The scopes of the session, else those of the link, else those of the app; of a reconnect, with what the account has. */
async function resolveScopes(
  deps: OAuthFlowDeps,
  caller: WorkspaceAccess,
  {
    type,
    app,
    account,
    link,
    discovered,
  }: Pick<OAuthStartContext, 'type' | 'app' | 'account' | 'link' | 'discovered'>,
  ofSession: readonly string[] | undefined,
): Promise<ScopesPlan> {
  const { read } = deps.database
  const ownLinkId = account?.linkId
  const policy =
    link ?? (ownLinkId == null ? undefined : await deps.links.findIn(read, caller, ownLinkId))
  const chosen = ofSession ?? policy?.scopes[app.definitionId]
  if (account === undefined) return planScopes(type, app, chosen, undefined)
  const grant = (await readGrant(read, toScopesOwner(account))) ?? UNKNOWN_GRANT
  // The provider adds nothing to a grant that has ended: then all of it is requested.
  const source = account.status === 'active' ? grant.source : 'unknown'
  // What a server has granted later, it need not list.
  const ofGrant = discovered === undefined ? [] : (grant.granted ?? [])
  const known = { ...app, optionalScopes: [...app.optionalScopes, ...ofGrant] }
  return planScopes(type, known, chosen, { ...grant, source })
}

async function findOpenLink(deps: OAuthFlowDeps, caller: WorkspaceAccess, input: StartOAuth) {
  const { linkId, workspaceId } = input
  if (linkId == null) return undefined
  if (workspaceId != null)
    throw validationFailed(
      fieldError('workspaceId', 'unexpected', 'The link implies its workspace. Omit this field.'),
    )
  const link = isId('lnk', linkId) ? await deps.links.find(caller, linkId) : undefined
  if (link === undefined) throw unknownReference('linkId')
  // A reconnect adds no account, so the limits of the link do not apply.
  if (input.integrationAccountId != null) assertOpen(link, deps.now())
  else await assertLinkAccepts(deps, deps.database.read, link, input.accountIdentifier ?? null)
  return link
}

async function findAccount(
  deps: OAuthFlowDeps,
  caller: WorkspaceAccess,
  workspaceId: WorkspaceId,
  { integrationAccountId: accountId }: StartOAuth,
  link: Link | undefined,
): Promise<Account | undefined> {
  if (accountId == null) return undefined
  const row = isId('acc', accountId)
    ? await deps.accounts.findWithCredentials(deps.database.read, caller, accountId)
    : undefined
  // A link gives access only to accounts that were created through it.
  const exists = row?.sealedConfig != null && row.workspaceId === workspaceId
  if (!exists || row.linkId !== (link?.linkId ?? row.linkId))
    throw unknownReference('integrationAccountId')
  return row
}

async function findRequestedApp(
  deps: OAuthFlowDeps,
  caller: WorkspaceAccess,
  workspaceId: WorkspaceId,
  { integrationOAuthAppId: appId, integrationDefinitionId: definitionId }: StartOAuth,
): Promise<OAuthApp | undefined> {
  if (appId == null) return undefined
  const app = isId('oap', appId)
    ? await deps.oauthApps.find(deps.database.read, caller, appId)
    : undefined
  const fits = app?.definitionId === (definitionId ?? app?.definitionId)
  if (app === undefined || app.workspaceId !== workspaceId || !fits)
    throw unknownReference('integrationOAuthAppId')
  return app
}

async function findDefinition(
  deps: OAuthFlowDeps,
  caller: WorkspaceAccess,
  workspaceId: WorkspaceId,
  reference: DefinitionReference | null | undefined,
): Promise<Definition> {
  if (reference == null)
    throw validationFailed(
      fieldError(
        'integrationDefinitionId',
        'required',
        'Specify the definition, or its OAuth app in integrationOAuthAppId.',
      ),
    )
  return requireDefinition(deps, deps.database.read, caller, workspaceId, reference)
}

interface AppRequest {
  readonly input: StartOAuth
  readonly page: StartOfPage | undefined
}

type AppTarget = Pick<
  OAuthStartContext,
  'account' | 'definition' | 'discovered' | 'link' | 'type' | 'workspace'
>

/** @throws ApiError `oauth_app_missing`, `unknown_reference`; as `findDiscoveredApp` */
async function findApp(
  deps: OAuthFlowDeps,
  caller: WorkspaceAccess,
  target: AppTarget,
  { input, page }: AppRequest,
): Promise<OAuthApp> {
  const { definition, link, account, discovered } = target
  const { workspaceId, definitionId, name } = definition
  const { read } = deps.database
  await ensureSandboxApp(deps, caller, workspaceId, [definitionId])
  const customer = input.accountIdentifier ?? account?.accountIdentifier ?? null
  const candidates = await deps.oauthApps.listCandidates(read, caller, definition, customer)
  const { integrationOAuthAppId: ownId } = input
  const namedId = await findNamedApp(deps, caller, definition, { link, page })
  const isOther = namedId !== undefined && ownId != null && ownId !== namedId
  // Also for the own app of another customer.
  if (isOther || (ownId != null && !candidates.some(({ oauthAppId }) => oauthAppId === ownId)))
    throw unknownReference('integrationOAuthAppId')
  const requiresCustomerApp =
    link?.requireCustomerApp === true || page?.connectSession?.requireCustomerApp === true
  const requestedId = namedId ?? ownId
  const accountAppId = account?.oauthAppId
  const question = { requestedId, accountAppId, requiresCustomerApp }
  const app =
    discovered === undefined
      ? selectOAuthApp(candidates, question)
      : await findDiscoveredApp(deps, caller, target, { candidates, question, discovered })
  if (app !== undefined) return app
  throw createAppMissingError(name, requiresCustomerApp)
}

/** The app that the session or the link names for this definition; undefined if they leave the choice open. */
async function findNamedApp(
  { oauthApps, database }: OAuthFlowDeps,
  caller: WorkspaceAccess,
  { definitionId }: Definition,
  { link, page }: Pick<AppTarget, 'link'> & Pick<AppRequest, 'page'>,
): Promise<OAuthAppId | undefined> {
  const namedId = page?.connectSession?.oauthAppId ?? link?.oauthAppId
  if (namedId == null) return undefined
  const named = await oauthApps.find(database.read, caller, namedId)
  // Nothing takes the place of a deleted app.
  return named === undefined || named.definitionId === definitionId ? namedId : undefined
}

function createAppMissingError(tool: string, requiresCustomerApp: boolean): ApiError {
  const [message, field] = requiresCustomerApp
    ? [
        `This customer has no OAuth app of its own for ${tool}. Send its client ID and secret with accountIdentifier to POST /v1/integration_oauth, or have its administrator enter them in a connect session with "mode": "app".`,
        'This customer has no OAuth app for this definition.',
      ]
    : [
        `This workspace has no OAuth app for ${tool}. Register an app at the provider, then send its client ID and secret to POST /v1/integration_oauth.`,
        'This definition has no OAuth app.',
      ]
  return new ApiError('oauth_app_missing', message, {
    errors: fieldError('integrationDefinitionId', 'oauth_app_missing', field),
  })
}

async function loadStoredConfig(
  { vault }: OAuthFlowDeps,
  account: Account | undefined,
  { callbackParams }: OAuthType,
): Promise<Record<string, unknown>> {
  if (account?.sealedConfig == null) return {}
  const stored = dropProviderFields(await decryptConfig(vault, account, account.sealedConfig))
  // The callback provides these again: values of an earlier sign-in must not take precedence.
  for (const name of callbackParams) delete stored[name]
  return stored
}

/** The auth type with which an account has signed in. Undefined if it has none, or uses its token as an API key. */
function findOwnAuthType(spec: Spec, account: Account | undefined): string | undefined {
  return listOAuthTypes(spec).find(({ authType }) => authType === account?.authType)?.authType
}

/**
 * Selects the requested auth type, else the default OAuth type of the spec.
 *
 * @throws ApiError `auth_type_not_allowed`
 */
export function chooseOAuthType(spec: Spec, requested: string | null | undefined): NamedOAuthType {
  const all = listOAuthTypes(spec)
  const chosen =
    requested == null
      ? getDefaultOAuthType(spec)
      : all.find(({ authType }) => authType === requested)
  if (chosen !== undefined) return chosen
  const names = all.map(({ authType }) => JSON.stringify(authType)).join(', ')
  const message =
    names === '' ? 'This integration has no auth type that uses OAuth.' : `Must be one of ${names}.`
  throw new ApiError('auth_type_not_allowed', `authType: ${message}`, {
    errors: fieldError('authType', 'not_allowed', message),
  })
}
