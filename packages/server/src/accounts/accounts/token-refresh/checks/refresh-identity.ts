import type { TokenObserver } from '@linchpin/runner'
import { SYSTEM_ACTOR } from '../../../../platform/record/change.ts'
import type { Transaction } from '../../../../platform/storage/database.ts'
import type { Account, AccountUpdate } from '../../account.ts'
import type { StoredHealth } from '../../account-health.ts'
import { recordAccountChange } from '../../account-records.ts'
import type { CheckParams } from '../../credentials/account-config.ts'
import { fetchIdentity } from '../../verification/run-check.ts'
import { acquireLease, LEASE_CLEARED, withLease } from '../acquire-lease.ts'
import { checkSubject } from '../auth-headers/revalidate-credentials.ts'
import { type Grant, loadGrant } from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import { observeGrant } from '../save-refresh-result.ts'
import { findIdentityLabel } from './check-store.ts'

/** Whether it is time to ask the provider who the user is: after an upgrade, and every 30 days. */
export function isIdentityDue(
  { identityAt, identitySource }: Pick<StoredHealth, 'identityAt' | 'identitySource'>,
  { bundleSha256 }: Pick<Grant, 'bundleSha256'>,
  now: number,
): boolean {
  if (identityAt === null || now - identityAt >= IDENTITY_MS) return true
  return identitySource !== null && identitySource !== bundleSha256
}

const IDENTITY_MS = 30 * 24 * 3_600_000

/** What the provider says of the user of an account. */
interface IdentityChange {
  readonly columns: AccountUpdate
  /** Records in the transaction of the update that it is another user, or has another name; absent if it is not. */
  readonly record: ((trx: Transaction) => Promise<void>) | undefined
}

/** Asks the provider who the user is, under the lease of the account. An unknown user changes nothing. */
export async function fetchIdentityChange(
  deps: RefreshDeps,
  row: Account,
  { bundleSha256 }: Grant,
  subject: CheckParams & { readonly tokens: TokenObserver },
): Promise<IdentityChange> {
  const { id, label = null, unreachable } = await fetchIdentity(deps, subject)
  if (unreachable !== undefined) return { columns: {}, record: undefined }
  const now = deps.now()
  const asked = { identityAt: now, identitySource: bundleSha256 }
  const { accountId } = row
  const stored = {
    id: row.identityId,
    label: await findIdentityLabel(deps.database.read, accountId),
  }
  const isKnown = id !== null || label !== null
  if (!isKnown || (id === stored.id && label === stored.label))
    return { columns: asked, record: undefined }
  const previous = stored.id === null && stored.label === null ? null : stored
  const change = { changed: ['identity'] }
  const action = 'account.updated'
  const data = { ...change, previous: { identity: previous } }
  return {
    columns: { ...asked, identityId: id, identityLabel: label, updatedAt: now },
    record: (trx) =>
      recordAccountChange(trx, SYSTEM_ACTOR, now, {
        action,
        accountId,
        detail: change,
        type: action,
        data,
      }),
  }
}

/** The same for an account whose credentials a use has just proven. Does nothing while another request has its lease. */
export async function refreshIdentity(deps: RefreshDeps, account: Account): Promise<void> {
  const lease = await acquireLease(deps, account)
  if (lease === undefined) return
  await withLease(lease, async () => {
    const grant = await loadGrant(deps, lease.row)
    const tokens = observeGrant(deps, lease, grant)
    const subject = { ...checkSubject(deps, lease.row, grant), tokens }
    const { columns, record } = await fetchIdentityChange(deps, lease.row, grant, subject)
    await lease.update({ ...columns, ...describeReleased(lease.row, tokens) }, record)
  })
}

/** What releases the lease of an account. Headers of tokens that its code has replaced no longer work. */
export function describeReleased(
  { credentialVersion }: Account,
  { tokens }: TokenObserver,
): AccountUpdate {
  return {
    ...LEASE_CLEARED,
    ...(tokens.length > 0 && {
      credentialVersion: credentialVersion + 1,
      sealedHeaders: null,
    }),
  }
}
