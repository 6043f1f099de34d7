import type { Spec, Tenant } from '@linchpin/runner'
import { tenantOf } from '../../account/tenant-of.ts'
import type { Reach } from '../../caller/caller.ts'
import { ApiError } from '../../errors.ts'
import { refuseForeignDefinition } from '../../link/create-account-through-link.ts'
import { admitThroughLink, refuseClosed } from '../../link/policy/admit-through-link.ts'
import { type OAuthType, readOAuthType } from '../../oauth/spec/auth-type.ts'
import type {
  AccountRow,
  DefinitionRow,
  LinkRow,
  OAuthAppRow,
  OAuthAttemptRow,
  WorkspaceRow,
} from '../../storage/tables.ts'
import type { Transaction } from '../../storage/transaction.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { isRedirectAllowed, redirectPlace } from '../start/redirect-url.ts'
import { type AttemptSecrets, openAttempt } from './attempt-secrets.ts'

/** Everything that an attempt goes by, as it is now. */
export interface AttemptContext {
  readonly attempt: OAuthAttemptRow
  /** On whose behalf the attempt runs. */
  readonly reach: Reach
  readonly tenant: Tenant
  readonly workspace: WorkspaceRow
  /** The link that the account is added through. */
  readonly link: LinkRow | undefined
  readonly definition: DefinitionRow
  readonly app: OAuthAppRow
  readonly spec: Spec
  readonly type: OAuthType
  readonly secrets: AttemptSecrets
  /** The account to reconnect. */
  readonly account: AccountRow | undefined
}

/**
 * Loads what an attempt goes by, and refuses when any of it has ended meanwhile.
 *
 * @throws ApiError `oauth_start_revoked`, `oauth_attempt_invalid`, and what admitLink throws
 */
export async function loadAttempt(
  deps: ConnectDeps,
  attempt: OAuthAttemptRow,
): Promise<AttemptContext> {
  const { workspace_id: workspaceId, definition_id: definitionId } = attempt
  const { read } = deps.database
  const reach = reachOf(attempt)
  const workspace = await deps.workspaces.find(reach, workspaceId)
  const definition = await deps.definitions.findLive(read, reach, workspaceId, definitionId)
  const app = await deps.oauthApps.find(read, reach, attempt.oauth_app_id)
  if (workspace === undefined || attempt.sealed === null) throw hasEnded()
  const isHomeless = (await allowedHome(deps, attempt, workspace)) === undefined
  if (attempt.redirect_url !== null && isHomeless) throw hasEnded()
  if (definition === undefined || app === undefined) throw hasEnded()
  await admitStarter(deps, read, attempt)
  const link = await admitLink(deps, read, attempt)
  const secrets = await openAttempt(deps.vault, attempt, attempt.sealed)
  const spec = JSON.parse(definition.spec) as Spec
  const type = readOAuthType(spec, attempt.auth_type)
  // Another bundle may name other endpoints: a code must only go where its flow began, and by the client it is for.
  if (type === undefined || secrets.bundleSha256 !== definition.bundle_sha256) throw hasEnded()
  if (secrets.clientId !== app.client_id) throw hasEnded()
  const account = await findAccount(deps, reach, attempt)
  const tenant = tenantOf(attempt)
  return { attempt, reach, tenant, workspace, link, definition, app, spec, type, secrets, account }
}

/** An attempt reaches its own workspace and nothing else. */
export function reachOf(attempt: Pick<OAuthAttemptRow, 'user_id' | 'workspace_id'>): Reach {
  return { userId: attempt.user_id, boundTo: attempt.workspace_id }
}

/**
 * The attempt's link. Refuses when it has closed or is full, no longer allows the definition, or wants accounts by
 * sign-in only and the tokens are good under another auth type alone.
 *
 * @throws ApiError `oauth_attempt_invalid`, `auth_type_not_allowed`, and what admitThroughLink throws
 */
export async function admitLink(
  deps: ConnectDeps,
  db: Transaction,
  attempt: OAuthAttemptRow,
  authType = attempt.auth_type,
): Promise<LinkRow | undefined> {
  if (attempt.link_id === null) return undefined
  const link = await deps.links.find(db, reachOf(attempt), attempt.link_id)
  if (link === undefined) throw hasEnded()
  // A reconnect adds nothing.
  if (attempt.account_id !== null) refuseClosed(link, deps.now())
  else await admitThroughLink(deps, db, link, attempt.account_identifier)
  if (link.prefer_oauth === 1 && authType !== attempt.auth_type)
    throw new ApiError(
      'auth_type_not_allowed',
      'The link takes accounts by sign-in only, and the integration accepts these tokens as a key only.',
    )
  // Reads outside of the transaction on purpose: what a link allows never changes.
  if (db === deps.database.read)
    await refuseForeignDefinition(deps, reachOf(attempt), link, attempt.definition_id)
  return link
}

/**
 * Refuses when the access token that started the attempt was revoked: whoever revokes one means what it began too. That
 * it expires meanwhile ends nothing: a token's time says how long it may start.
 *
 * @throws ApiError `oauth_start_revoked`
 */
export async function admitStarter(
  { tokens }: Pick<ConnectDeps, 'tokens'>,
  db: Transaction,
  attempt: Pick<OAuthAttemptRow, 'token_id'>,
): Promise<void> {
  if (attempt.token_id === null || (await tokens.isLive(db, attempt.token_id))) return
  throw new ApiError(
    'oauth_start_revoked',
    'The access token that started this connection was revoked meanwhile.',
  )
}

/** Where the start said to go back to, if it is allowed still: what is brought there is a capability. */
export async function allowedHome(
  deps: Pick<ConnectDeps, 'links' | 'database' | 'baseUrl'>,
  attempt: OAuthAttemptRow,
  workspace: WorkspaceRow,
): Promise<string | undefined> {
  const { redirect_url: home, link_id: linkId } = attempt
  if (home === null) return undefined
  const link =
    linkId === null
      ? undefined
      : await deps.links.find(deps.database.read, reachOf(attempt), linkId)
  const place = redirectPlace(workspace, link)
  return isRedirectAllowed(home, place, deps.baseUrl()) ? home : undefined
}

/** The refusal of an attempt that cannot go on. */
export function hasEnded(): ApiError {
  return new ApiError(
    'oauth_attempt_invalid',
    'This connection was finished, has run out of time, or was never started. Start again.',
  )
}

async function findAccount(
  deps: ConnectDeps,
  reach: Reach,
  attempt: OAuthAttemptRow,
): Promise<AccountRow | undefined> {
  if (attempt.account_id === null) return undefined
  const row = await deps.accounts.findSealed(deps.database.read, reach, attempt.account_id)
  if (row?.sealed_config == null) throw hasEnded()
  return row
}
