import type { EgressGateway, Tenant } from '@linchpin/runner'
import type { Log } from '../../../http/log.ts'
import type { OAuthType } from '../../../oauth/spec/parse-oauth-type.ts'
import type { TemplateValues } from '../../../oauth/template/template-value.ts'
import type { OAuthClient } from '../../../oauth/token/client-request.ts'
import { type GrantTokens, revokeTokens } from '../../../oauth/token/revoke-token.ts'
import type { Database } from '../../../storage/database.ts'
import type { AccountRow } from '../../../storage/tables.ts'
import { getTenant } from '../../credentials/check-subject.ts'
import { type LoadGrantDeps, loadGrant, revocationClient } from '../grant/load-grant.ts'
import { getGrantTokens } from '../grant.ts'
import { isPossiblyShared } from './shared-grant-store.ts'

export interface RevokeOrphanedTokensDeps {
  readonly database: Database
  readonly egressGateway: EgressGateway
  readonly log: Log
}

/** Tokens that a provider gave and that no account will keep. */
export interface OrphanedGrant {
  readonly type: OAuthType
  readonly client: OAuthClient
  readonly tokens: GrantTokens
  /** What fills the URL. */
  readonly values: TemplateValues
  readonly tenant?: Tenant | undefined
  readonly definitionId: string
  /** The provider's id of who signed in; null when nobody can tell. */
  readonly identityId: string | null
}

/** What the log knows it by, and how to get at it. */
export interface OrphanedGrantRef {
  readonly subject: string
  open(): Promise<OrphanedGrant | undefined>
}

/**
 * Revokes tokens that nobody keeps (RFC 7009), where the spec says how. To revoke one token ends the whole grant of a
 * person at many providers, so nothing is revoked while a live account may be of the same person (decision 014). Best
 * effort: throws nothing, waits for the provider until `signal` ends it: three seconds where a person or a caller waits.
 */
export async function revokeOrphanedTokens(
  deps: RevokeOrphanedTokensDeps,
  { subject, open }: OrphanedGrantRef,
  signal = AbortSignal.timeout(DEFAULT_TIMEOUT_MS),
): Promise<void> {
  try {
    const grant = await open()
    if (grant?.type.revocationUrl === undefined) return
    const { type, client, values, tenant, tokens } = grant
    const owner = { ...grant, clientId: client.clientId }
    const revocation = (await isPossiblyShared(deps.database.read, owner))
      ? 'shared'
      : await revokeTokens(deps, { type, client, values, tenant, signal }, tokens)
    deps.log.info({ subject, revocation }, 'tokens that nobody keeps')
  } catch (error) {
    deps.log.warn({ err: error, subject }, 'tokens that nobody keeps could not be revoked')
  }
}

const DEFAULT_TIMEOUT_MS = 3_000

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
