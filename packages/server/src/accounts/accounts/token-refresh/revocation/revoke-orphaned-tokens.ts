import type { EgressGateway, Tenant } from '@linchpin/runner'
import type { DefinitionId } from '../../../../integrations/definitions/definition.ts'
import type { OAuthType } from '../../../../integrations/oauth/spec/parse-oauth-type.ts'
import type { TemplateValues } from '../../../../integrations/oauth/template/template-value.ts'
import type { OAuthClient } from '../../../../integrations/oauth/token/client-request.ts'
import {
  type GrantTokens,
  revokeTokens,
} from '../../../../integrations/oauth/token/revoke-token.ts'
import type { Log } from '../../../../platform/http/log.ts'
import type { Database } from '../../../../platform/storage/database.ts'
import type { Account } from '../../account.ts'
import { getRunnerTenant } from '../../credentials/check-params.ts'
import { getRevocationClient, type LoadGrantDeps, loadGrant } from '../grant/load-grant.ts'
import { getGrantTokens } from '../grant.ts'
import { isPossiblyShared } from './shared-grant-store.ts'

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
    if (grant?.type.revocationUrl === undefined) return
    const { type, client, values, tenant, tokens } = grant
    const owner = { ...grant, clientId: client.clientId }
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
