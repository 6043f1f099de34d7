import type { AccountId } from '../../accounts/accounts/account.ts'
import { stringifyTags } from '../../accounts/accounts/account-tags.ts'
import type { Category } from '../../integrations/definitions/category.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { ConnectSessionRow } from '../../platform/storage/tables.ts'
import type { ConnectSession, GivenField } from './connect-session.ts'

/** The session of a row. */
export function toConnectSession(row: ConnectSessionRow): ConnectSession {
  return {
    connectSessionId: row.connect_session_id,
    workspaceId: row.workspace_id,
    linkId: row.link_id,
    mode: row.mode,
    accountIdentifier: row.account_identifier,
    accountId: row.account_id,
    definitionIds: JSON.parse(row.definition_ids) as DefinitionId[],
    categories: JSON.parse(row.category) as Category[],
    configFields: JSON.parse(row.config_fields) as GivenField[],
    sealedConfig: row.sealed_config,
    tags: JSON.parse(row.tags),
    redirectUrl: row.redirect_url,
    lang: row.lang,
    maxAccounts: row.max_accounts,
    browserHash: row.browser_hash,
    accountIds: JSON.parse(row.account_ids) as AccountId[],
    lastCode: row.last_code,
    lastCodeAt: row.last_code_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
    openedAt: row.opened_at,
    completedAt: row.completed_at,
    revokedAt: row.revoked_at,
  }
}

/** The row of a new session. */
export function toConnectSessionRow(
  session: ConnectSession,
  tokenHash: Uint8Array,
): ConnectSessionRow {
  return {
    connect_session_id: session.connectSessionId,
    token_hash: tokenHash,
    workspace_id: session.workspaceId,
    link_id: session.linkId,
    mode: session.mode,
    account_identifier: session.accountIdentifier,
    account_id: session.accountId,
    definition_ids: JSON.stringify(session.definitionIds),
    category: JSON.stringify(session.categories),
    config_fields: JSON.stringify(session.configFields),
    sealed_config: session.sealedConfig,
    tags: stringifyTags(session.tags),
    redirect_url: session.redirectUrl,
    lang: session.lang,
    max_accounts: session.maxAccounts,
    browser_hash: session.browserHash,
    is_open: 1,
    account_ids: JSON.stringify(session.accountIds),
    last_code: session.lastCode,
    last_code_at: session.lastCodeAt,
    created_at: session.createdAt,
    updated_at: session.updatedAt,
    expires_at: session.expiresAt,
    opened_at: session.openedAt,
    completed_at: session.completedAt,
    revoked_at: session.revokedAt,
  }
}
