import type { WorkspaceAccess } from '../../../access/auth/caller.ts'
import { listConfigFields } from '../../../accounts/accounts/credentials/account-config.ts'
import type { Actor } from '../../../platform/record/change.ts'
import { newId } from '../../../platform/storage/id.ts'
import type { StartOAuth } from '../oauth-schemas.ts'
import type { OAuthSession, OAuthSessionSecrets } from '../session/oauth-session.ts'
import type { OAuthStartContext } from './resolve-oauth-start.ts'

/** How long a session lasts from its start to the callback. */
export const SESSION_TTL_MS = 10 * 60_000

/** Creates the row of a new session, not yet bound to a page or a browser. */
export function createOAuthSessionRecord(
  { workspace, definition, app, link, account, authType }: OAuthStartContext,
  starter: WorkspaceAccess & Pick<Actor, 'tokenId'>,
  input: StartOAuth,
  now: number,
): OAuthSession {
  return {
    sessionId: newId('att', now),
    pageHash: null,
    stateHash: null,
    browserHash: null,
    workspaceId: workspace.workspaceId,
    definitionId: definition.definitionId,
    oauthAppId: app.oauthAppId,
    linkId: link?.linkId ?? null,
    accountId: account?.accountId ?? null,
    userId: starter.userId,
    tokenId: starter.tokenId,
    authType,
    // A reconnect without a name keeps the account's name.
    name: input.integrationAccountName ?? '',
    accountIdentifier: input.accountIdentifier ?? null,
    sealedSecrets: null,
    redirectUrl: input.redirectURL ?? null,
    needsConfirmation: input.confirm ?? true,
    allowsOtherIdentity: input.allowOtherIdentity ?? false,
    createdAt: now,
    expiresAt: now + SESSION_TTL_MS,
    claimedAt: null,
    finishedAt: null,
    outcome: null,
  }
}

/** The secrets of a new session. The input overwrites the stored configuration of the account to reconnect. */
export function generateSessionSecrets(
  target: Pick<OAuthStartContext, 'app' | 'authType' | 'definition' | 'storedConfig' | 'spec'>,
  inputConfig: Readonly<Record<string, unknown>>,
): OAuthSessionSecrets {
  const { definition, app, storedConfig, spec, authType } = target
  // Required fields must have come from the user, not from an earlier sign-in.
  const requiredFields = listConfigFields(spec, authType)?.required ?? []
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
