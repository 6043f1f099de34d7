import type { TSchema } from 'typebox'
import { Token } from '../../access/tokens/schemas.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { IntegrationAccount } from '../../accounts/accounts/schemas/account.ts'
import type { PublishedEvent } from '../../activity/events/event.ts'
import { WebhookEndpointResponse } from '../../activity/webhooks/schemas.ts'
import { ConnectSessionResponse } from '../../connect/connect-sessions/schemas.ts'
import { LinkResponse } from '../../connect/links/schemas.ts'
import { IntegrationDefinition } from '../../integrations/definitions/schemas.ts'
import { IntegrationOAuthApp } from '../../integrations/oauth-apps/schemas.ts'
import type { EventType } from '../../platform/record/change.ts'
import { newId } from '../../platform/storage/id.ts'

/** An event of this type with made-up data, to be sent to an endpoint. Its sequence number is 0, which no event has. */
export function createExampleEvent(
  type: EventType,
  workspaceId: WorkspaceId,
  now: number,
): PublishedEvent {
  const data = EXAMPLE_DATA[type]
  return {
    eventId: newId('evt', now),
    type,
    version: 1,
    workspaceId,
    sequence: 0,
    at: now,
    subject: findSubject(data),
    accountIdentifier: 'account' in data ? 'customer-41' : null,
    cause: { kind: 'system', via: 'background', requestId: null },
    data,
  }
}

/** The id of the resource, which is the first member of its representation. */
function findSubject(data: Readonly<Record<string, unknown>>): string {
  const [resource] = Object.values(data)
  const id =
    typeof resource === 'object' && resource !== null ? Object.values(resource)[0] : resource
  return typeof id === 'string' ? id : ''
}

const account = {
  ...getExample(IntegrationAccount),
  integrationConfiguration: null,
  accountIdentifier: 'customer-41',
}
const link = getExample(LinkResponse)
const connectSession = getExample(ConnectSessionResponse)
const openedAt = '2026-11-21T10:04:00.000Z'
const completedSession = {
  ...connectSession,
  status: 'completed',
  openedAt,
  completedAt: '2026-11-21T10:05:00.000Z',
  integrationAccountIds: ['acc_01kahn3v5fe2vb7gq4yq1c0m9t'],
}
const definition = getExample(IntegrationDefinition)
const oauthApp = getExample(IntegrationOAuthApp)
const webhookEndpoint = getExample(WebhookEndpointResponse)
const previous = { status: 'active' }
const failed = { ...account, status: 'needs_reauth', statusReason: 'invalid_grant' }
const refused = { ...account, status: 'error', statusReason: 'invalid_client' }
const versions = { from: '1.0.0', to: '1.1.0' }

const EXAMPLE_DATA: Readonly<Record<EventType, Readonly<Record<string, unknown>>>> = {
  'account.created': { account, connectSessionId: connectSession.connectSessionId },
  'account.updated': { account, changed: ['integrationAccountName'] },
  'account.reconnected': { account, identityChanged: false },
  'account.needs_reauth': { account: failed, previous, reason: 'invalid_grant' },
  'account.error': { account: refused, previous, reason: 'invalid_client' },
  'account.recovered': { account, previous: { status: 'error' } },
  'account.deleted': { account: { ...account, status: 'deleted' }, by: 'api', revocation: null },
  'connect.failed': {
    linkId: link.linkId,
    connectSessionId: null,
    code: 'credentials_rejected',
    field: 'api_key',
    integrationDefinitionId: definition.integrationDefinitionId,
    integrationAccountId: null,
  },
  'connect_session.created': { connectSession },
  'connect_session.opened': {
    connectSession: { ...connectSession, status: 'opened', openedAt },
  },
  'connect_session.completed': { connectSession: completedSession },
  'connect_session.expired': { connectSession: { ...connectSession, status: 'expired' } },
  'connect_session.revoked': { connectSession: { ...connectSession, status: 'revoked' } },
  'link.created': { link },
  'link.updated': { link, changed: ['linkName'] },
  'link.revoked': { link },
  'link.expired': { link },
  'link.full': { link },
  'definition.created': { definition },
  'definition.upgraded': { definition, ...versions },
  'definition.rolled_back': { definition, from: versions.to, to: versions.from },
  'definition.deleted': { definition },
  'definition.update_available': { definition, ...versions },
  'oauth_app.failing': { oauthApp, code: 'invalid_client', accounts: 41 },
  'oauth_app.recovered': { oauthApp },
  'token.expiring': { token: getExample(Token) },
  'audit.checkpoint': {
    checkpoint: {
      workspaceId: definition.workspaceId,
      sequence: 1_000,
      hash: 'f'.repeat(64),
      timestamp: '2026-11-22T10:00:00.000Z',
      keyId: 'example',
      signature: '',
    },
  },
  'webhook_endpoint.disabled': {
    webhookEndpoint: { ...webhookEndpoint, state: 'disabled', stateReason: 'no_success' },
    reason: 'no_success',
  },
  'webhook_endpoint.recovered': { webhookEndpoint, previous: { state: 'failing' } },
  'webhook.test': { webhookEndpointId: webhookEndpoint.webhookEndpointId },
}

function getExample(schema: TSchema): Readonly<Record<string, unknown>> {
  const { examples } = schema as unknown as { examples: readonly Record<string, unknown>[] }
  return examples[0] ?? {}
}
