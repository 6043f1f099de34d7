import type { Spec } from '@linchpin/runner'
import type { AbandonedGrant, LeftBehind } from '../../account/renewal/grant/revoke-abandoned.ts'
import { readOAuthType } from '../../oauth/spec/auth-type.ts'
import { openClient } from '../../oauth-app/oauth-client.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import { openAttempt } from '../attempt/attempt-secrets.ts'
import { templateValues } from '../start/judge-start-config.ts'
import type { SweepOAuthDeps } from './sweep-oauth.ts'

/** Ends reconnects that nobody confirmed in time, at most `limit`; answers what they leave to be revoked. */
export async function endOverdueHolds(deps: SweepOAuthDeps, limit: number): Promise<LeftBehind[]> {
  const now = deps.now()
  const overdue = await deps.attempts.overdueHolds(now, limit)
  if (overdue.length === 0) return []
  const ended = await deps.database.transaction(async (trx) => {
    const closed: OAuthAttemptRow[] = []
    for (const attempt of overdue)
      if (await deps.attempts.finish(trx, attempt.attempt_id, 'oauth_attempt_invalid', now))
        closed.push(attempt)
    return closed
  })
  return ended.map((row) => ({ subject: row.attempt_id, open: () => grantOf(deps, row) }))
}

async function grantOf(
  deps: SweepOAuthDeps,
  attempt: OAuthAttemptRow,
): Promise<AbandonedGrant | undefined> {
  const { database, vault, oauthApps, renewals } = deps
  const { workspace_id: workspaceId, definition_id: definitionId } = attempt
  const definition = await renewals.definitionOf(attempt)
  const app = await oauthApps.findInWorkspace(database.read, workspaceId, attempt.oauth_app_id)
  if (definition === undefined || app === undefined || attempt.sealed === null) return undefined
  const { bundleSha256, proven } = await openAttempt(vault, attempt, attempt.sealed)
  const type = readOAuthType(JSON.parse(definition.spec) as Spec, attempt.auth_type)
  // Another bundle may name another place: tokens only go where their flow began.
  const isSame = bundleSha256 === definition.bundle_sha256
  if (type === undefined || proven === undefined || !isSame) return undefined
  return {
    type,
    client: await openClient(deps, app),
    tokens: proven,
    values: templateValues(proven.config, app),
    definitionId,
    identityId: proven.identityId,
  }
}
