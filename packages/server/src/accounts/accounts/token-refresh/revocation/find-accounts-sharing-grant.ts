import { timingSafeEqual } from 'node:crypto'
import { listOAuthTypes } from '../../../../integrations/oauth/spec/list-oauth-types.ts'
import type { OAuthType } from '../../../../integrations/oauth/spec/parse-oauth-type.ts'
import {
  TemplateError,
  type TemplateValues,
} from '../../../../integrations/oauth/template/template-value.ts'
import { fillUrlTemplate } from '../../../../integrations/oauth/template/url-template.ts'
import type { OAuthClient } from '../../../../integrations/oauth/token/client-request.ts'
import { StorageError } from '../../../../platform/storage/storage-error.ts'
import type { Account, AccountId } from '../../account.ts'
import { getRevocationClient, type LoadGrantDeps, loadGrant } from '../grant/load-grant.ts'
import type { Grant } from '../grant.ts'
import { findSiblingCandidates, type SharedGrantCandidate } from './sibling-store.ts'

/** The account whose siblings are wanted, with its grant. */
export interface SiblingQuery {
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
export async function findAccountsSharingGrant(
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
  if (type.revocationUrl === undefined) return undefined
  const values: TemplateValues = { ...config, client_id: client.clientId }
  try {
    return new URL(fillUrlTemplate(type.revocationUrl, values, type.templateFields)).host
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}
