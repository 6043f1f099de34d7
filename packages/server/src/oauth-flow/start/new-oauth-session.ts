import { configFields } from '../../accounts/credentials/config-fields.ts'
import type { Actor } from '../../audit/audit-store.ts'
import type { AccessScope } from '../../auth/caller.ts'
import { newId } from '../../storage/id.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import type { StartOAuth } from '../oauth-schemas.ts'
import type { OAuthSessionSecrets } from '../session/session-secrets.ts'
import type { ResolvedStart } from './resolve-start.ts'

/** How long a session lasts from its start to the callback. */
export const SESSION_TTL_MS = 10 * 60_000

/** Creates the row of a new session, not yet bound to a page or a browser. */
export function newOAuthSession(
  { workspace, definition, app, link, account, authType }: ResolvedStart,
  starter: AccessScope & Pick<Actor, 'tokenId'>,
  input: StartOAuth,
  now: number,
): OAuthAttemptRow {
  return {
    attempt_id: newId('att', now),
    page_hash: null,
    state_hash: null,
    browser_hash: null,
    workspace_id: workspace.workspaceId,
    definition_id: definition.definitionId,
    oauth_app_id: app.oauthAppId,
    link_id: link?.linkId ?? null,
    account_id: account?.accountId ?? null,
    user_id: starter.userId,
    token_id: starter.tokenId,
    auth_type: authType,
    // A reconnect without a name keeps the account's name.
    name: input.integrationAccountName ?? '',
    account_identifier: input.accountIdentifier ?? null,
    sealed: null,
    redirect_url: input.redirectURL ?? null,
    needs_confirm: (input.confirm ?? true) ? 1 : 0,
    allow_other_identity: input.allowOtherIdentity ? 1 : 0,
    created_at: now,
    expires_at: now + SESSION_TTL_MS,
    claimed_at: null,
    finished_at: null,
    outcome: null,
  }
}

/** The secrets of a new session. The input overwrites the stored configuration of the account to reconnect. */
export function newSessionSecrets(
  target: Pick<ResolvedStart, 'app' | 'authType' | 'definition' | 'storedConfig' | 'spec'>,
  inputConfig: Readonly<Record<string, unknown>>,
): OAuthSessionSecrets {
  const { definition, app, storedConfig, spec, authType } = target
  // Required fields must have come from the user, not from an earlier sign-in.
  const requiredFields = configFields(spec, authType)?.required ?? []
  const earlier = Object.keys(storedConfig).filter(
    (name) => !requiredFields.includes(name) && !Object.hasOwn(inputConfig, name),
  )
  return {
    config: { ...storedConfig, ...inputConfig },
    ...(earlier.length === 0 ? {} : { earlier }),
    bundleSha256: definition.bundleSha256,
    clientId: app.clientId,
  }
}
