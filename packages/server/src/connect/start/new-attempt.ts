import { configFields } from '../../account/config/config-fields.ts'
import type { Actor } from '../../audit/audit-store.ts'
import type { Reach } from '../../caller/caller.ts'
import { newId } from '../../storage/id.ts'
import type { OAuthAttemptRow } from '../../storage/tables.ts'
import type { AttemptSecrets } from '../attempt/attempt-secrets.ts'
import type { StartOAuth } from '../oauth-schemas.ts'
import type { StartTarget } from './start-target.ts'

/** How long a person has from start to callback. */
export const ATTEMPT_LIFE_MS = 10 * 60_000

/** The row of a new attempt, not yet bound to a page or a browser. */
export function newAttempt(
  { workspace, definition, app, link, account, authType }: StartTarget,
  starter: Reach & Pick<Actor, 'tokenId'>,
  input: StartOAuth,
  now: number,
): OAuthAttemptRow {
  return {
    attempt_id: newId('att', now),
    page_hash: null,
    state_hash: null,
    browser_hash: null,
    workspace_id: workspace.workspace_id,
    definition_id: definition.definition_id,
    oauth_app_id: app.oauth_app_id,
    link_id: link?.link_id ?? null,
    account_id: account?.account_id ?? null,
    user_id: starter.userId,
    token_id: starter.tokenId,
    auth_type: authType,
    // Left out of a reconnect: the account keeps what it has by then.
    name: input.integrationAccountName ?? '',
    account_identifier: input.accountIdentifier ?? null,
    sealed: null,
    redirect_url: input.redirectURL ?? null,
    needs_confirm: (input.confirm ?? true) ? 1 : 0,
    allow_other_identity: input.allowOtherIdentity ? 1 : 0,
    created_at: now,
    expires_at: now + ATTEMPT_LIFE_MS,
    claimed_at: null,
    finished_at: null,
    outcome: null,
  }
}

/** What a new attempt keeps sealed: what is given now, laid over what the account to reconnect has. */
export function newSecrets(
  target: Pick<StartTarget, 'app' | 'authType' | 'definition' | 'keptConfig' | 'spec'>,
  given: Readonly<Record<string, unknown>>,
): AttemptSecrets {
  const { definition, app, keptConfig, spec, authType } = target
  // Nobody could have connected without giving these.
  const asked = configFields(spec, authType)?.required ?? []
  const earlier = Object.keys(keptConfig).filter(
    (name) => !asked.includes(name) && !Object.hasOwn(given, name),
  )
  return {
    config: { ...keptConfig, ...given },
    ...(earlier.length === 0 ? {} : { earlier }),
    bundleSha256: definition.bundle_sha256,
    clientId: app.client_id,
  }
}
