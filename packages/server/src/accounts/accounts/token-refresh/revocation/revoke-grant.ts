import { timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EgressGateway, Tenant } from '@linchpin/runner'
import type { WorkspaceId } from '../../../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../../../integrations/definitions/definition.ts'
import {
  listOAuthTypes,
  type OAuthType,
} from '../../../../integrations/oauth/spec/parse-oauth-type.ts'
import {
  fillUrlTemplate,
  TemplateError,
  type TemplateValues,
} from '../../../../integrations/oauth/template.ts'
import type { OAuthClient } from '../../../../integrations/oauth/token/client-request.ts'
import {
  type GrantTokens,
  type RevocationOutcome,
  revokeTokens,
} from '../../../../integrations/oauth/token/revoke-token.ts'
import type { Log } from '../../../../platform/http/log.ts'
import type { Database } from '../../../../platform/storage/database.ts'
import { StorageError } from '../../../../platform/storage/storage-error.ts'
import type { Account, AccountId } from '../../account.ts'
import { getRunnerTenant } from '../../credentials/account-config.ts'
import { acquireLease } from '../acquire-lease.ts'
import {
  type Grant,
  getGrantTokens,
  getRevocationClient,
  type LoadGrantDeps,
  loadGrant,
} from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import type { AccountSnapshot } from '../refresh-store.ts'
import {
  claimRevocation,
  findSiblingCandidates,
  isAnyAccountLive,
  isPossiblyShared,
  type SharedGrantCandidate,
} from './shared-grant-store.ts'

/** `shared`: not sent, because a live account may share the grant; deleting that account revokes it. */
export type GrantRevocationOutcome = RevocationOutcome | 'shared'

export interface RevokeGrantOptions {
  /** Revokes even if live accounts may share the grant, which disconnects them too. */
  readonly evenIfShared: boolean
}

/**
 * Revokes the tokens of an account at its provider, the refresh token first (RFC 7009). Takes at most five seconds,
 * after waiting at most three seconds for a refresh in progress. Null when there is nothing to revoke. Never throws: an
 * error counts as `failed`. The caller must delete the account afterwards; until then the account is marked as being
 * deleted.
 */
export async function revokeGrant(
  deps: RefreshDeps,
  accountId: AccountId,
  { evenIfShared }: RevokeGrantOptions,
): Promise<GrantRevocationOutcome | null> {
  const snapshot = await deps.refreshStore.find(accountId)
  if (snapshot === undefined || snapshot.row.sealedConfig === null) return null
  return ignoreErrors(deps, accountId, () => revokeUnlessShared(deps, snapshot, evenIfShared))
}

/**
 * Revokes tokens that were issued for an account after its deletion, unless a live account may share the grant. Best
 * effort: takes at most five seconds and never throws.
 */
export async function revokeAfterDelete(
  deps: RefreshDeps,
  row: Account,
  grant: Grant,
  tokens: GrantTokens,
): Promise<void> {
  const { accountId } = row
  await ignoreErrors(deps, accountId, async () => {
    if ((await deps.refreshStore.find(accountId)) !== undefined) return null
    const siblings = await findSiblingIds(deps, row, grant)
    const isShared = await isAnyAccountLive(deps.database.read, siblings, deps.refreshStore.clock())
    const revocation = isShared ? 'shared' : await sendRevocation(deps, row, grant, tokens)
    deps.log.info({ accountId, revocation }, 'tokens were issued for a deleted account')
    return revocation
  })
}

/** Errors of a revocation must never prevent the deletion of an account. */
async function ignoreErrors(
  deps: RefreshDeps,
  accountId: AccountId,
  work: () => Promise<GrantRevocationOutcome | null>,
): Promise<GrantRevocationOutcome | null> {
  try {
    return await work()
  } catch (error) {
    deps.log.warn({ err: error, accountId }, 'the tokens of an account could not be revoked')
    return 'failed'
  }
}

async function revokeUnlessShared(
  deps: RefreshDeps,
  snapshot: AccountSnapshot,
  evenIfShared: boolean,
): Promise<GrantRevocationOutcome | null> {
  const { type, client } = await loadGrant(deps, snapshot.row)
  if (type === undefined) return null
  if (type.revocation.length === 0) return client === undefined ? null : 'unsupported'
  const row = await waitForLease(deps, snapshot.row)
  if (row === undefined) return null
  const grant = await loadGrant(deps, row)
  const tokens = getGrantTokens(grant.config)
  const hasTokens = [tokens, ...Object.values(tokens.nested ?? {})].some(
    ({ accessToken, refreshToken }) => accessToken !== undefined || refreshToken !== undefined,
  )
  if (hasTokens && (await isDeferred(deps, row, grant, evenIfShared))) return 'shared'
  return sendRevocation(deps, row, grant, tokens)
}

/** Whether to leave the revocation to the deletion of a live account that may share the grant; claims it otherwise. */
async function isDeferred(
  deps: RefreshDeps,
  row: Account,
  grant: Grant,
  evenIfShared: boolean,
): Promise<boolean> {
  const siblings = await findSiblingIds(deps, row, grant)
  if (siblings.length === 0) return false
  const { hasLiveSibling } = await deps.database.transaction(
    (trx) => claimRevocation(trx, row.accountId, siblings, deps.refreshStore.clock()),
    { serializable: true },
  )
  return hasLiveSibling && !evenIfShared
}

async function findSiblingIds(deps: RefreshDeps, row: Account, grant: Grant): Promise<AccountId[]> {
  const { type, config } = grant
  const client = await getRevocationClient(deps, row, grant)
  if (type === undefined || client === undefined) return []
  return findAccountsSharingGrant(deps, { row, type, client, config })
}

/**
 * Acquires the lease of an account so that no refresh runs during its revocation, and returns its row. If the lease
 * stays taken, returns the row without it: tokens of the other refresh are revoked when they arrive. Undefined when the
 * account is deleted.
 */
async function waitForLease(deps: RefreshDeps, account: Account): Promise<Account | undefined> {
  const deadline = performance.now() + LEASE_TIMEOUT_MS
  let row = account
  while (true) {
    const lease = await acquireLease(deps, row)
    if (lease !== undefined) return lease.row
    const latest = await deps.refreshStore.find(row.accountId)
    if (latest === undefined || performance.now() >= deadline) return latest?.row
    row = latest.row
    await sleep(40 + Math.random() * 120)
  }
}

async function sendRevocation(
  deps: RefreshDeps,
  row: Account,
  grant: Grant,
  tokens: GrantTokens,
): Promise<RevocationOutcome | null> {
  const { type, config } = grant
  const client = await getRevocationClient(deps, row, grant)
  if (type === undefined || client === undefined) return null
  const signal = AbortSignal.timeout(REVOCATION_TIMEOUT_MS)
  const values = { ...config, client_id: client.clientId }
  return revokeTokens(deps, { type, client, values, tenant: getRunnerTenant(row), signal }, tokens)
}

const LEASE_TIMEOUT_MS = 3_000
const REVOCATION_TIMEOUT_MS = 5_000

/** The account whose siblings are wanted, with its grant. */
interface SiblingQuery {
  readonly row: Account
  readonly type: OAuthType
  readonly client: OAuthClient
  readonly config: Readonly<Record<string, unknown>>
}

/**
 * Finds the IDs of other live accounts that may share the grant (decision 014): accounts of the same provider identity,
 * with the same client and the same revocation host. Empty when the spec sets `x-revokes: "token"`.
 *
 * A client ID is public. An account of another user counts only when its client has the same secret; otherwise any
 * tenant could keep another tenant's tokens alive, or learn who is connected there.
 */
async function findAccountsSharingGrant(
  deps: LoadGrantDeps,
  account: SiblingQuery,
): Promise<AccountId[]> {
  if (account.type.revokes === 'token') return []
  const host = getRevocationHost(account)
  if (host === undefined) return []
  const { row, client } = account
  const { read } = deps.database
  const candidates = await findSiblingCandidates(read, row, client.clientId)
  const ids: AccountId[] = []
  for (const candidate of candidates)
    if (await isGrantShared(deps, candidate, client, host)) ids.push(candidate.row.accountId)
  return ids
}

async function isGrantShared(
  deps: LoadGrantDeps,
  { row, hasSameOwner }: SharedGrantCandidate,
  client: OAuthClient,
  host: string,
): Promise<boolean> {
  const grant = await tryLoadGrant(deps, row)
  if (grant === undefined) return false
  for (const type of listCandidateOAuthTypes(grant, row)) {
    const siblingClient = await getRevocationClient(deps, row, { ...grant, type })
    if (siblingClient === undefined || !isSameClient(client, siblingClient, hasSameOwner)) continue
    if (getRevocationHost({ type, client: siblingClient, config: grant.config }) === host)
      return true
  }
  return false
}

/** Undefined when the sibling's configuration cannot be decrypted: the account is unusable and has no grant to lose. */
async function tryLoadGrant(deps: LoadGrantDeps, row: Account): Promise<Grant | undefined> {
  try {
    return await loadGrant(deps, row)
  } catch (error) {
    if (error instanceof StorageError) throw error
    return undefined
  }
}

/** The OAuth types an account may stem from: its own, or any type of the spec when it uses its token as an API key. */
function listCandidateOAuthTypes(grant: Grant, row: Account): OAuthType[] {
  if (grant.type !== undefined) return [grant.type]
  const isFromSignIn = row.identityId !== null && row.statusReason === 'no_refresh_token'
  return isFromSignIn ? listOAuthTypes(grant.spec).map(({ type }) => type) : []
}

function isSameClient(a: OAuthClient, b: OAuthClient, hasSameOwner: boolean): boolean {
  if (a.clientId !== b.clientId) return false
  return hasSameOwner || isSameSecret(a.clientSecret, b.clientSecret)
}

function isSameSecret(a: string | undefined, b: string | undefined): boolean {
  if (!a || !b) return false
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The revocation host with its port; undefined when the type has none, or the configuration does not fill its URL. */
function getRevocationHost({
  type,
  client,
  config,
}: Pick<SiblingQuery, 'type' | 'client' | 'config'>): string | undefined {
  const [request] = type.revocation
  if (request === undefined) return undefined
  const values: TemplateValues = { ...config, client_id: client.clientId }
  try {
    return new URL(fillUrlTemplate(request.url, values, type.templateFields)).host
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}

export interface RevokeOrphanedTokensDeps {
  readonly database: Database
  readonly egressGateway: EgressGateway
  readonly log: Log
}

/** Tokens that a provider issued and that no account uses. */
export interface OrphanedGrant {
  readonly type: OAuthType
  readonly client: OAuthClient
  readonly tokens: GrantTokens
  /** Values for the placeholders of the revocation URL. */
  readonly values: TemplateValues
  readonly tenant?: Tenant | undefined
  readonly definitionId: DefinitionId
  /** The provider's ID of the user who signed in; null when unknown. */
  readonly identityId: string | null
}

/** A reference to orphaned tokens, loaded on demand. */
export interface OrphanedGrantRef {
  /** Identifies them in the log: an account ID or OAuth session ID. */
  readonly subject: string
  open(): Promise<OrphanedGrant | undefined>
}

/**
 * Revokes orphaned tokens (RFC 7009) if the spec has a revocation URL. At many providers, revoking one token ends the
 * user's whole grant, so nothing is revoked while a live account may belong to the same user (decision 014). Best
 * effort: never throws and waits for the provider until `signal` aborts, by default for three seconds.
 */
export async function revokeOrphanedTokens(
  deps: RevokeOrphanedTokensDeps,
  { subject, open }: OrphanedGrantRef,
  signal = AbortSignal.timeout(DEFAULT_TIMEOUT_MS),
): Promise<void> {
  try {
    const grant = await open()
    if (grant === undefined || grant.type.revocation.length === 0) return
    const { type, client, values, tenant, tokens } = grant
    const owner = {
      ...grant,
      clientId: client.clientId,
      spannedWorkspaceId: type.isIncremental
        ? (tenant?.workspaceId as WorkspaceId | undefined)
        : undefined,
    }
    const revocation = (await isPossiblyShared(deps.database.read, owner))
      ? 'shared'
      : await revokeTokens(deps, { type, client, values, tenant, signal }, tokens)
    deps.log.info({ subject, revocation }, 'orphaned tokens')
  } catch (error) {
    deps.log.warn({ err: error, subject }, 'orphaned tokens could not be revoked')
  }
}

const DEFAULT_TIMEOUT_MS = 3_000

/** Loads the tokens that a deleted or replaced account row leaves behind; undefined when it did not use OAuth. */
export async function loadOrphanedGrant(
  deps: LoadGrantDeps,
  row: Account,
): Promise<OrphanedGrant | undefined> {
  const grant = await loadGrant(deps, row)
  const client = await getRevocationClient(deps, row, grant)
  if (client === undefined || grant.type === undefined) return undefined
  return {
    type: grant.type,
    client,
    tokens: getGrantTokens(grant.config),
    values: { ...grant.config, client_id: client.clientId },
    tenant: getRunnerTenant(row),
    definitionId: row.definitionId,
    identityId: row.identityId,
  }
}
