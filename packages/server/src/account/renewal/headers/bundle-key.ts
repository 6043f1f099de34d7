import { guardSecret } from '../../../oauth/token/secret-guard.ts'
import type { AccountRow } from '../../../storage/tables.ts'
import { tenantOf } from '../../tenant-of.ts'
import type { Grant } from '../grant/open-grant.ts'
import type { RenewalState } from '../renewal-state.ts'

/** Under which a process remembers how HEADERS of a bundle behaves: digest and auth type. */
export function bundleKey(row: AccountRow, { bundleSha256 }: Grant): string {
  return `${bundleSha256} ${row.auth_type}`
}

/** Whether HEADERS has nothing to add to the templates of the spec: the kit says so, or the bundle does not know the command. */
export function hasTemplatesOnly(
  { headerless }: Pick<RenewalState, 'headerless'>,
  row: AccountRow,
  grant: Grant,
): boolean {
  const type = grant.spec.auth_specification[row.auth_type]
  return type?.['x-headers'] === 'complete' || headerless.has(bundleKey(row, grant))
}

/** Under which a process remembers how HEADERS of an account behaves, until its credentials change. */
export function credentialsKey(row: AccountRow): string {
  return `${row.account_id} ${row.credential_version}`
}

/** Adds a key to a bounded memory. */
export function remember(set: Set<string>, key: string): void {
  if (set.size >= MOST_KEYS) set.clear()
  set.add(key)
}

/** What a call of HEADERS is of, without its configuration. */
export function headersSubject(row: AccountRow, { bundleSha256, spec, client }: Grant) {
  const of = { sha256: bundleSha256, tenant: tenantOf(row), hosts: spec['x-hosts'] }
  return { ...of, authType: row.auth_type, secret: guardSecret(client) }
}

const MOST_KEYS = 10_000
