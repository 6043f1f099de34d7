// Generated from the OpenAPI document by `npm run sdk:types`. Do not edit.
import type { Operation } from './operation.ts'

/** The operations of the API with the methods of the SDK that send them. */
export const OPERATIONS: readonly Operation[] = [
  {
    operationId: 'createAccount',
    method: 'accounts.create',
    summary: 'Create an integration account',
    ids: [],
    input: 'body',
    fields: [
      {
        name: 'integrationDefinitionId',
        kind: 'string',
        description: 'Definition that the account uses, by its ID or key.',
        isRequired: true,
      },
      {
        name: 'integrationAccountName',
        kind: 'string',
        description: 'Display name.',
        isRequired: true,
      },
      {
        name: 'authType',
        kind: 'string',
        description: 'A key of `auth_specification` in the spec, spelled exactly as there.',
        isRequired: true,
      },
      {
        name: 'config',
        kind: 'json',
        description: 'The fields that the spec asks for, including credentials.',
        isRequired: true,
        isSecret: true,
      },
      {
        name: 'accountIdentifier',
        kind: 'string',
        description: 'Groups accounts, for example by user.',
      },
      {
        name: 'tags',
        kind: 'record',
        description:
          'At most 20 tags: values of at most 255 characters, by keys of 1 to 64 letters, digits, `_`, `.` and `-`.',
      },
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
    ],
  },
  {
    operationId: 'createAccountThroughLink',
    method: 'accounts.createThroughLink',
    summary: 'Create an integration account through a link',
    ids: ['linkId'],
    input: 'body',
    fields: [
      {
        name: 'integrationDefinitionId',
        kind: 'string',
        description: 'Definition that the account uses, by its ID or key.',
        isRequired: true,
      },
      {
        name: 'integrationAccountName',
        kind: 'string',
        description: 'Display name.',
        isRequired: true,
      },
      {
        name: 'authType',
        kind: 'string',
        description: 'A key of `auth_specification` in the spec, spelled exactly as there.',
        isRequired: true,
      },
      {
        name: 'config',
        kind: 'json',
        description: 'The fields that the spec asks for, including credentials.',
        isRequired: true,
        isSecret: true,
      },
      {
        name: 'accountIdentifier',
        kind: 'string',
        description: 'Groups accounts, for example by user.',
      },
      {
        name: 'tags',
        kind: 'record',
        description:
          'At most 20 tags: values of at most 255 characters, by keys of 1 to 64 letters, digits, `_`, `.` and `-`.',
      },
    ],
  },
  {
    operationId: 'checkAccount',
    method: 'accounts.check',
    summary: 'Check credentials without creating an account',
    ids: [],
    input: 'body',
    fields: [
      {
        name: 'integrationDefinitionId',
        kind: 'string',
        description: 'Definition that the account uses, by its ID or key.',
        isRequired: true,
      },
      {
        name: 'config',
        kind: 'json',
        description: 'The fields that the spec asks for, including credentials.',
        isRequired: true,
        isSecret: true,
      },
      {
        name: 'authType',
        kind: 'string',
        description: 'A key of `auth_specification` in the spec, spelled exactly as there.',
        isRequired: true,
      },
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
    ],
  },
  {
    operationId: 'importAccount',
    method: 'accounts.import',
    summary: 'Import an account that another system has connected',
    ids: [],
    input: 'body',
    fields: [
      {
        name: 'integrationDefinitionId',
        kind: 'string',
        description: 'Definition that the account uses, by its ID or key.',
        isRequired: true,
      },
      {
        name: 'integrationAccountName',
        kind: 'string',
        description: 'Display name.',
        isRequired: true,
      },
      {
        name: 'authType',
        kind: 'string',
        description: 'A key of `auth_specification` in the spec, spelled exactly as there.',
        isRequired: true,
      },
      {
        name: 'config',
        kind: 'json',
        description: 'The fields that the spec asks for. Tokens belong into `tokens`.',
        isSecret: true,
      },
      {
        name: 'accountIdentifier',
        kind: 'string',
        description: 'Groups accounts, for example by user.',
      },
      {
        name: 'tags',
        kind: 'record',
        description:
          'At most 20 tags: values of at most 255 characters, by keys of 1 to 64 letters, digits, `_`, `.` and `-`.',
      },
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
      {
        name: 'externalId',
        kind: 'string',
        description:
          'Its identifier in the system that it comes from, such as `nango:github/customer-17`. A workspace has at most one account for each.',
        isRequired: true,
      },
      {
        name: 'tokens',
        kind: 'json',
        description: 'The tokens of an auth type with OAuth sign-in; for no other.',
        isSecret: true,
      },
      {
        name: 'createdAt',
        kind: 'string',
        description: 'When the account was connected. Default: now.',
      },
      {
        name: 'check',
        kind: 'boolean',
        description:
          'Whether to check the credentials first, and to store them only if they work. Default: false.',
      },
    ],
  },
  {
    operationId: 'getAccount',
    method: 'accounts.get',
    summary: 'Get an integration account',
    ids: ['integrationAccountId'],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'listAccounts',
    method: 'accounts.list',
    summary: 'List the integration accounts of a workspace',
    ids: [],
    input: 'query',
    fields: [
      { name: 'workspaceId', kind: 'string', description: 'Workspace of the accounts.' },
      {
        name: 'integrationDefinitionId',
        kind: 'string',
        description: 'Only accounts of this definition, by its ID or key.',
      },
      {
        name: 'accountIdentifier',
        kind: 'string',
        description: 'Only accounts with this accountIdentifier.',
      },
      { name: 'linkId', kind: 'string', description: 'Only accounts created through this link.' },
      {
        name: 'status',
        kind: 'string',
        description: 'Only accounts with this status; `deleted` lists the tombstones.',
        values: ['active', 'pending', 'needs_reauth', 'error', 'deleted'],
      },
      {
        name: 'tag',
        kind: 'list',
        description:
          'Only live accounts with this tag, such as `plan:pro`. Repeat the parameter for accounts that have all of several tags, at most 5.',
      },
      {
        name: 'includeDeleted',
        kind: 'boolean',
        description: 'Include deleted accounts (tombstones).',
      },
      {
        name: 'createdAfter',
        kind: 'string',
        description: 'Only accounts created after this time.',
      },
      {
        name: 'updatedAfter',
        kind: 'string',
        description: 'Only accounts updated after this time, in the order of their updates.',
      },
      {
        name: 'order',
        kind: 'string',
        description:
          'Oldest first, or with `-` newest first. Default: `updatedAt` with `updatedAfter`, otherwise `createdAt`.',
        values: ['createdAt', '-createdAt', 'updatedAt', '-updatedAt'],
      },
      {
        name: 'limit',
        kind: 'integer',
        description: 'Maximum number of items per page. Default: all items.',
      },
      {
        name: 'cursor',
        kind: 'string',
        description: 'The cursor of the page, from the `Link` header of the previous one.',
      },
    ],
  },
  {
    operationId: 'updateAccount',
    method: 'accounts.update',
    summary: 'Rename or tag an account, or replace its credentials once the new ones work',
    ids: ['integrationAccountId'],
    input: 'body',
    fields: [
      { name: 'integrationAccountName', kind: 'string', description: 'Display name.' },
      {
        name: 'authType',
        kind: 'string',
        description: 'A key of `auth_specification` in the spec, spelled exactly as there.',
      },
      {
        name: 'config',
        kind: 'json',
        description: 'The fields that the spec asks for, including credentials.',
        isSecret: true,
      },
      {
        name: 'tags',
        kind: 'record',
        description:
          'At most 20 tags: values of at most 255 characters, by keys of 1 to 64 letters, digits, `_`, `.` and `-`.',
      },
    ],
  },
  {
    operationId: 'deleteAccount',
    method: 'accounts.delete',
    summary: 'Delete an integration account and erase its configuration',
    ids: ['integrationAccountId'],
    input: 'query',
    fields: [
      {
        name: 'revoke',
        kind: 'string',
        description:
          'Revoke the tokens even if other live accounts may share the grant. A provider that revokes whole grants then disconnects those accounts too.',
        values: ['always'],
      },
    ],
  },
  {
    operationId: 'listAccountHistory',
    method: 'accounts.listHistory',
    summary: 'List the changes of an integration account',
    ids: ['integrationAccountId'],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'getAccountCredentials',
    method: 'accounts.getCredentials',
    summary: 'Get the live credentials of an account',
    ids: ['integrationAccountId'],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'startOAuth',
    method: 'oauth.start',
    summary: 'Start an OAuth connection',
    ids: [],
    input: 'body',
    fields: [
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
      {
        name: 'linkId',
        kind: 'string',
        description: 'Link to add the account through. Implies the workspace.',
      },
      {
        name: 'integrationOAuthAppId',
        kind: 'string',
        description: 'OAuth app to use. Implies the definition.',
      },
      {
        name: 'integrationDefinitionId',
        kind: 'string',
        description:
          'Definition of the account, whose OAuth app in the workspace is used, by its ID or key.',
      },
      {
        name: 'integrationAccountName',
        kind: 'string',
        description: 'Display name. Required unless an account is reconnected.',
      },
      {
        name: 'authType',
        kind: 'string',
        description:
          'An auth type of the spec. Default: OAuth2, else the first type that uses OAuth.',
      },
      {
        name: 'redirectURL',
        kind: 'string',
        description:
          "URL the user returns to. Must be exactly one of the workspace's allowedRedirectURLs.",
      },
      {
        name: 'config',
        kind: 'json',
        description: 'Fields of the spec that the provider does not fill, such as a subdomain.',
        isSecret: true,
      },
      {
        name: 'accountIdentifier',
        kind: 'string',
        description: 'Groups accounts, for example by user.',
      },
      {
        name: 'integrationAccountId',
        kind: 'string',
        description: 'Account to reconnect. Omit it to create an account.',
      },
      {
        name: 'confirm',
        kind: 'boolean',
        description:
          'Whether your backend confirms the connection (POST /v1/oauth/confirm). Default: true.',
      },
      {
        name: 'allowOtherIdentity',
        kind: 'boolean',
        description: 'Whether a different user may sign in on a reconnect. Default: false.',
      },
    ],
  },
  {
    operationId: 'confirmOAuth',
    method: 'oauth.confirm',
    summary: 'Confirm an OAuth connection',
    ids: [],
    input: 'body',
    fields: [
      {
        name: 'confirmToken',
        kind: 'string',
        description: 'The one-time token from the query of redirectURL.',
        isRequired: true,
        isSecret: true,
      },
    ],
  },
  {
    operationId: 'createLink',
    method: 'links.create',
    summary: 'Create a link',
    ids: [],
    input: 'body',
    fields: [
      { name: 'linkName', kind: 'string', description: 'Name of the link.', isRequired: true },
      { name: 'category', kind: 'list', description: 'Categories that the link supports.' },
      {
        name: 'expiresIn',
        kind: 'integer',
        description: 'Lifetime in whole seconds. 0 or omitted: the link does not expire.',
      },
      {
        name: 'canExpire',
        kind: 'boolean',
        description:
          'Whether the link can expire. True requires expiresIn. Default: true if expiresIn is set.',
      },
      {
        name: 'preferOAuth',
        kind: 'boolean',
        description: 'Accept only OAuth sign-in. Default: false.',
      },
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
      {
        name: 'integrationDefinitionId',
        kind: 'string',
        description: 'Restricts the link to one definition, by its ID or key.',
      },
      {
        name: 'integrationDefinitionIds',
        kind: 'list',
        description:
          'Restricts the link to these definitions, whatever their categories. Not together with integrationDefinitionId.',
      },
      {
        name: 'maxAccounts',
        kind: 'integer',
        description: 'Maximum number of live accounts. Default: unlimited.',
      },
      {
        name: 'maxAccountsPerIdentifier',
        kind: 'integer',
        description:
          'Maximum number of live accounts per accountIdentifier. Accounts without one form one group.',
      },
      {
        name: 'allowedOrigins',
        kind: 'list',
        description:
          "Origins that may embed the page of the link, instead of the workspace's allowedFrameOrigins.",
      },
      {
        name: 'redirectURLs',
        kind: 'list',
        description:
          "URLs that the page may redirect to, instead of the workspace's allowedRedirectURLs. Compared exactly.",
      },
      {
        name: 'sessionsOnly',
        kind: 'boolean',
        description: 'Its page refuses visitors without a connect session. Default: false.',
      },
    ],
  },
  {
    operationId: 'getLink',
    method: 'links.get',
    summary: 'Get a link with its accounts and definitions',
    ids: ['linkId'],
    input: 'query',
    fields: [
      {
        name: 'accountIdentifier',
        kind: 'string',
        description: 'Only accounts with this accountIdentifier.',
      },
    ],
  },
  {
    operationId: 'listLinks',
    method: 'links.list',
    summary: 'List the links of a workspace',
    ids: [],
    input: 'query',
    fields: [
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
      {
        name: 'limit',
        kind: 'integer',
        description: 'Maximum number of items per page. Default: all items.',
      },
      {
        name: 'cursor',
        kind: 'string',
        description: 'The cursor of the page, from the `Link` header of the previous one.',
      },
    ],
  },
  {
    operationId: 'updateLink',
    method: 'links.update',
    summary: 'Update a link',
    ids: ['linkId'],
    input: 'body',
    fields: [
      { name: 'linkName', kind: 'string', description: 'Name of the link.' },
      {
        name: 'maxAccounts',
        kind: 'integer',
        description: 'Maximum number of live accounts; null: unlimited.',
      },
      {
        name: 'maxAccountsPerIdentifier',
        kind: 'integer',
        description: 'Maximum number of live accounts per accountIdentifier; null: unlimited.',
      },
      {
        name: 'allowedOrigins',
        kind: 'list',
        description:
          "Origins that may embed the page of the link, instead of the workspace's allowedFrameOrigins.",
      },
      {
        name: 'redirectURLs',
        kind: 'list',
        description:
          "URLs that the page may redirect to, instead of the workspace's allowedRedirectURLs. Compared exactly.",
      },
    ],
  },
  {
    operationId: 'deleteLink',
    method: 'links.delete',
    summary: 'Revoke a link',
    ids: ['linkId'],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'createConnectSession',
    method: 'connectSessions.create',
    summary: 'Create a connect session',
    ids: [],
    input: 'body',
    fields: [
      {
        name: 'workspaceId',
        kind: 'string',
        description: 'Workspace identifier. Not together with linkId, which implies it.',
      },
      {
        name: 'linkId',
        kind: 'string',
        description:
          "A link whose restrictions, limits, origins and redirect URLs apply. Without one, the workspace's origins and redirect URLs apply.",
      },
      {
        name: 'mode',
        kind: 'string',
        description: 'Default: connect. manage requires accounts:write and accountIdentifier.',
        values: ['connect', 'manage'],
      },
      {
        name: 'accountIdentifier',
        kind: 'string',
        description:
          'The accountIdentifier of every account of the session. Nothing in the browser can change it.',
      },
      {
        name: 'integrationAccountId',
        kind: 'string',
        description:
          'The account to reconnect, instead of adding one. Requires accounts:write. Excludes integrationDefinitionIds, category, maxAccounts, tags and the mode manage.',
      },
      {
        name: 'integrationDefinitionIds',
        kind: 'list',
        description: 'Offers only these definitions.',
      },
      { name: 'category', kind: 'list', description: 'Offers only these categories.' },
      {
        name: 'config',
        kind: 'json',
        description: 'Values of fields, which the person sees but cannot change.',
        isSecret: true,
      },
      {
        name: 'hiddenConfig',
        kind: 'list',
        description: 'Fields of config that the person does not see.',
      },
      {
        name: 'tags',
        kind: 'record',
        description:
          'At most 20 tags: values of at most 255 characters, by keys of 1 to 64 letters, digits, `_`, `.` and `-`.',
      },
      {
        name: 'redirectURL',
        kind: 'string',
        description: "One of the link's redirectURLs or, if it has none, of the workspace's.",
      },
      {
        name: 'lang',
        kind: 'string',
        description: "The language of the page. Default: the browser's.",
        values: ['en', 'de', 'fr', 'es', 'it', 'pt', 'ja', 'ar'],
      },
      {
        name: 'maxAccounts',
        kind: 'integer',
        description: 'How many accounts complete the session. Default: 1.',
      },
      {
        name: 'expiresIn',
        kind: 'integer',
        description:
          'Lifetime in seconds. Default: 1800; 3600 with the mode manage; 604800 with integrationAccountId.',
      },
    ],
  },
  {
    operationId: 'getConnectSession',
    method: 'connectSessions.get',
    summary: 'Get a connect session',
    ids: ['connectSessionId'],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'listConnectSessions',
    method: 'connectSessions.list',
    summary: 'List the connect sessions of a workspace',
    ids: [],
    input: 'query',
    fields: [
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
      {
        name: 'accountIdentifier',
        kind: 'string',
        description: 'Only sessions with this accountIdentifier.',
      },
      {
        name: 'limit',
        kind: 'integer',
        description: 'Maximum number of items per page. Default: all items.',
      },
      {
        name: 'cursor',
        kind: 'string',
        description: 'The cursor of the page, from the `Link` header of the previous one.',
      },
    ],
  },
  {
    operationId: 'deleteConnectSession',
    method: 'connectSessions.delete',
    summary: 'Revoke a connect session',
    ids: ['connectSessionId'],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'confirmConnectSession',
    method: 'connectSessions.confirm',
    summary: 'Confirm a sign-in of a connect session',
    ids: ['connectSessionId'],
    input: 'body',
    fields: [
      {
        name: 'confirmToken',
        kind: 'string',
        description: 'The one-time token from the query of redirectURL.',
        isRequired: true,
        isSecret: true,
      },
    ],
  },
  {
    operationId: 'listAttempts',
    method: 'attempts.list',
    summary: 'List the attempts to connect accounts',
    ids: [],
    input: 'query',
    fields: [
      { name: 'workspaceId', kind: 'string', description: 'Workspace of the attempts.' },
      { name: 'linkId', kind: 'string', description: 'Only attempts through this link.' },
      {
        name: 'connectSessionId',
        kind: 'string',
        description: 'Only attempts in this connect session.',
      },
      {
        name: 'accountIdentifier',
        kind: 'string',
        description: 'Only attempts with this accountIdentifier.',
      },
      {
        name: 'integrationDefinitionId',
        kind: 'string',
        description: 'Only attempts to connect this tool: its id or key.',
      },
      { name: 'code', kind: 'string', description: 'Only attempts that failed with this code.' },
      { name: 'from', kind: 'string', description: 'Only attempts from this time on.' },
      { name: 'to', kind: 'string', description: 'Only attempts before this time.' },
      {
        name: 'limit',
        kind: 'integer',
        description: 'Maximum number of items per page. Default: all items.',
      },
      {
        name: 'cursor',
        kind: 'string',
        description: 'The cursor of the page, from the `Link` header of the previous one.',
      },
    ],
  },
  {
    operationId: 'createDefinition',
    method: 'definitions.create',
    summary: 'Create a custom integration definition',
    ids: [],
    input: 'body',
    fields: [
      { name: 'name', kind: 'string', description: 'Name of the integration.', isRequired: true },
      {
        name: 'sourceUrl',
        kind: 'string',
        description: 'URL of the compiled bundle. Required without `bundle`.',
      },
      {
        name: 'bundle',
        kind: 'string',
        description:
          'The compiled bundle itself, in base64, at most 5 MB, instead of `sourceUrl`. The definition then names it by its digest: `ni:///sha-256;…` (RFC 6920).',
      },
      {
        name: 'integrationType',
        kind: 'json',
        description:
          'A key or name such as Ticketing, or an object such as { "key": "TICKETING" }.',
        isRequired: true,
      },
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
    ],
  },
  {
    operationId: 'getDefinition',
    method: 'definitions.get',
    summary: 'Get an integration definition',
    ids: ['integrationDefinitionId'],
    input: 'query',
    fields: [
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
      {
        name: 'category',
        kind: 'list',
        description: 'Category keys, comma-separated or repeated.',
      },
    ],
  },
  {
    operationId: 'getDefinitionSpec',
    method: 'definitions.getSpec',
    summary: 'Get the spec of an integration definition',
    ids: ['integrationDefinitionId'],
    input: 'query',
    fields: [
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
      {
        name: 'category',
        kind: 'list',
        description: 'Category keys, comma-separated or repeated.',
      },
    ],
  },
  {
    operationId: 'listDefinitions',
    method: 'definitions.list',
    summary: 'List the integration definitions of a workspace',
    ids: [],
    input: 'query',
    fields: [
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
      {
        name: 'category',
        kind: 'list',
        description: 'Category keys, comma-separated or repeated.',
      },
      {
        name: 'key',
        kind: 'string',
        description:
          "Only the definition with this key; the workspace's own wins over the catalogue's.",
      },
      {
        name: 'limit',
        kind: 'integer',
        description: 'Maximum number of items per page. Default: all items.',
      },
      {
        name: 'cursor',
        kind: 'string',
        description: 'The cursor of the page, from the `Link` header of the previous one.',
      },
    ],
  },
  {
    operationId: 'deleteDefinition',
    method: 'definitions.delete',
    summary: 'Delete an integration definition',
    ids: ['integrationDefinitionId'],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'upgradeDefinition',
    method: 'definitions.upgrade',
    summary: 'Upgrade an integration definition',
    ids: ['integrationDefinitionId'],
    input: 'body',
    fields: [
      { name: 'sourceUrl', kind: 'string', description: 'URL of the compiled bundle.' },
      {
        name: 'bundle',
        kind: 'string',
        description:
          'The compiled bundle itself, in base64, at most 5 MB, instead of `sourceUrl`. The definition then names it by its digest: `ni:///sha-256;…` (RFC 6920).',
      },
      { name: 'version', kind: 'string', description: 'The version.' },
      {
        name: 'workspaceId',
        kind: 'string',
        description: 'For a catalogue definition: the workspace to change.',
      },
    ],
  },
  {
    operationId: 'rollbackDefinition',
    method: 'definitions.rollback',
    summary: 'Roll back an integration definition',
    ids: ['integrationDefinitionId'],
    input: 'body',
    fields: [
      { name: 'version', kind: 'string', description: 'The version.' },
      {
        name: 'workspaceId',
        kind: 'string',
        description: 'For a catalogue definition: the workspace to change.',
      },
    ],
  },
  {
    operationId: 'setDefinitionIcon',
    method: 'definitions.setIcon',
    summary: 'Set the icon of an integration definition',
    ids: ['integrationDefinitionId'],
    input: 'body',
    fields: [
      {
        name: 'icon',
        kind: 'string',
        description:
          'A PNG or WebP image without animation in base64, of at most 32 kB, 16 to 512 pixels wide and high. null removes the icon.',
        isRequired: true,
      },
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
    ],
  },
  {
    operationId: 'previewDefinition',
    method: 'definitions.preview',
    summary: 'Preview an upgrade',
    ids: ['integrationDefinitionId'],
    input: 'body',
    fields: [
      { name: 'sourceUrl', kind: 'string', description: 'URL of the compiled bundle.' },
      {
        name: 'bundle',
        kind: 'string',
        description:
          'The compiled bundle itself, in base64, at most 5 MB, instead of `sourceUrl`. The definition then names it by its digest: `ni:///sha-256;…` (RFC 6920).',
      },
      { name: 'version', kind: 'string', description: 'The version.' },
      {
        name: 'workspaceId',
        kind: 'string',
        description: 'For a catalogue definition: the workspace to change.',
      },
    ],
  },
  {
    operationId: 'getDefinitionPreview',
    method: 'definitions.getPreview',
    summary: 'Get a preview of an upgrade',
    ids: ['integrationDefinitionId', 'previewId'],
    input: 'query',
    fields: [{ name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' }],
  },
  {
    operationId: 'createOAuthApp',
    method: 'oauthApps.create',
    summary: 'Create an OAuth app',
    ids: [],
    input: 'body',
    fields: [
      {
        name: 'integrationDefinitionId',
        kind: 'string',
        description: 'The definition, by its ID or key.',
        isRequired: true,
      },
      {
        name: 'clientId',
        kind: 'string',
        description: 'The client ID issued by the provider.',
        isRequired: true,
      },
      {
        name: 'clientSecret',
        kind: 'string',
        description:
          'The client secret. Stored encrypted and never returned. Omit it for public clients.',
        isSecret: true,
      },
      {
        name: 'scopes',
        kind: 'list',
        description: 'Scopes to request in addition to those of the spec.',
      },
      {
        name: 'allowedHosts',
        kind: 'list',
        description:
          'Hosts that may receive the client secret if the configuration of an account determines the host, such as `*.myshopify.com`.',
      },
      {
        name: 'integrationOAuthAppName',
        kind: 'string',
        description: 'Display name. Defaults to the name of the definition.',
      },
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
    ],
  },
  {
    operationId: 'getOAuthApp',
    method: 'oauthApps.get',
    summary: 'Get an OAuth app',
    ids: ['integrationOAuthAppId'],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'listOAuthApps',
    method: 'oauthApps.list',
    summary: 'List the OAuth apps of a workspace',
    ids: [],
    input: 'query',
    fields: [
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
      {
        name: 'integrationDefinitionId',
        kind: 'string',
        description: 'Only the app for this definition, by its ID or key.',
      },
      {
        name: 'limit',
        kind: 'integer',
        description: 'Maximum number of items per page. Default: all items.',
      },
      {
        name: 'cursor',
        kind: 'string',
        description: 'The cursor of the page, from the `Link` header of the previous one.',
      },
    ],
  },
  {
    operationId: 'listOAuthAppIds',
    method: 'oauthApps.listIds',
    summary: 'List the OAuth apps of a workspace with IDs and names only',
    ids: [],
    input: 'query',
    fields: [{ name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' }],
  },
  {
    operationId: 'updateOAuthApp',
    method: 'oauthApps.update',
    summary: 'Update an OAuth app',
    ids: ['integrationOAuthAppId'],
    input: 'body',
    fields: [
      { name: 'clientId', kind: 'string', description: 'The client ID issued by the provider.' },
      {
        name: 'clientSecret',
        kind: 'string',
        description:
          'The client secret. Stored encrypted and never returned. Omit it for public clients.',
        isSecret: true,
      },
      {
        name: 'scopes',
        kind: 'list',
        description: 'Scopes to request in addition to those of the spec.',
      },
      {
        name: 'allowedHosts',
        kind: 'list',
        description:
          'Hosts that may receive the client secret if the configuration of an account determines the host, such as `*.myshopify.com`.',
      },
      {
        name: 'integrationOAuthAppName',
        kind: 'string',
        description: 'Display name. Defaults to the name of the definition.',
      },
    ],
  },
  {
    operationId: 'deleteOAuthApp',
    method: 'oauthApps.delete',
    summary: 'Delete an OAuth app',
    ids: ['integrationOAuthAppId'],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'testOAuthApp',
    method: 'oauthApps.test',
    summary: 'Diagnose an OAuth app',
    ids: ['integrationOAuthAppId'],
    input: 'body',
    fields: [],
  },
  {
    operationId: 'listEvents',
    method: 'events.list',
    summary: 'List the events of a workspace',
    ids: [],
    input: 'query',
    fields: [
      { name: 'workspaceId', kind: 'string', description: 'Workspace of the events.' },
      {
        name: 'after',
        kind: 'integer',
        description:
          'Only events with a higher `sequence`. Default: from the oldest event that is retained.',
      },
      {
        name: 'types',
        kind: 'string',
        description:
          'Only these types, separated by commas. `account.*` stands for all types of accounts.',
      },
      { name: 'subject', kind: 'string', description: 'Only events of the resource with this id.' },
      {
        name: 'accountIdentifier',
        kind: 'string',
        description: 'Only events of accounts with this accountIdentifier.',
      },
      { name: 'limit', kind: 'integer', description: 'Maximum number of events. Default: 100.' },
      {
        name: 'wait',
        kind: 'integer',
        description: 'Seconds to wait for the next event if there is none. Default: 0.',
      },
    ],
  },
  {
    operationId: 'getEvent',
    method: 'events.get',
    summary: 'Get an event',
    ids: ['eventId'],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'createWebhookEndpoint',
    method: 'webhookEndpoints.create',
    summary: 'Create a webhook endpoint',
    ids: [],
    input: 'body',
    fields: [
      {
        name: 'url',
        kind: 'string',
        description: 'Where events are posted: https, without user name, password and fragment.',
        isRequired: true,
      },
      { name: 'description', kind: 'string', description: 'What the endpoint is for.' },
      {
        name: 'types',
        kind: 'list',
        description: 'Types such as account.created and prefixes such as account.*. Empty: all.',
      },
      {
        name: 'integrationDefinitionIds',
        kind: 'list',
        description: 'Only events of these definitions and of their accounts. Empty: all events.',
      },
      {
        name: 'payload',
        kind: 'string',
        description:
          'full: events as the API returns them. thin: `data` has only ids, `previous` and `reason`.',
        values: ['full', 'thin'],
      },
      {
        name: 'version',
        kind: 'integer',
        description: 'The version of the events that the endpoint receives.',
      },
      {
        name: 'ordering',
        kind: 'string',
        description:
          'account: the events of one resource one after the other. none: as soon as possible.',
        values: ['account', 'none'],
      },
      {
        name: 'signature',
        kind: 'string',
        description: 'The scheme of Standard Webhooks: v1 (HMAC-SHA256), v1a (Ed25519) or both.',
        values: ['v1', 'v1a', 'both'],
      },
      {
        name: 'maxInFlight',
        kind: 'integer',
        description: 'Maximum number of concurrent requests.',
      },
      {
        name: 'headers',
        kind: 'record',
        description:
          'Headers of each request, such as Authorization. Stored encrypted and never returned.',
        isSecret: true,
      },
      {
        name: 'paused',
        kind: 'boolean',
        description: 'true: events are stored for the endpoint and not sent.',
      },
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
    ],
  },
  {
    operationId: 'getWebhookEndpoint',
    method: 'webhookEndpoints.get',
    summary: 'Get a webhook endpoint',
    ids: ['webhookEndpointId'],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'listWebhookEndpoints',
    method: 'webhookEndpoints.list',
    summary: 'List the webhook endpoints of a workspace',
    ids: [],
    input: 'query',
    fields: [
      { name: 'workspaceId', kind: 'string', description: 'Workspace identifier.' },
      {
        name: 'limit',
        kind: 'integer',
        description: 'Maximum number of items per page. Default: all items.',
      },
      {
        name: 'cursor',
        kind: 'string',
        description: 'The cursor of the page, from the `Link` header of the previous one.',
      },
    ],
  },
  {
    operationId: 'updateWebhookEndpoint',
    method: 'webhookEndpoints.update',
    summary: 'Update a webhook endpoint',
    ids: ['webhookEndpointId'],
    input: 'body',
    fields: [
      {
        name: 'url',
        kind: 'string',
        description: 'Where events are posted: https, without user name, password and fragment.',
      },
      { name: 'description', kind: 'string', description: 'What the endpoint is for.' },
      {
        name: 'types',
        kind: 'list',
        description: 'Types such as account.created and prefixes such as account.*. Empty: all.',
      },
      {
        name: 'integrationDefinitionIds',
        kind: 'list',
        description: 'Only events of these definitions and of their accounts. Empty: all events.',
      },
      {
        name: 'payload',
        kind: 'string',
        description:
          'full: events as the API returns them. thin: `data` has only ids, `previous` and `reason`.',
        values: ['full', 'thin'],
      },
      {
        name: 'version',
        kind: 'integer',
        description: 'The version of the events that the endpoint receives.',
      },
      {
        name: 'ordering',
        kind: 'string',
        description:
          'account: the events of one resource one after the other. none: as soon as possible.',
        values: ['account', 'none'],
      },
      {
        name: 'signature',
        kind: 'string',
        description: 'The scheme of Standard Webhooks: v1 (HMAC-SHA256), v1a (Ed25519) or both.',
        values: ['v1', 'v1a', 'both'],
      },
      {
        name: 'maxInFlight',
        kind: 'integer',
        description: 'Maximum number of concurrent requests.',
      },
      {
        name: 'headers',
        kind: 'record',
        description:
          'Headers of each request, such as Authorization. Stored encrypted and never returned.',
        isSecret: true,
      },
      {
        name: 'paused',
        kind: 'boolean',
        description: 'true: events are stored for the endpoint and not sent.',
      },
      {
        name: 'replay',
        kind: 'json',
        description:
          'With `"paused": false`: which events to send again. missed: all since the last success, the default for a disabled endpoint; none; or { "since": time }.',
      },
    ],
  },
  {
    operationId: 'deleteWebhookEndpoint',
    method: 'webhookEndpoints.delete',
    summary: 'Delete a webhook endpoint',
    ids: ['webhookEndpointId'],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'rotateWebhookSecret',
    method: 'webhookEndpoints.rotateSecret',
    summary: 'Rotate the secret of a webhook endpoint',
    ids: ['webhookEndpointId'],
    input: 'body',
    fields: [
      {
        name: 'overlapSeconds',
        kind: 'integer',
        description: 'How long the former secret signs too. Default: one day.',
      },
    ],
  },
  {
    operationId: 'testWebhookEndpoint',
    method: 'webhookEndpoints.test',
    summary: 'Send an example event to a webhook endpoint',
    ids: ['webhookEndpointId'],
    input: 'body',
    fields: [
      {
        name: 'type',
        kind: 'string',
        description: 'The type of the example event. Default: webhook.test.',
        values: [
          'account.created',
          'account.updated',
          'account.reconnected',
          'account.needs_reauth',
          'account.error',
          'account.recovered',
          'account.deleted',
          'connect.failed',
          'connect_session.created',
          'connect_session.opened',
          'connect_session.completed',
          'connect_session.expired',
          'connect_session.revoked',
          'link.created',
          'link.updated',
          'link.revoked',
          'link.expired',
          'link.full',
          'definition.created',
          'definition.upgraded',
          'definition.rolled_back',
          'definition.deleted',
          'definition.update_available',
          'oauth_app.failing',
          'oauth_app.recovered',
          'token.expiring',
          'audit.checkpoint',
          'webhook_endpoint.disabled',
          'webhook_endpoint.recovered',
          'webhook.test',
        ],
      },
    ],
  },
  {
    operationId: 'listWebhookDeliveries',
    method: 'webhookEndpoints.listDeliveries',
    summary: 'List the deliveries to a webhook endpoint',
    ids: ['webhookEndpointId'],
    input: 'query',
    fields: [
      {
        name: 'state',
        kind: 'string',
        description: 'Only deliveries in this state.',
        values: ['queued', 'pending', 'held', 'delivered', 'failed'],
      },
      { name: 'type', kind: 'string', description: 'Only deliveries of this type of event.' },
      {
        name: 'since',
        kind: 'string',
        description: 'Only deliveries that were created at this time or later.',
      },
      {
        name: 'limit',
        kind: 'integer',
        description: 'Maximum number of deliveries. Default: 100.',
      },
      {
        name: 'cursor',
        kind: 'string',
        description: 'The cursor of the page, from the `Link` header of the previous one.',
      },
    ],
  },
  {
    operationId: 'getWebhookDelivery',
    method: 'webhookEndpoints.getDelivery',
    summary: 'Get the delivery of an event to a webhook endpoint',
    ids: ['webhookEndpointId', 'eventId'],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'replayWebhookEvents',
    method: 'webhookEndpoints.replay',
    summary: 'Send events to a webhook endpoint again',
    ids: ['webhookEndpointId'],
    input: 'body',
    fields: [
      {
        name: 'eventIds',
        kind: 'list',
        description: 'These events, whether the endpoint subscribes to their types or not.',
      },
      {
        name: 'since',
        kind: 'string',
        description: 'The events from this time on. Requires `until`.',
      },
      {
        name: 'until',
        kind: 'string',
        description: 'The events before this time. Requires `since`.',
      },
      {
        name: 'failed',
        kind: 'boolean',
        description: 'true: the events that the endpoint never accepted.',
      },
    ],
  },
  {
    operationId: 'listAuditEvents',
    method: 'audit.list',
    summary: 'List the audit trail of a workspace',
    ids: [],
    input: 'query',
    fields: [
      { name: 'workspaceId', kind: 'string', description: 'Workspace of the entries.' },
      {
        name: 'instance',
        kind: 'boolean',
        description:
          'Entries that belong to no workspace, instead. Requires the scope admin of a token that is bound to no workspace.',
      },
      { name: 'from', kind: 'string', description: 'Only entries from this time on.' },
      { name: 'to', kind: 'string', description: 'Only entries before this time.' },
      {
        name: 'action',
        kind: 'string',
        description: 'Only this action, such as `account.credentials_read`.',
      },
      { name: 'actor', kind: 'string', description: 'Only entries of this user.' },
      { name: 'tokenId', kind: 'string', description: 'Only entries of this access token.' },
      {
        name: 'subject',
        kind: 'string',
        description: 'Only entries about the resource with this id.',
      },
      {
        name: 'ip',
        kind: 'string',
        description: 'Only entries from this address, as it was recorded.',
      },
      {
        name: 'outcome',
        kind: 'string',
        description: 'Only entries with this outcome.',
        values: ['done', 'refused'],
      },
      {
        name: 'limit',
        kind: 'integer',
        description: 'Maximum number of entries per page. Default: 100.',
      },
      {
        name: 'cursor',
        kind: 'string',
        description: 'The cursor of the page, from the `Link` header of the previous one.',
      },
    ],
  },
  {
    operationId: 'exportAuditEvents',
    method: 'audit.export',
    summary: 'Export the audit trail of a workspace',
    ids: [],
    input: 'query',
    fields: [
      { name: 'workspaceId', kind: 'string', description: 'Workspace of the entries.' },
      {
        name: 'instance',
        kind: 'boolean',
        description:
          'Entries that belong to no workspace, instead. Requires the scope admin of a token that is bound to no workspace.',
      },
      { name: 'from', kind: 'string', description: 'Only entries from this time on.' },
      { name: 'to', kind: 'string', description: 'Only entries before this time.' },
    ],
  },
  {
    operationId: 'eraseCustomer',
    method: 'customers.erase',
    summary: 'Erase a customer',
    ids: [],
    input: 'body',
    fields: [
      {
        name: 'accountIdentifier',
        kind: 'string',
        description: 'The accountIdentifier of the customer.',
        isRequired: true,
      },
      { name: 'workspaceId', kind: 'string', description: 'Workspace of the customer.' },
    ],
  },
  {
    operationId: 'exportCustomer',
    method: 'customers.export',
    summary: 'Export what is stored about a customer',
    ids: [],
    input: 'query',
    fields: [
      {
        name: 'accountIdentifier',
        kind: 'string',
        description: 'The accountIdentifier of the customer.',
        isRequired: true,
      },
      { name: 'workspaceId', kind: 'string', description: 'Workspace of the customer.' },
    ],
  },
  {
    operationId: 'createToken',
    method: 'tokens.create',
    summary: 'Create a token with at most the scopes of this one',
    ids: [],
    input: 'body',
    fields: [
      { name: 'name', kind: 'string', description: 'What the token is for.', isRequired: true },
      { name: 'seconds', kind: 'integer', description: 'Lifetime in seconds. Default: 90 days.' },
      { name: 'workspaceId', kind: 'string', description: 'Binds the token to this workspace.' },
      {
        name: 'integrationAccountIds',
        kind: 'list',
        description:
          'Binds the token to these accounts of its workspace: it can get them and send requests through their proxy, and nothing else.',
      },
      {
        name: 'readsPerMinute',
        kind: 'integer',
        description: 'Maximum number of reads per minute, if it is lower than that of the service.',
      },
      {
        name: 'writesPerMinute',
        kind: 'integer',
        description:
          'Maximum number of other requests per minute, if it is lower than that of the service.',
      },
      {
        name: 'scopes',
        kind: 'list',
        description:
          'Default: read and write, if the creating token has them. write includes the five scopes that end in :write.',
        values: [
          'admin',
          'read',
          'write',
          'links:write',
          'accounts:write',
          'definitions:write',
          'apps:write',
          'workspace:write',
          'credentials:read',
          'audit:read',
          'proxy',
          'tokens',
          'webhooks',
        ],
      },
    ],
  },
  {
    operationId: 'listTokens',
    method: 'tokens.list',
    summary: 'List tokens',
    ids: [],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'deleteToken',
    method: 'tokens.delete',
    summary: 'Revoke a token and all tokens created with it',
    ids: ['tokenId'],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'createUser',
    method: 'users.create',
    summary: 'Create a user with a workspace and a token',
    ids: [],
    input: 'body',
    fields: [
      { name: 'email', kind: 'string', description: 'Email address.', isRequired: true },
      { name: 'firstname', kind: 'string', description: 'First name.' },
      { name: 'lastname', kind: 'string', description: 'Last name.' },
    ],
  },
  {
    operationId: 'getUser',
    method: 'users.getCurrent',
    summary: 'Get the current user',
    ids: [],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'createWorkspace',
    method: 'workspaces.create',
    summary: 'Create a workspace',
    ids: [],
    input: 'body',
    fields: [
      {
        name: 'slug',
        kind: 'string',
        description:
          'Lower-case letters, digits and hyphens. Default: workspace- followed by six random characters.',
      },
    ],
  },
  {
    operationId: 'listWorkspaces',
    method: 'workspaces.list',
    summary: 'List the workspaces that the token can access',
    ids: [],
    input: 'none',
    fields: [],
  },
  {
    operationId: 'updateWorkspace',
    method: 'workspaces.update',
    summary: 'Change the settings of a workspace',
    ids: ['workspaceId'],
    input: 'body',
    fields: [
      {
        name: 'slug',
        kind: 'string',
        description:
          'Lower-case letters, digits and hyphens. Default: workspace- followed by six random characters.',
      },
      { name: 'name', kind: 'string', description: 'The name shown on the connect page.' },
      {
        name: 'theme',
        kind: 'json',
        description: 'The appearance of the pages of this workspace. Replaced as a whole.',
      },
      {
        name: 'allowedRedirectURLs',
        kind: 'list',
        description: 'URLs that the pages may redirect to. Compared exactly. Replaced as a whole.',
      },
      {
        name: 'allowedFrameOrigins',
        kind: 'list',
        description: 'Origins that may embed the connect page. Replaced as a whole.',
      },
    ],
  },
  {
    operationId: 'deleteWorkspace',
    method: 'workspaces.delete',
    summary: 'Delete a workspace and everything in it',
    ids: ['workspaceId'],
    input: 'none',
    fields: [],
  },
]
