import type { Spec } from '@linchpin/runner'
import type {
  OrphanedGrant,
  OrphanedGrantRef,
} from '../../accounts/token-refresh/grant/revoke-orphaned-tokens.ts'
import { parseOAuthType } from '../../oauth/spec/parse-oauth-type.ts'
import { loadOAuthClient } from '../../oauth-apps/load-oauth-client.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import { openSessionSecrets } from '../session/session-secrets.ts'
import { templateValues } from '../start/validate-start-config.ts'
import type { SweepOAuthDeps } from './sweep-oauth.ts'

/** Ends reconnects that nobody confirmed in time, at most `limit`; answers what they leave to be revoked. */
export async function expireUnconfirmedReconnects(
  deps: SweepOAuthDeps,
  limit: number,
): Promise<OrphanedGrantRef[]> {
  const now = deps.now()
  const overdue = await deps.oauthSessions.findOverdueConfirmations(now, limit)
  if (overdue.length === 0) return []
  const expired = await deps.database.transaction(async (trx) => {
    const closed: OAuthAttemptRow[] = []
    for (const session of overdue)
      if (await deps.oauthSessions.finish(trx, session.attempt_id, 'oauth_attempt_invalid', now))
        closed.push(session)
    return closed
  })
  return expired.map((row) => ({
    subject: row.attempt_id,
    open: () => loadReconnectGrant(deps, row),
  }))
}

async function loadReconnectGrant(
  deps: SweepOAuthDeps,
  session: OAuthAttemptRow,
): Promise<OrphanedGrant | undefined> {
  const { database, vault, oauthApps, refreshStore } = deps
  const { workspace_id: workspaceId, definition_id: definitionId } = session
  const definition = await refreshStore.findDefinition(session)
  const app = await oauthApps.findInWorkspace(database.read, workspaceId, session.oauth_app_id)
  if (definition === undefined || app === undefined || session.sealed === null) return undefined
  const { bundleSha256, proven } = await openSessionSecrets(vault, session, session.sealed)
  const type = parseOAuthType(JSON.parse(definition.spec) as Spec, session.auth_type)
  // Another bundle may name another place: tokens only go where their flow began.
  const isSame = bundleSha256 === definition.bundle_sha256
  if (type === undefined || proven === undefined || !isSame) return undefined
  return {
    type,
    client: await loadOAuthClient(deps, app),
    tokens: proven,
    values: templateValues(proven.config, app),
    definitionId,
    identityId: proven.identityId,
  }
}
