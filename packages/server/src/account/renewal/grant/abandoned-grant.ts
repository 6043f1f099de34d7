import type { AccountRow } from '../../../storage/tables.ts'
import { tenantOf } from '../../tenant-of.ts'
import { configText, type OpenGrantDeps, openGrant } from './open-grant.ts'
import type { AbandonedGrant } from './revoke-abandoned.ts'
import { revokingClient } from './revoking-client.ts'

/** What an account as it was leaves to be revoked; undefined when it rested on no sign-in. */
export async function abandonedGrant(
  deps: OpenGrantDeps,
  row: AccountRow,
): Promise<AbandonedGrant | undefined> {
  const grant = await openGrant(deps, row)
  const client = await revokingClient(deps, row, grant)
  if (client === undefined || grant.type === undefined) return undefined
  return {
    type: grant.type,
    client,
    tokens: grantTokens(grant.config),
    values: { ...grant.config, client_id: client.clientId },
    tenant: tenantOf(row),
    definitionId: row.definition_id,
    identityId: row.identity_id,
  }
}

/** The tokens that stand in a configuration. */
export function grantTokens(config: Readonly<Record<string, unknown>>): AbandonedGrant['tokens'] {
  return {
    accessToken: configText(config, 'access_token'),
    refreshToken: configText(config, 'refresh_token'),
  }
}
