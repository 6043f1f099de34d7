import Type, { type TSchema } from 'typebox'
import { Token } from '../../access/tokens/schemas.ts'
import { REPORTED_STATUSES, STATUS_REASONS } from '../../accounts/accounts/account.ts'
import { IntegrationAccount } from '../../accounts/accounts/schemas/account.ts'
import { WebhookEndpointResponse } from '../../activity/webhooks/schemas.ts'
import { ConnectSessionResponse } from '../../connect/connect-sessions/schemas.ts'
import { LinkResponse } from '../../connect/links/schemas.ts'
import { IntegrationDefinition } from '../../integrations/definitions/schemas.ts'
import { IntegrationOAuthApp } from '../../integrations/oauth-apps/schemas.ts'
import { KnownText, Nullable, ref, Timestamp } from '../../platform/http/schema.ts'
import type { EventType } from '../../platform/record/change.ts'

/** A type of event: when it is published, and the members of its `data`. */
export interface EventSchema {
  readonly when: string
  readonly data: Readonly<Record<string, TSchema>>
}

const account = ref(IntegrationAccount)
const link = ref(LinkResponse)
const connectSession = ref(ConnectSessionResponse)
const definition = ref(IntegrationDefinition)
const oauthApp = ref(IntegrationOAuthApp)
const webhookEndpoint = ref(WebhookEndpointResponse)
const reason = KnownText(STATUS_REASONS, 'A stable code, as in `statusReason`.')
const previous = Type.Object(
  { status: KnownText(REPORTED_STATUSES, 'Its status before.') },
  { description: 'What changed.' },
)
const changed = Type.Array(Type.String(), { description: 'The fields of the request.' })
const versions = {
  from: Type.String({ description: 'The version that the workspace ran.' }),
  to: Type.String({ description: 'The version that it runs now.' }),
}
const nullableId = (description: string) => Nullable(Type.String({ description }))
const checkpoint = Type.Object(
  {
    workspaceId: nullableId('The workspace.'),
    sequence: Type.Integer({ description: 'The number of its last entry.' }),
    hash: Type.String({ description: 'The hash of that entry.' }),
    timestamp: Timestamp('When it was signed.'),
    keyId: Type.String({ description: 'The JWK thumbprint (RFC 7638) of the key.' }),
    signature: Type.String({ description: 'Ed25519, in base64url.' }),
  },
  { description: 'See docs/audit.md.' },
)

/** Every type of event. */
export const EVENT_SCHEMAS: Readonly<Record<EventType, EventSchema>> = {
  'account.created': {
    when: 'An account is active for the first time, after its confirmation if it needs one.',
    data: {
      account,
      connectSessionId: nullableId('The connect session in which it was connected.'),
      imported: Type.Optional(
        Type.Boolean({ description: 'True if it was imported from another system; else absent.' }),
      ),
    },
  },
  'account.updated': {
    when: 'The name or the configuration of an account was changed.',
    data: { account, changed },
  },
  'account.reconnected': {
    when: 'New credentials of an account were verified.',
    data: {
      account,
      identityChanged: Nullable(
        Type.Boolean({
          description:
            'Whether another user of the provider signed in than before. Null if one of the two is unknown.',
        }),
      ),
    },
  },
  'account.needs_reauth': {
    when: 'The provider no longer accepts the tokens of an account; only the customer can reconnect it.',
    data: { account, previous, reason },
  },
  'account.error': {
    when: 'The tokens of an account cannot be refreshed until the operator fixes the OAuth app. While the provider refuses the client of the app, oauth_app.failing stands for the events of all its accounts.',
    data: { account, previous, reason },
  },
  'account.recovered': {
    when: 'The tokens of an account could be refreshed again. After oauth_app.failing, oauth_app.recovered stands for the events of all accounts.',
    data: { account, previous },
  },
  'account.deleted': {
    when: 'An account was deleted.',
    data: {
      account,
      by: Type.String({ description: 'What deleted it: api, or erasure.' }),
      revocation: Nullable(
        Type.String({
          description: 'What became of its tokens, as in Delete integration account.',
        }),
      ),
    },
  },
  'connect.failed': {
    when: 'A person tried to connect an account on a page and failed. At most one event per person and minute, and at most 16 per link and minute; without a link, per workspace.',
    data: {
      code: Type.String({
        description:
          'Why: a code of errors.md, or insufficient_scope, rate_limited or wrong_host, as the integration reported.',
      }),
      field: Nullable(Type.String({ description: 'The field that the integration rejected.' })),
      linkId: nullableId('The link; null without one.'),
      connectSessionId: nullableId('The connect session; null without one.'),
      integrationDefinitionId: Type.String({ description: 'The definition.' }),
      integrationAccountId: nullableId('The account to reconnect; null for a new one.'),
    },
  },
  'connect_session.created': {
    when: 'A connect session was created.',
    data: { connectSession },
  },
  'connect_session.opened': {
    when: 'A person pressed the button of the page of a connect session, which is bound to this browser now.',
    data: { connectSession },
  },
  'connect_session.completed': {
    when: 'The last account of a connect session was connected.',
    data: { connectSession },
  },
  'connect_session.expired': {
    when: 'A connect session has expired before it was completed. Its lastError says why the last attempt failed.',
    data: { connectSession },
  },
  'connect_session.revoked': {
    when: 'A connect session was revoked.',
    data: { connectSession },
  },
  'link.created': { when: 'A link was created.', data: { link } },
  'link.updated': {
    when: 'The name, the limits or the allowlists of a link were changed.',
    data: { link, changed },
  },
  'link.revoked': { when: 'A link was revoked.', data: { link } },
  'link.expired': { when: 'A link has expired.', data: { link } },
  'link.full': {
    when: 'A link has as many accounts as it allows. It is published again if an account is deleted and another one takes its place.',
    data: { link },
  },
  'definition.created': { when: 'A custom definition was created.', data: { definition } },
  'definition.upgraded': {
    when: 'The workspace runs a newer version of a definition.',
    data: { definition, ...versions },
  },
  'definition.rolled_back': {
    when: 'The workspace runs an earlier version of a definition again.',
    data: { definition, ...versions },
  },
  'definition.deleted': { when: 'A custom definition was deleted.', data: { definition } },
  'definition.update_available': {
    when: 'The catalogue has a newer version of a definition than the workspace runs.',
    data: {
      definition,
      from: Type.String({ description: 'The version that the workspace runs.' }),
      to: Type.String({ description: 'The newest version.' }),
    },
  },
  'oauth_app.failing': {
    when: 'The provider refuses the client of an OAuth app, so that no tokens can be refreshed. One event, however many accounts are affected.',
    data: {
      oauthApp,
      code: Type.String({ description: 'invalid_client.' }),
      accounts: Type.Integer({
        description: 'How many accounts are connected with the app, counted up to 1,000.',
      }),
    },
  },
  'oauth_app.recovered': {
    when: 'The provider accepts the client of an OAuth app again.',
    data: { oauthApp },
  },
  'token.expiring': {
    when: 'A token expires in seven days. Tokens that live no longer than that have no such event. The event of a token for all workspaces is in the oldest workspace of its user.',
    data: { token: ref(Token) },
  },
  'audit.checkpoint': {
    when: 'The audit trail of the workspace has grown by 1,000 entries, or for 10 minutes: a signed statement of its hash, to compare with later.',
    data: { checkpoint },
  },
  'webhook_endpoint.disabled': {
    when: 'A webhook endpoint gets no more events, because none could be delivered for days, or because it asked for that.',
    data: { webhookEndpoint, reason: Type.String({ description: 'As in `stateReason`.' }) },
  },
  'webhook_endpoint.recovered': {
    when: 'An event was delivered to a webhook endpoint that was failing.',
    data: {
      webhookEndpoint,
      previous: Type.Object(
        { state: Type.String({ description: 'Its state before.' }) },
        { description: 'What changed.' },
      ),
    },
  },
  'webhook.test': {
    when: 'A test of a webhook endpoint was requested. Sent to this endpoint only, and not stored.',
    data: { webhookEndpointId: Type.String({ description: 'The endpoint.' }) },
  },
}
