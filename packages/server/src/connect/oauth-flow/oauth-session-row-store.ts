import type { OAuthAttemptRow } from '../../platform/storage/tables.ts'
import type { OAuthSession } from './session/oauth-session.ts'

export function toOAuthSessionRow(session: OAuthSession): OAuthAttemptRow {
  return {
    attempt_id: session.sessionId,
    page_hash: session.pageHash,
    state_hash: session.stateHash,
    browser_hash: session.browserHash,
    workspace_id: session.workspaceId,
    definition_id: session.definitionId,
    oauth_app_id: session.oauthAppId,
    link_id: session.linkId,
    account_id: session.accountId,
    user_id: session.userId,
    token_id: session.tokenId,
    auth_type: session.authType,
    name: session.name,
    account_identifier: session.accountIdentifier,
    sealed: session.sealedSecrets,
    redirect_url: session.redirectUrl,
    needs_confirm: session.needsConfirmation ? 1 : 0,
    allow_other_identity: session.allowsOtherIdentity ? 1 : 0,
    created_at: session.createdAt,
    expires_at: session.expiresAt,
    claimed_at: session.claimedAt,
    finished_at: session.finishedAt,
    outcome: session.outcome,
  }
}
