import Type, { type TSchema } from 'typebox'
import { Nullable, Timestamp } from '../http/schema.ts'

/**
 * A type of event, declared once. From it come its schema in the OpenAPI document, the type of the SDK and its row in
 * docs/events.md (`npm run generate`), and the example that the test of a webhook endpoint sends.
 */
export interface EventDeclaration {
  /** When it is published. */
  readonly when: string
  /** The members of its `data`. */
  readonly data: (schemas: EventSchemas) => Readonly<Record<string, TSchema>>
  /** Made-up `data`. Its first member is the resource that the event is about, or the id of it. */
  readonly example: (examples: EventExamples) => Readonly<Record<string, unknown>>
}

/** The resources that events show. Areas above this one define them. */
export type EventResource =
  | 'account'
  | 'agentApproval'
  | 'agentSession'
  | 'connectSession'
  | 'definition'
  | 'link'
  | 'oauthApp'
  | 'token'
  | 'webhookEndpoint'

/** References to the schemas of resources, and schemas of the status of an account. */
export type EventSchemas = Readonly<
  Record<EventResource | 'previousStatus' | 'statusReason', TSchema>
>

/** An example of each resource, as the API returns it. */
export type EventExamples = Readonly<Record<EventResource, Readonly<Record<string, unknown>>>>

const CHANGED = Type.Array(Type.String(), { description: 'The fields of the request.' })
const VERSIONS = {
  from: Type.String({ description: 'The version that the workspace ran.' }),
  to: Type.String({ description: 'The version that it runs now.' }),
}
const nullableId = (description: string) => Nullable(Type.String({ description }))
const CHECKPOINT = Type.Object(
  {
    workspaceId: nullableId('The workspace.'),
    sequence: Type.Integer({ description: 'The number of its last entry.' }),
    hash: Type.String({ description: 'The hash of that entry.' }),
    timestamp: Timestamp('When it was signed.'),
    keyId: Type.String({ description: 'The JWK thumbprint (RFC 7638) of the key.' }),
    signature: Type.String({ description: 'Ed25519, in base64url.' }),
  },
  { description: 'A signed statement of what the audit trail was. See docs/audit.md.' },
)
const PERMISSIONS = {
  granted: Type.Array(Type.String(), { description: 'The granted scopes, in alphabetical order.' }),
  missing: Type.Array(Type.String(), { description: 'Requested scopes that were not granted.' }),
}
const OPENED_AT = '2026-11-21T10:04:00.000Z'

/** Every type of event that is published. */
export const EVENT_DECLARATIONS = {
  'account.created': {
    when: 'An account is active for the first time, after its confirmation if it needs one.',
    data: ({ account }) => ({
      account,
      connectSessionId: nullableId(
        'The connect session in which it was connected; null without one.',
      ),
      imported: Type.Optional(
        Type.Boolean({ description: 'True if it was imported from another system; else absent.' }),
      ),
    }),
    example: ({ account, connectSession }) => ({
      account,
      connectSessionId: connectSession.connectSessionId,
    }),
  },
  'account.updated': {
    when: 'The name or the configuration of an account was changed, or the provider names another user than before.',
    data: ({ account }) => ({
      account,
      changed: Type.Array(Type.String(), {
        description: 'The fields of the request, or `identity`.',
      }),
      previous: Type.Optional(
        Type.Object(
          {
            identity: Nullable(
              Type.Object(
                {
                  id: nullableId("The provider's id of the user."),
                  label: nullableId("The provider's name of the user."),
                },
                { description: 'The user until now; null if unknown.' },
              ),
            ),
          },
          { description: 'What it was before; only with `identity`.' },
        ),
      ),
    }),
    example: ({ account }) => ({ account, changed: ['integrationAccountName'] }),
  },
  'account.reconnected': {
    when: 'New credentials of an account were verified.',
    data: ({ account }) => ({
      account,
      identityChanged: Nullable(
        Type.Boolean({
          description:
            'Whether another user of the provider signed in than before. Null if one of the two is unknown.',
        }),
      ),
    }),
    example: ({ account }) => ({ account, identityChanged: false }),
  },
  'account.facts_changed': {
    when: 'The provider reported other facts of a connection than before, or another of its sites, tenants or companies was chosen.',
    data: ({ account }) => ({
      account,
      changed: Type.Array(Type.String(), { description: 'The names of the facts.' }),
    }),
    example: ({ account }) => ({ account, changed: ['cloud_id'] }),
  },
  'account.permissions_changed': {
    when: 'Other permissions of an account are granted or missing than before: its customer has signed in, or the provider has reported others with a refresh. Of a new account, only if any are missing.',
    data: ({ account }) => ({
      account,
      ...PERMISSIONS,
      previous: Nullable(
        Type.Object(PERMISSIONS, {
          description: 'What it was before; null for a new account, or if it was unknown.',
        }),
      ),
    }),
    example: ({ account }) => ({
      account,
      granted: ['read:jira'],
      missing: ['write:jira'],
      previous: null,
    }),
  },
  'account.permission_needed': {
    when: 'The provider has refused a request of an account because the account lacks a permission. At most once in 7 days for each account and permission.',
    data: ({ account }) => ({
      account,
      scope: Type.String({ description: 'The scope.' }),
      operation: Nullable(
        Type.String({
          description: 'The request: its method, and its path with `•` for what may be an id.',
        }),
      ),
    }),
    example: ({ account }) => ({
      account,
      scope: 'write:jira',
      operation: 'POST /rest/api/3/issue',
    }),
  },
  'account.agent_access_changed': {
    when: 'A customer has said in the portal, or your product for them, what agents may do with an account.',
    data: ({ account }) => ({
      account,
      access: Type.String({ description: '`full`, `read_only` or `paused`.' }),
      by: Type.String({ description: '`customer` or `product`.' }),
    }),
    example: ({ account }) => ({ account, access: 'read_only', by: 'customer' }),
  },
  'account.tool_changed': {
    when: 'The MCP server of an account describes tools differently than they were accepted. They are suspended until they are accepted. At most once in an hour for each tool.',
    data: ({ account }) => ({
      account,
      tools: Type.Array(Type.String(), { description: 'The names of the tools, at most 100.' }),
    }),
    example: ({ account }) => ({ account, tools: ['create_issue'] }),
  },
  'account.needs_reauth': {
    when: 'The provider no longer accepts the tokens of an account; only the customer can reconnect it.',
    data: ({ account, previousStatus, statusReason }) => ({
      account,
      previous: previousStatus,
      reason: statusReason,
    }),
    example: ({ account }) => ({
      account: { ...account, status: 'needs_reauth', statusReason: 'invalid_grant' },
      previous: { status: 'active' },
      reason: 'invalid_grant',
    }),
  },
  'account.error': {
    when: 'The tokens of an account cannot be refreshed until the operator fixes the OAuth app. While the provider refuses the client of the app, oauth_app.failing stands for the events of all its accounts.',
    data: ({ account, previousStatus, statusReason }) => ({
      account,
      previous: previousStatus,
      reason: statusReason,
    }),
    example: ({ account }) => ({
      account: { ...account, status: 'error', statusReason: 'invalid_client' },
      previous: { status: 'active' },
      reason: 'invalid_client',
    }),
  },
  'account.recovered': {
    when: 'The credentials of an account work again. After oauth_app.failing, oauth_app.recovered stands for the events of all accounts.',
    data: ({ account, previousStatus }) => ({ account, previous: previousStatus }),
    example: ({ account }) => ({ account, previous: { status: 'error' } }),
  },
  'account.deleted': {
    when: 'An account was deleted.',
    data: ({ account }) => ({
      account,
      by: Type.String({
        description: 'What deleted it: api, customer (in the portal) or erasure.',
      }),
      revocation: Nullable(
        Type.String({
          description: 'What became of its tokens, as in Delete integration account.',
        }),
      ),
    }),
    example: ({ account }) => ({
      account: { ...account, status: 'deleted' },
      by: 'api',
      revocation: null,
    }),
  },
  'connect.failed': {
    when: 'A person tried to connect an account on a page and failed. At most one event per person and minute, and at most 16 per link and minute; without a link, per workspace.',
    data: () => ({
      code: Type.String({
        description:
          'Why: a code of errors.md, or insufficient_scope, rate_limited or wrong_host, as the integration reported.',
      }),
      field: Nullable(Type.String({ description: 'The field that the integration rejected.' })),
      linkId: nullableId('The link; null without one.'),
      connectSessionId: nullableId('The connect session; null without one.'),
      integrationDefinitionId: Type.String({ description: 'The definition.' }),
      integrationAccountId: nullableId('The account to reconnect; null for a new one.'),
    }),
    example: ({ definition, link }) => ({
      linkId: link.linkId,
      connectSessionId: null,
      code: 'credentials_rejected',
      field: 'api_key',
      integrationDefinitionId: definition.integrationDefinitionId,
      integrationAccountId: null,
    }),
  },
  'connect_session.created': {
    when: 'A connect session was created. Its token is not part of the event.',
    data: ({ connectSession }) => ({ connectSession }),
    example: ({ connectSession }) => ({ connectSession }),
  },
  'connect_session.opened': {
    when: 'A person pressed the button of the page of a connect session, which is bound to this browser now.',
    data: ({ connectSession }) => ({ connectSession }),
    example: ({ connectSession }) => ({
      connectSession: { ...connectSession, status: 'opened', openedAt: OPENED_AT },
    }),
  },
  'connect_session.completed': {
    when: 'The last account of a connect session was connected.',
    data: ({ connectSession }) => ({ connectSession }),
    example: ({ connectSession }) => ({
      connectSession: {
        ...connectSession,
        status: 'completed',
        openedAt: OPENED_AT,
        completedAt: '2026-11-21T10:05:00.000Z',
        integrationAccountIds: ['acc_01kahn3v5fe2vb7gq4yq1c0m9t'],
      },
    }),
  },
  'connect_session.expired': {
    when: 'A connect session has expired before it was completed. Its lastError says why the last attempt failed.',
    data: ({ connectSession }) => ({ connectSession }),
    example: ({ connectSession }) => ({ connectSession: { ...connectSession, status: 'expired' } }),
  },
  'connect_session.revoked': {
    when: 'A connect session was revoked.',
    data: ({ connectSession }) => ({ connectSession }),
    example: ({ connectSession }) => ({ connectSession: { ...connectSession, status: 'revoked' } }),
  },
  'agent_session.created': {
    when: 'An agent session was created. Its token is not part of the event.',
    data: ({ agentSession }) => ({ agentSession }),
    example: ({ agentSession }) => ({ agentSession }),
  },
  'agent_session.revoked': {
    when: 'An agent session was revoked by its ID. Sessions that end with their creating token, or with their time, have no event.',
    data: ({ agentSession }) => ({ agentSession }),
    example: ({ agentSession }) => ({ agentSession: { ...agentSession, revokedAt: OPENED_AT } }),
  },
  'agent.approval_requested': {
    when: 'An agent has sent a request that a person has to approve first. Get agent approval returns the request.',
    data: ({ agentApproval }) => ({ agentApproval }),
    example: ({ agentApproval }) => ({ agentApproval }),
  },
  'agent.approval_decided': {
    when: 'A request of an agent was approved or denied.',
    data: ({ agentApproval }) => ({ agentApproval }),
    example: ({ agentApproval }) => ({
      agentApproval: { ...agentApproval, status: 'approved', decidedAt: OPENED_AT },
    }),
  },
  'link.created': {
    when: 'A link was created.',
    data: ({ link }) => ({ link }),
    example: ({ link }) => ({ link }),
  },
  'link.updated': {
    when: 'The name, the limits or the allowlists of a link were changed.',
    data: ({ link }) => ({ link, changed: CHANGED }),
    example: ({ link }) => ({ link, changed: ['linkName'] }),
  },
  'link.revoked': {
    when: 'A link was revoked.',
    data: ({ link }) => ({ link }),
    example: ({ link }) => ({ link }),
  },
  'link.expired': {
    when: 'A link has expired.',
    data: ({ link }) => ({ link }),
    example: ({ link }) => ({ link }),
  },
  'link.full': {
    when: 'A link has as many accounts as it allows. It is published again if an account is deleted and another one takes its place.',
    data: ({ link }) => ({ link }),
    example: ({ link }) => ({ link }),
  },
  'definition.created': {
    when: 'A custom definition was created.',
    data: ({ definition }) => ({ definition }),
    example: ({ definition }) => ({ definition }),
  },
  'definition.upgraded': {
    when: 'The workspace runs a newer version of a definition.',
    data: ({ definition }) => ({ definition, ...VERSIONS }),
    example: ({ definition }) => ({ definition, from: '1.0.0', to: '1.1.0' }),
  },
  'definition.rolled_back': {
    when: 'The workspace runs an earlier version of a definition again.',
    data: ({ definition }) => ({ definition, ...VERSIONS }),
    example: ({ definition }) => ({ definition, from: '1.1.0', to: '1.0.0' }),
  },
  'definition.overridden': {
    when: 'The workspace has changed the entry of a definition of the catalogue, or runs the one of the catalogue again.',
    data: ({ definition }) => ({ definition, ...VERSIONS }),
    example: ({ definition }) => ({ definition, from: '1.1.0', to: '1.1.0' }),
  },
  'definition.deleted': {
    when: 'A custom definition was deleted.',
    data: ({ definition }) => ({ definition }),
    example: ({ definition }) => ({ definition }),
  },
  'definition.update_available': {
    when: 'The catalogue has a newer version of a definition than the workspace runs.',
    data: ({ definition }) => ({
      definition,
      from: Type.String({ description: 'The version that the workspace runs.' }),
      to: Type.String({ description: 'The newest version.' }),
    }),
    example: ({ definition }) => ({ definition, from: '1.0.0', to: '1.1.0' }),
  },
  'definition.suspect': {
    when: 'The provider of a definition rejects so many accounts that this is taken for an outage: until definition.trusted, rejections change the status of no account.',
    data: () => ({
      integrationDefinitionId: Type.String({ description: 'The definition.' }),
      isEverywhere: Type.Boolean({
        description: 'Whether accounts of several workspaces showed it, and not only yours.',
      }),
    }),
    example: ({ definition }) => ({
      integrationDefinitionId: definition.integrationDefinitionId,
      isEverywhere: false,
    }),
  },
  'definition.trusted': {
    when: 'Rejections by the provider of a definition count again. Each account that was held is checked, and decided alone.',
    data: () => ({
      integrationDefinitionId: Type.String({ description: 'The definition.' }),
      by: Type.String({
        'x-known-values': ['provider', 'person', 'time'],
        description:
          'Why: `provider`, it accepts accounts again; `person`, a request said so; `time`, it was suspect for a day.',
      }),
    }),
    example: ({ definition }) => ({
      integrationDefinitionId: definition.integrationDefinitionId,
      by: 'provider',
    }),
  },
  'oauth_app.failing': {
    when: 'The provider refuses the client of an OAuth app, so that no tokens can be refreshed. One event, however many accounts are affected.',
    data: ({ oauthApp }) => ({
      oauthApp,
      code: Type.String({ description: 'invalid_client.' }),
      accounts: Type.Integer({
        description: 'How many accounts are connected with the app, counted up to 1,000.',
      }),
    }),
    example: ({ oauthApp }) => ({ oauthApp, code: 'invalid_client', accounts: 41 }),
  },
  'oauth_app.recovered': {
    when: 'The provider accepts the client of an OAuth app again.',
    data: ({ oauthApp }) => ({ oauthApp }),
    example: ({ oauthApp }) => ({ oauthApp }),
  },
  'token.expiring': {
    when: 'A token expires in seven days. Tokens that live no longer than that have no such event. The event of a token for all workspaces is in the oldest workspace of its user.',
    data: ({ token }) => ({ token }),
    example: ({ token }) => ({ token }),
  },
  'audit.checkpoint': {
    when: 'The audit trail of the workspace has grown by 1,000 entries, or for 10 minutes: a signed statement of its hash, to compare with later.',
    data: () => ({ checkpoint: CHECKPOINT }),
    example: ({ definition }) => ({
      checkpoint: {
        workspaceId: definition.workspaceId,
        sequence: 1_000,
        hash: 'f'.repeat(64),
        timestamp: '2026-11-22T10:00:00.000Z',
        keyId: 'example',
        signature: '',
      },
    }),
  },
  'webhook_endpoint.disabled': {
    when: 'A webhook endpoint gets no more events, because none could be delivered for days, or because it asked for that.',
    data: ({ webhookEndpoint }) => ({
      webhookEndpoint,
      reason: Type.String({ description: 'As in `stateReason`.' }),
    }),
    example: ({ webhookEndpoint }) => ({
      webhookEndpoint: { ...webhookEndpoint, state: 'disabled', stateReason: 'no_success' },
      reason: 'no_success',
    }),
  },
  'webhook_endpoint.recovered': {
    when: 'An event was delivered to a webhook endpoint that was failing.',
    data: ({ webhookEndpoint }) => ({
      webhookEndpoint,
      previous: Type.Object(
        { state: Type.String({ description: 'Its state before.' }) },
        { description: 'What changed.' },
      ),
    }),
    example: ({ webhookEndpoint }) => ({ webhookEndpoint, previous: { state: 'failing' } }),
  },
  'webhook.test': {
    when: 'A test of a webhook endpoint was requested. Sent to this endpoint only, and not stored.',
    data: () => ({ webhookEndpointId: Type.String({ description: 'The endpoint.' }) }),
    example: ({ webhookEndpoint }) => ({ webhookEndpointId: webhookEndpoint.webhookEndpointId }),
  },
} satisfies Readonly<Record<string, EventDeclaration>>

export type EventType = keyof typeof EVENT_DECLARATIONS

export const EVENT_TYPES = Object.keys(EVENT_DECLARATIONS) as readonly EventType[]
