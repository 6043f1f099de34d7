import type { Spec } from '@linchpin/runner'
import type { WorkspaceAccess } from '../../../access/auth/caller.ts'
import type { Workspace } from '../../../access/workspaces/workspace.ts'
import type { Account } from '../../../accounts/accounts/account.ts'
import type { AccountTenant } from '../../../accounts/accounts/credentials/account-config.ts'
import type { Definition } from '../../../integrations/definitions/definition.ts'
import { bindToServer } from '../../../integrations/oauth/discovery/authorization-server.ts'
import {
  type OAuthType,
  parseOAuthType,
} from '../../../integrations/oauth/spec/parse-oauth-type.ts'
import type { OAuthApp } from '../../../integrations/oauth-apps/oauth-app.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { findSessionAccount } from '../../connect-sessions/connect-session.ts'
import { createWorkspacePolicy, type Link } from '../../links/link.ts'
import {
  assertBelowIdentifierLimit,
  assertLinkAccepts,
  assertOpen,
  requireAllowedDefinition,
} from '../../links/link-policy.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { OAuthSession, OAuthSessionSecrets } from './oauth-session.ts'
import { getAllowedRedirectUrl } from './redirect-url.ts'

/** A session with the current state of everything it refers to. */
export interface OAuthSessionContext {
  readonly session: OAuthSession
  /** What the user can access who started the session, limited to its workspace. */
  readonly access: WorkspaceAccess
  readonly tenant: AccountTenant
  readonly workspace: Workspace
  /** The link through which the account is added. */
  readonly link: Link | undefined
  readonly definition: Definition
  readonly app: OAuthApp
  readonly spec: Spec
  readonly type: OAuthType
  readonly secrets: OAuthSessionSecrets
  /** The values for `${name}` placeholders in URLs and parameters of the spec. */
  readonly values: Readonly<Record<string, unknown>>
  /** The account to reconnect. */
  readonly account: Account | undefined
}

/**
 * Loads everything that a session refers to.
 *
 * @throws ApiError `oauth_attempt_invalid` when any of it was deleted or replaced; `oauth_start_revoked`; as
 * `assertLinkAllows`
 */
export async function loadSessionContext(
  deps: OAuthFlowDeps,
  session: OAuthSession,
): Promise<OAuthSessionContext> {
  const { workspaceId, definitionId } = session
  const { read } = deps.database
  const access = getWorkspaceAccess(session)
  const workspace = await deps.workspaces.find(access, workspaceId)
  const definition = await deps.definitions.findLive(read, access, workspaceId, definitionId)
  const app = await deps.oauthApps.find(read, access, session.oauthAppId)
  if (workspace === undefined || session.sealedSecrets === null) throw createSessionEndedError()
  const redirectUrl = await getAllowedRedirectUrl(deps, access, session, workspace)
  if (session.redirectUrl !== null && redirectUrl === undefined) throw createSessionEndedError()
  if (definition === undefined || app === undefined) throw createSessionEndedError()
  await assertStarterTokenActive(deps, read, session)
  const link = await assertLinkAllows(deps, read, session)
  const secrets = await openSessionSecrets(deps.vault, session, session.sealedSecrets)
  const { spec } = definition
  const type = getSessionType(spec, session, secrets)
  // Another bundle may name other endpoints: only the client that the user authorized may redeem the code, and only at
  // the endpoints at which the flow started.
  if (type === undefined || secrets.bundleSha256 !== definition.bundleSha256)
    throw createSessionEndedError()
  if (secrets.clientId !== app.clientId) throw createSessionEndedError()
  const account = await findAccount(deps, access, session, link)
  const tenant = { workspaceId, definitionId, linkId: session.linkId ?? undefined }
  return {
    session,
    access,
    tenant,
    workspace,
    link,
    definition,
    app,
    spec,
    type,
    secrets,
    values: getTemplateValues(secrets.config, app),
    account,
  }
}

/**
 * The OAuth type of a session, with the endpoints that were discovered at its start: the code is sent to these, whatever the server
 * says meanwhile. Undefined if the spec has no such type any more.
 */
export function getSessionType(
  spec: Spec,
  { authType }: Pick<OAuthSession, 'authType'>,
  { discovered }: Pick<OAuthSessionSecrets, 'discovered'>,
): OAuthType | undefined {
  const type = parseOAuthType(spec, authType)
  if (type?.discoveredFrom === undefined) return discovered === undefined ? type : undefined
  return discovered && bindToServer(type, discovered)
}

/** What a session can access: its own workspace only. */
export function getWorkspaceAccess(
  session: Pick<OAuthSession, 'userId' | 'workspaceId'>,
): WorkspaceAccess {
  return { userId: session.userId, boundWorkspaceId: session.workspaceId }
}

/**
 * Returns the session's link; undefined without one. Throws when the link has expired or is full, does not allow the
 * definition, or requires OAuth while the integration accepts the tokens under another auth type only.
 *
 * @throws ApiError `oauth_attempt_invalid`, `auth_type_not_allowed`; as `assertLinkAccepts` and
 * `requireAllowedDefinition`
 */
async function assertLinkAllows(
  deps: OAuthFlowDeps,
  db: Transaction,
  session: OAuthSession,
  authType = session.authType,
): Promise<Link | undefined> {
  if (session.linkId === null) return undefined
  const link = await deps.links.findIn(db, getWorkspaceAccess(session), session.linkId)
  if (link === undefined) throw createSessionEndedError()
  // A reconnect adds no account, so the limits of the link do not apply.
  if (session.accountId !== null) assertOpen(link, deps.now())
  else await assertLinkAccepts(deps, db, link, session.accountIdentifier)
  if (link.preferOAuth && authType !== session.authType)
    throw new ApiError(
      'auth_type_not_allowed',
      'This link requires OAuth, but the integration accepts these tokens only as an API key.',
    )
  // Outside of a transaction only: the definitions that a link allows never change.
  if (db === deps.database.read)
    await requireAllowedDefinition(deps, getWorkspaceAccess(session), link, session.definitionId)
  return link
}

/**
 * Throws when the access token that started the session was revoked: revoking a token also ends the sessions that it
 * started. A token that has merely expired since does not: its expiry limits only how long it may start sessions.
 *
 * @throws ApiError `oauth_start_revoked`
 */
export async function assertStarterTokenActive(
  { tokens }: Pick<OAuthFlowDeps, 'tokens'>,
  db: Transaction,
  session: Pick<OAuthSession, 'tokenId'>,
): Promise<void> {
  if (session.tokenId === null || (await tokens.isLive(db, session.tokenId))) return
  throw new ApiError(
    'oauth_start_revoked',
    'The access token that started this connection has been revoked.',
  )
}

/**
 * Throws in the transaction that stores the connection unless everything that the context was loaded from still allows it.
 *
 * @param authType under which the integration has accepted the tokens
 * @throws ApiError `oauth_attempt_invalid`, `oauth_start_revoked`, `link_identifier_full`; as `assertLinkAllows`
 */
export async function assertStillAllowed(
  deps: OAuthFlowDeps,
  trx: Transaction,
  { session, access, definition, app, account }: OAuthSessionContext,
  authType: string,
): Promise<void> {
  await assertStarterTokenActive(deps, trx, session)
  await assertLinkAllows(deps, trx, session, authType)
  if (account !== undefined) await assertIdentifierLimit(deps, trx, access, session, account)
  const { workspaceId, definitionId } = session
  const currentDefinition = await deps.definitions.findLive(trx, access, workspaceId, definitionId)
  const currentApp = await deps.oauthApps.find(trx, access, app.oauthAppId)
  if (
    currentDefinition?.bundleSha256 !== definition.bundleSha256 ||
    currentApp?.clientId !== app.clientId
  )
    throw createSessionEndedError()
}

/**
 * Checks the limit of a link for the new `accountIdentifier` when a reconnect changes it.
 *
 * @throws ApiError `link_identifier_full`
 */
async function assertIdentifierLimit(
  deps: Pick<OAuthFlowDeps, 'accounts' | 'links'>,
  trx: Transaction,
  access: WorkspaceAccess,
  { accountIdentifier }: OAuthSession,
  account: Account,
): Promise<void> {
  if (account.linkId === null || accountIdentifier === null) return
  if (account.accountIdentifier === accountIdentifier) return
  const link = await deps.links.findIn(trx, access, account.linkId)
  if (link !== undefined) await assertBelowIdentifierLimit(deps, trx, link, accountIdentifier)
}

/** The session is unknown, finished or expired, or can no longer be completed. */
export function createSessionEndedError(): ApiError {
  return new ApiError(
    'oauth_attempt_invalid',
    'This connection attempt has completed, expired or never existed. Start again.',
  )
}

async function findAccount(
  deps: OAuthFlowDeps,
  access: WorkspaceAccess,
  session: OAuthSession,
  link: Link | undefined,
): Promise<Account | undefined> {
  const { accountId, workspaceId } = session
  if (accountId === null) return undefined
  const row = await deps.accounts.findWithCredentials(deps.database.read, access, accountId)
  if (row?.sealedConfig == null) throw createSessionEndedError()
  const page = await deps.oauthSessions.findReturnPage(session)
  if (page?.connectSessionId == null) return row
  // Minutes have passed: the account may be of another customer or category now, and the person still signs in.
  const connectSession = await deps.visitedSessions.find(page.connectSessionId)
  const policy = connectSession && {
    connectSession,
    link: link ?? createWorkspacePolicy(workspaceId),
  }
  if (policy === undefined || !(await findSessionAccount(deps, access, policy, accountId)))
    throw createSessionEndedError()
  return row
}

type SessionRowKey = Pick<OAuthSession, 'workspaceId' | 'sessionId'>

/** Encrypts the secrets for the row of this session. */
export function sealSessionSecrets(
  vault: Vault,
  session: SessionRowKey,
  secrets: OAuthSessionSecrets,
): Promise<Uint8Array> {
  return vault.seal(createEncryptionContext(session), JSON.stringify(secrets))
}

/**
 * Decrypts the secrets of a session.
 *
 * @throws VaultError when the ciphertext was modified or belongs to another row
 */
export async function openSessionSecrets(
  vault: Vault,
  session: SessionRowKey,
  sealed: Uint8Array,
): Promise<OAuthSessionSecrets> {
  return JSON.parse(
    await vault.openText(createEncryptionContext(session), sealed),
  ) as OAuthSessionSecrets
}

function createEncryptionContext({ workspaceId, sessionId }: SessionRowKey) {
  return {
    // The name that the table had when commit 38d70a5c sealed them.
    table: 'oauth_attempts',
    column: 'sealed',
    workspaceId,
    rowId: sessionId,
  }
}

/** The values for `${name}` placeholders in URLs and parameters of a spec. */
export function getTemplateValues(
  config: Readonly<Record<string, unknown>>,
  app: Pick<OAuthApp, 'clientId'>,
): Record<string, unknown> {
  return { ...config, client_id: app.clientId }
}
