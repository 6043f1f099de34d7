import type { Column } from './table.ts'

/**
 * The columns of the lists of operations, by the method of the SDK, as a person reads them: what is wrong, whose it is, and the
 * ID to copy. When a terminal is narrow, the last ones are left out first.
 */
export const LIST_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  'accounts.list': [
    first('status'),
    text('customer', 'accountIdentifier'),
    tool('integrationDefinitionId'),
    text('name', 'integrationAccountName'),
    text('reason', 'statusReason'),
    age('createdAt'),
    id('integrationAccountId'),
  ],
  'accounts.listHistory': [
    first('status'),
    text('action'),
    text('reason', 'statusReason'),
    text('by', 'cause.kind'),
    text('via', 'cause.via'),
    age('timestamp'),
    text('request', 'cause.requestId'),
  ],
  'accounts.listTools': [
    first('state'),
    text('name'),
    text('title'),
    text('problem'),
    text('sha256'),
  ],
  'requests.list': [
    first('method'),
    text('path'),
    text('status'),
    text('code'),
    text('host'),
    text('ms', 'durationMs'),
    text('stands for', 'represents'),
    age('at'),
    text('request', 'requestId'),
    id('requestLogId'),
  ],
  'agentApprovals.list': [
    first('status'),
    text('method'),
    text('host'),
    text('path'),
    age('createdAt'),
    text('account', 'integrationAccountId'),
    id('agentApprovalId'),
  ],
  'agentSessions.list': [
    text('customer', 'accountIdentifier'),
    text('client', 'clientName'),
    text('calls', 'usage.calls'),
    text('writes', 'usage.writes'),
    age('createdAt'),
    text('expires', 'expiresAt'),
    text('revoked', 'revokedAt'),
    id('agentSessionId'),
  ],
  'attempts.list': [
    first('outcome'),
    text('code'),
    text('customer', 'accountIdentifier'),
    text('tool', 'integrationDefinitionKey'),
    age('at'),
    text('provider status', 'providerStatus'),
    text('via'),
    id('attemptId'),
  ],
  'audit.list': [
    first('action'),
    text('outcome'),
    text('subject'),
    text('by', 'actor.kind'),
    text('via', 'actor.via'),
    age('timestamp'),
    text('address', 'actor.ip'),
    id('auditId'),
  ],
  'connectSessions.list': [
    first('status'),
    text('customer', 'accountIdentifier'),
    tool('integrationDefinitionIds'),
    text('reason', 'lastError.code'),
    age('createdAt'),
    text('expires', 'expiresAt'),
    id('connectSessionId'),
  ],
  'customers.list': [
    first('customer', 'accountIdentifier'),
    text('accounts', 'connections'),
    text('active', 'byStatus.active'),
    text('needs_reauth', 'byStatus.needs_reauth'),
    text('error', 'byStatus.error'),
    age('lastAt'),
  ],
  'definitions.list': [
    first('key'),
    text('name'),
    text('version'),
    text('stage', 'releaseStage.key'),
    text('category', 'integrationType.key'),
    id('integrationDefinitionId'),
  ],
  'events.list': [
    first('type'),
    text('subject'),
    text('customer', 'accountIdentifier'),
    age('timestamp'),
    text('sequence'),
    id('id'),
  ],
  'links.list': [
    first('name', 'linkName'),
    tool('integrationDefinitionIds'),
    text('sessions only', 'sessionsOnly'),
    text('seconds', 'expiresIn'),
    age('createdAt'),
    id('linkId'),
  ],
  'members.list': [
    first('email'),
    text('name'),
    text('role'),
    text('status'),
    text('last seen', 'lastSeenAt'),
    age('createdAt'),
    id('memberId'),
  ],
  'oauthApps.list': [
    first('name', 'integrationOAuthAppName'),
    tool('integrationDefinitionId'),
    text('client', 'clientId'),
    age('createdAt'),
    text('scopes'),
    id('integrationOAuthAppId'),
  ],
  'oauthApps.listIds': [
    first('name', 'integrationOAuthAppName'),
    tool('integrationDefinitionId'),
    id('integrationOAuthAppId'),
  ],
  'tokens.list': [
    first('name'),
    text('scopes'),
    text('expires', 'expiresAt'),
    text('revoked', 'revokedAt'),
    text('last used', 'lastUsedAt'),
    age('createdAt'),
    id('tokenId'),
  ],
  'webhookEndpoints.list': [
    first('state'),
    text('url'),
    text('reason', 'stateReason'),
    text('pending'),
    text('types'),
    age('createdAt'),
    id('webhookEndpointId'),
  ],
  'webhookEndpoints.listDeliveries': [
    first('state'),
    text('type'),
    text('status', 'lastStatus'),
    text('attempts'),
    text('next', 'nextAttemptAt'),
    age('createdAt'),
    text('subject'),
    id('eventId'),
  ],
  'workspaces.list': [first('slug'), text('name'), id('workspaceId')],
}

/** The column that a narrow terminal shows too. */
function first(title: string, path = title): Column {
  return { title, path, kind: 'text', isEssential: true }
}

function text(title: string, path = title): Column {
  return { title, path, kind: 'text' }
}

/** The key of a definition, from its ID or a list of IDs. */
function tool(path: string): Column {
  return { title: 'tool', path, kind: 'tool' }
}

/** How long ago something was. */
function age(path: string): Column {
  return { title: 'age', path, kind: 'age' }
}

/** The ID of the item. It is never cut, so that it can be copied. */
function id(path: string): Column {
  return { title: 'id', path, kind: 'id', isEssential: true }
}
