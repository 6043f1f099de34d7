import type { AccountRow } from '../../../storage/tables.ts'
import { getTenant } from '../../get-tenant.ts'
import { configString, type LoadGrantDeps, loadGrant } from './load-grant.ts'
import { revocationClient } from './revocation-client.ts'
import type { OrphanedGrant } from './revoke-orphaned-tokens.ts'

/** What an account as it was leaves to be revoked; undefined when it rested on no sign-in. */
export async function loadOrphanedGrant(
  deps: LoadGrantDeps,
  row: AccountRow,
): Promise<OrphanedGrant | undefined> {
  const grant = await loadGrant(deps, row)
  const client = await revocationClient(deps, row, grant)
  if (client === undefined || grant.type === undefined) return undefined
  return {
    type: grant.type,
    client,
    tokens: getGrantTokens(grant.config),
    values: { ...grant.config, client_id: client.clientId },
    tenant: getTenant(row),
    definitionId: row.definition_id,
    identityId: row.identity_id,
  }
}

/** The tokens that stand in a configuration. */
export function getGrantTokens(config: Readonly<Record<string, unknown>>): OrphanedGrant['tokens'] {
  return {
    accessToken: configString(config, 'access_token'),
    refreshToken: configString(config, 'refresh_token'),
  }
}
