import { hashSecret } from '../../access/auth/access-token.ts'
import { assertScopeGranted, type Caller } from '../../access/auth/caller.ts'
import { BUNDLE_ERRORS, defineOperation } from '../../access/operations/define-operation.ts'
import type { Workspace, WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import type { PublicAccount } from '../../accounts/accounts/account.ts'
import { listNeededScopes, toScopesOwner } from '../../accounts/accounts/account-scopes-store.ts'
import type { AccountStore } from '../../accounts/accounts/account-store.ts'
import { ACME_SANDBOX_ID } from '../../integrations/catalogue/offered-integration.ts'
import type { Category } from '../../integrations/definitions/category.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import {
  getDefaultOAuthType,
  parseOAuthType,
} from '../../integrations/oauth/spec/parse-oauth-type.ts'
import type { ScopesByDefinition } from '../../integrations/oauth/spec/scopes.ts'
import {
  assertIdentifier,
  createAppTakenError,
  createNoOAuthTypeError,
  type EnsureSandboxAppDeps,
  ensureSandboxApp,
} from '../../integrations/oauth-apps/create-oauth-app.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import { selectIssuingApp } from '../../integrations/oauth-apps/select-oauth-app.ts'
import { ApiError, fieldError, unknownReference, validationFailed } from '../../platform/errors.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { isId, newId } from '../../platform/storage/id.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { createNoSignInError, resolveChosenScopes } from '../links/chosen-scopes.ts'
import { parseCategories } from '../links/create-link.ts'
import { createWorkspacePolicy, type LinkPolicy } from '../links/link.ts'
import {
  assertOpen,
  createAllowedDefinitionsFilter,
  requireAllowedDefinition,
} from '../links/link-policy.ts'
import type { LinkStore } from '../links/link-store.ts'
import {
  CONNECT_SESSION,
  type ConnectSession,
  type GivenField,
  generateConnectToken,
} from './connect-session.ts'
import type { ConnectSessionStore } from './connect-session-store.ts'
import {
  findExposedSecret,
  parseGivenConfig,
  readFormDestinations,
  sealGivenConfig,
} from './given-config.ts'
import { recordConnectSessionChange } from './record-connect-session-change.ts'
import { CreateConnectSession, NewConnectSession, serializeConnectSession } from './schemas.ts'

export interface CreateConnectSessionDeps extends EnsureSandboxAppDeps {
  readonly vault: Vault
  readonly workspaces: WorkspaceStore
  readonly definitions: DefinitionStore
  readonly accounts: Pick<AccountStore, 'find' | 'findWithCredentials'>
  readonly links: LinkStore
  readonly connectSessions: ConnectSessionStore
  readonly baseUrl: () => string
  /** Throws unless the page may redirect to the URL. @throws ApiError `redirect_url_not_allowed` */
  readonly assertRedirectUrl: (url: string, workspace: Workspace, link: LinkPolicy) => void
}

export const createConnectSessionOperation = defineOperation({
  id: 'createConnectSession',
  sdk: 'connectSessions.create',
  method: 'POST',
  path: '/v1/connect_session',
  tag: 'Connect sessions',
  summary: 'Create a connect session',
  description:
    'A page for one customer: what you set here cannot be changed in the browser. The response has its URL this once: redirect the person there, or open it with `@linchpin/client`.',
  scope: 'links:write',
  body: CreateConnectSession,
  status: 201,
  response: NewConnectSession,
  returns: 'The session and its token.',
  errors: [
    'unknown_reference',
    'auth_type_not_allowed',
    'already_exists',
    'scope_not_allowed',
    'redirect_url_not_allowed',
    'connect_session_limit',
    'link_expired',
    'link_revoked',
    ...BUNDLE_ERRORS,
  ],
  audit: 'connect_session.created',
  config: { returnsSecret: true },
  handle: (deps: CreateConnectSessionDeps, caller, { body }) =>
    createConnectSession(deps, caller, body),
})

/** Prepares what is stored in the transaction that creates a session, or prevents it by an error. */
type StoreWithSession = (session: NewConnectSession) => Promise<(trx: Transaction) => Promise<void>>

/** Open sessions of a workspace. */
const MAX_OPEN = 10_000

/**
 * Creates a connect session (interface: Create connect session). Only its hash is stored, so the response alone has the token.
 *
 * @throws ApiError `insufficient_scope`, `workspace_not_accessible`, `unknown_reference`, `validation_failed`, `redirect_url_not_allowed`, `link_expired`,
 * `link_revoked`, `connect_session_limit`, `auth_type_not_allowed`, `scope_not_allowed`; with the mode app also `already_exists`
 */
export async function createConnectSession(
  deps: CreateConnectSessionDeps,
  caller: Caller,
  input: CreateConnectSession,
  prepare?: StoreWithSession,
): Promise<NewConnectSession> {
  const mode = input.mode ?? 'connect'
  assertMayCreate(caller, input, mode)
  assertCustomer(input, mode)
  assertFieldsOfMode(input, mode)
  const policy = await requirePolicy(deps, caller, input)
  const definitionIds = await validateAgainstPolicy(deps, caller, policy, input)
  await ensureSandboxApp(deps, caller, policy.workspaceId, definitionIds)
  const account = await findReconnectedAccount(deps, caller, policy, input)
  const accountIdentifier = account?.accountIdentifier ?? input.accountIdentifier ?? null
  const offered = account === undefined ? definitionIds : [account.definitionId]
  await assertNamedApp(deps, caller, policy, { input, accountIdentifier, offered })
  if (mode === 'app') await assertAppCanBeEntered(deps, caller, policy, offered, accountIdentifier)
  const scopes = await resolveScopes(deps, caller, policy, {
    input,
    account,
    accountIdentifier,
    offered,
  })
  const now = deps.now()
  const connectSessionId = newId('cns', now)
  const { workspaceId, linkId } = policy
  const categories = await parseCategories(deps, caller, workspaceId, input.category ?? [])
  const given = parseGivenConfig(input)
  await assertSecretsStay(deps, caller, policy, {
    given: given.fields,
    definitionIds: offered,
    categories,
  })
  const session = CONNECT_SESSION.create({
    connectSessionId,
    workspaceId,
    linkId,
    mode,
    accountIdentifier,
    accountId: account?.accountId,
    definitionIds,
    categories,
    configFields: given.fields,
    sealedConfig: await sealGivenConfig(
      deps.vault,
      { workspaceId, connectSessionId },
      given.values,
    ),
    scopes,
    tags: input.tags ?? {},
    redirectUrl: input.redirectURL,
    lang: input.lang,
    maxAccounts: input.maxAccounts ?? 1,
    accountIds: [],
    oauthAppId: input.integrationOAuthAppId,
    requireCustomerApp: mode === 'app' || (input.requireCustomerApp ?? false),
    allowedHosts: input.allowedHosts,
    createdAt: now,
    updatedAt: now,
    expiresAt: now + (input.expiresIn ?? getDefaultSeconds(mode, account)) * 1_000,
  })
  const token = generateConnectToken()
  const url = `${deps.baseUrl()}/connect/${token}`
  const response = { ...serializeConnectSession(session, now), token, url }
  const store = await prepare?.(response)
  await deps.database.transaction(async (trx) => {
    await assertBelowLimit(deps, trx, workspaceId, now)
    await deps.connectSessions.insert(trx, session, hashSecret(token))
    await recordConnectSessionChange(trx, caller, now, 'connect_session.created', session, response)
    await store?.(trx)
  })
  return response
}

/** @throws ApiError `connect_session_limit` */
async function assertBelowLimit(
  { connectSessions }: Pick<CreateConnectSessionDeps, 'connectSessions'>,
  trx: Transaction,
  workspaceId: WorkspaceId,
  now: number,
): Promise<void> {
  if (await connectSessions.hasAtLeastOpen(trx, workspaceId, MAX_OPEN, now))
    throw new ApiError(
      'connect_session_limit',
      'This workspace has 10,000 open connect sessions. Revoke some, or wait until they expire.',
    )
}

/** @throws ApiError `insufficient_scope` */
function assertMayCreate(
  { scopes }: Caller,
  { integrationAccountId }: CreateConnectSession,
  mode: ConnectSession['mode'],
): void {
  if (mode === 'manage') assertScopeGranted(scopes, 'accounts:write')
  if (mode === 'app') assertScopeGranted(scopes, 'apps:write')
  if (integrationAccountId != null) assertScopeGranted(scopes, 'accounts:reconnect')
}

/**
 * The scopes to request. For an account, they are added to what it has.
 *
 * @throws ApiError `auth_type_not_allowed` for an account without a sign-in; as `resolveChosenScopes`
 */
async function resolveScopes(
  deps: CreateConnectSessionDeps,
  caller: Caller,
  policy: LinkPolicy,
  {
    input: { scopes = {}, integrationOAuthAppId },
    account,
    accountIdentifier,
    offered,
  }: {
    readonly input: CreateConnectSession
    readonly account: PublicAccount | undefined
    readonly accountIdentifier: string | null
    readonly offered: readonly DefinitionId[]
  },
): Promise<ScopesByDefinition> {
  if (scopes === null || Object.keys(scopes).length === 0) return {}
  const requestedId = integrationOAuthAppId ?? policy.oauthAppId
  return resolveChosenScopes(deps, caller, policy, scopes, {
    definitionIds: offered,
    accountIdentifier,
    question: {
      requestedId,
      accountAppId: account && (await findAppOfAccount(deps, caller, policy, account)),
    },
    isAddition: account !== undefined,
    needed: account && (await listNeededNames(deps, account)),
  })
}

/** The scopes for whose lack requests of an account were refused: an MCP server may name any. */
async function listNeededNames(
  { database }: CreateConnectSessionDeps,
  account: PublicAccount,
): Promise<string[]> {
  const needed = await listNeededScopes(database.read, toScopesOwner(account))
  return needed.map(({ scope }) => scope)
}

/** The app of an account with a sign-in. @throws ApiError `auth_type_not_allowed` for any other account */
async function findAppOfAccount(
  deps: CreateConnectSessionDeps,
  caller: Caller,
  policy: LinkPolicy,
  { accountId, definitionId, authType }: PublicAccount,
): Promise<OAuthAppId | null | undefined> {
  const { accounts, database } = deps
  const definition = await requireAllowedDefinition(deps, caller, policy, definitionId)
  if (parseOAuthType(definition.spec, authType) === undefined)
    throw createNoSignInError('integrationAccountId')
  return (await accounts.findWithCredentials(database.read, caller, accountId))?.oauthAppId
}

/**
 * Throws if the visitor could choose the host that receives a given value which the visitor does not see.
 *
 * @throws ApiError `validation_failed` naming a field that must be given as well
 */
async function assertSecretsStay(
  { definitions }: Pick<CreateConnectSessionDeps, 'definitions'>,
  caller: Caller,
  policy: LinkPolicy,
  session: {
    readonly given: readonly GivenField[]
    readonly definitionIds: readonly DefinitionId[]
    readonly categories: readonly Category[]
  },
): Promise<void> {
  const { given, definitionIds, categories } = session
  if (given.length === 0) return
  const filter = createAllowedDefinitionsFilter(policy)
  for (const { definitionId, name, typeKey, spec } of await definitions.listWithSpecs(
    caller,
    definitionIds.length === 0 ? filter : { ...filter, definitionIds },
  ))
    for (const authType of Object.keys(spec.auth_specification)) {
      const isOffered = categories.length === 0 || categories.some(({ key }) => key === typeKey)
      if (!isOffered || (definitionId === ACME_SANDBOX_ID && definitionIds.length === 0)) continue
      const exposed = findExposedSecret(readFormDestinations(spec, authType), given)
      if (exposed !== undefined) throw createExposedSecretError(exposed.hostField, name)
    }
}

function createExposedSecretError(hostField: string, tool: string): ApiError {
  const message = `Give this field of ${tool} too. config has a value that the person does not see, and with this field the person could choose the host that receives it.`
  return validationFailed(fieldError(`config.${hostField}`, 'required', message))
}

/** A session that reconnects, or for an administrator, is sent by mail, and waits for its customer. */
function getDefaultSeconds(mode: ConnectSession['mode'], account: unknown): number {
  if (account !== undefined || mode === 'app') return 604_800
  return mode === 'manage' ? 3_600 : 1_800
}

function assertCustomer(input: CreateConnectSession, mode: ConnectSession['mode']): void {
  const { accountIdentifier, integrationAccountId, requireCustomerApp } = input
  const isMissing = accountIdentifier == null
  if (isMissing && mode !== 'connect')
    throw validationFailed(
      fieldError('accountIdentifier', 'required', `Required with the mode ${mode}.`),
    )
  if (isMissing && requireCustomerApp === true && integrationAccountId == null)
    throw validationFailed(
      fieldError('accountIdentifier', 'required', 'Required with requireCustomerApp.'),
    )
  if (!isMissing) assertIdentifier(accountIdentifier)
}

/** With the mode app, a customer's administrator enters the app for one tool. @throws ApiError `validation_failed` */
function assertFieldsOfMode(input: CreateConnectSession, mode: ConnectSession['mode']): void {
  if (mode !== 'app') {
    if (input.allowedHosts != null)
      throw validationFailed(fieldError('allowedHosts', 'unexpected', 'Only with the mode app.'))
    return
  }
  const others = ['integrationAccountId', 'integrationOAuthAppId', 'category'] as const
  for (const name of others)
    if (input[name] != null)
      throw validationFailed(fieldError(name, 'unexpected', 'Not with the mode app.'))
  if (input.integrationDefinitionIds?.length !== 1)
    throw validationFailed(
      fieldError(
        'integrationDefinitionIds',
        'invalid',
        'Must name one definition with the mode app.',
      ),
    )
}

/**
 * Asserts that the session can use the app that it names: one of the workspace or of its customer, for a definition that it
 * offers, and the one that its link names.
 *
 * @throws ApiError `unknown_reference`
 */
async function assertNamedApp(
  { oauthApps, database }: CreateConnectSessionDeps,
  caller: Caller,
  policy: LinkPolicy,
  session: {
    readonly input: CreateConnectSession
    readonly accountIdentifier: string | null
    readonly offered: readonly DefinitionId[]
  },
): Promise<void> {
  const { input, accountIdentifier, offered } = session
  const { integrationOAuthAppId: appId } = input
  if (appId == null) return
  const app = isId('oap', appId) ? await oauthApps.find(database.read, caller, appId) : undefined
  const customers = [null, accountIdentifier]
  const isUsable =
    app?.workspaceId === policy.workspaceId &&
    customers.includes(app.accountIdentifier) &&
    (offered.length === 0 || offered.includes(app.definitionId)) &&
    appId === (policy.oauthAppId ?? appId)
  if (!isUsable) throw unknownReference('integrationOAuthAppId')
}

/** @throws ApiError `auth_type_not_allowed`; `already_exists` if the customer has an app of its own */
async function assertAppCanBeEntered(
  { definitions, oauthApps, database: { read } }: CreateConnectSessionDeps,
  caller: Caller,
  { workspaceId }: LinkPolicy,
  [definitionId]: readonly DefinitionId[],
  accountIdentifier: string | null,
): Promise<void> {
  const definition =
    definitionId && (await definitions.findLive(read, caller, workspaceId, definitionId))
  if (definition === undefined) throw unknownReference('integrationDefinitionIds.0')
  if (getDefaultOAuthType(definition.spec) === undefined)
    throw createNoOAuthTypeError('integrationDefinitionIds.0')
  const candidates = await oauthApps.listCandidates(read, caller, definition, accountIdentifier)
  if (selectIssuingApp(candidates, { requiresCustomerApp: true }) !== undefined)
    throw createAppTakenError()
}

/** What the session may connect: its link, or the settings of the workspace. */
async function requirePolicy(
  deps: CreateConnectSessionDeps,
  caller: Caller,
  { linkId, workspaceId }: CreateConnectSession,
): Promise<LinkPolicy> {
  if (linkId == null)
    return createWorkspacePolicy(await resolveWorkspace(deps.workspaces, caller, workspaceId))
  if (workspaceId != null)
    throw validationFailed(
      fieldError('workspaceId', 'unexpected', 'The link implies its workspace. Omit this field.'),
    )
  const link = isId('lnk', linkId) ? await deps.links.find(caller, linkId) : undefined
  if (link === undefined) throw unknownReference('linkId')
  assertOpen(link, deps.now())
  return link
}

/** The session can only narrow what its link allows. Returns the definitions that it names. */
async function validateAgainstPolicy(
  deps: CreateConnectSessionDeps,
  caller: Caller,
  link: LinkPolicy,
  input: CreateConnectSession,
): Promise<DefinitionId[]> {
  const workspace = await deps.workspaces.find(caller, link.workspaceId)
  if (workspace === undefined)
    throw unknownReference(link.linkId === null ? 'workspaceId' : 'linkId')
  if (input.redirectURL != null) deps.assertRedirectUrl(input.redirectURL, workspace, link)
  const ids = new Set<DefinitionId>()
  for (const [index, reference] of (input.integrationDefinitionIds ?? []).entries())
    try {
      ids.add((await requireAllowedDefinition(deps, caller, link, reference)).definitionId)
    } catch (error) {
      if (error instanceof ApiError) throw unknownReference(`integrationDefinitionIds.${index}`)
      throw error
    }
  return [...ids]
}

interface FindReconnectedAccountDeps {
  readonly database: Database
  readonly definitions: DefinitionStore
  readonly accounts: Pick<AccountStore, 'find' | 'findWithCredentials'>
}

/**
 * The account to reconnect. The same error for an unknown one, a deleted or pending one, that of another customer or workspace,
 * and one of a tool that its link does not allow.
 */
async function findReconnectedAccount(
  deps: FindReconnectedAccountDeps,
  caller: Caller,
  link: LinkPolicy,
  input: CreateConnectSession,
): Promise<PublicAccount | undefined> {
  const { integrationAccountId: accountId, accountIdentifier } = input
  if (accountId == null) return undefined
  for (const name of ['integrationDefinitionIds', 'category', 'maxAccounts', 'tags'] as const)
    if (input[name] != null)
      throw validationFailed(fieldError(name, 'unexpected', 'Not with integrationAccountId.'))
  if (input.mode === 'manage')
    throw validationFailed(
      fieldError('integrationAccountId', 'unexpected', 'Not with the mode manage.'),
    )
  const account = isId('acc', accountId) ? await deps.accounts.find(caller, accountId) : undefined
  if (
    account === undefined ||
    account.deletedAt !== null ||
    account.status === 'pending' ||
    account.workspaceId !== link.workspaceId ||
    (accountIdentifier != null && account.accountIdentifier !== accountIdentifier)
  )
    throw unknownReference('integrationAccountId')
  try {
    await requireAllowedDefinition(deps, caller, link, account.definitionId)
  } catch (error) {
    if (error instanceof ApiError) throw unknownReference('integrationAccountId')
    throw error
  }
  return account
}
