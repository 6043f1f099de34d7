import Type, { type Static } from 'typebox'
import { FreeObject, Nullable, OptionalField, Shape, Timestamp } from '../http/schema.ts'

/** Whether an account can be used, and if not, whose move it is. */
export const ACCOUNT_STATUSES = ['active', 'pending', 'needs_reauth', 'error'] as const
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

/** A connected account (interface: IntegrationAccount), with `accountIdentifier`. */
export const IntegrationAccount = Shape(
  {
    integrationAccountId: Type.String({ description: 'Identifier of the account.' }),
    integrationDefinitionId: Type.String({ description: 'Identifier of its definition.' }),
    integrationConfiguration: Nullable(
      FreeObject({
        description:
          'The public fields of its configuration. Never a secret. Null in links and once deleted.',
      }),
    ),
    authType: Type.String({ description: 'Type of authentication, a key of the spec.' }),
    workspaceId: Type.String({ description: 'Identifier of the workspace.' }),
    integrationAccountName: Type.String({ description: 'Display name.' }),
    deleted: Nullable(Timestamp('When it was deleted; null while alive.')),
    createdAt: Timestamp('Creation time.'),
    updatedAt: Timestamp('Time of last update.'),
    linkId: Nullable(
      Type.String({ description: 'The link it was made through; null without one.' }),
    ),
    accountIdentifier: Nullable(
      Type.String({ description: 'Groups accounts, for instance by user.' }),
    ),
    status: Type.Unsafe<AccountStatus>({
      type: 'string',
      enum: [...ACCOUNT_STATUSES],
      description: 'Whether it can be used: active, pending, needs_reauth or error.',
    }),
    statusReason: Nullable(
      Type.String({
        description:
          'A stable word that says why it is not active. On an active account `no_refresh_token`: it works until its access token ends. Else null.',
      }),
    ),
  },
  {
    $id: 'IntegrationAccount',
    description: 'A checked connection of one definition in one workspace.',
    examples: [
      {
        integrationAccountId: 'acc_01kahn41dke3jtmrb2w3zj6t0y',
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        integrationConfiguration: { base_url: 'https://desk.example.com' },
        authType: 'Api Key',
        workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
        integrationAccountName: 'Support desk',
        deleted: null,
        createdAt: '2026-11-21T10:00:00.000Z',
        updatedAt: '2026-11-21T10:00:00.000Z',
        linkId: null,
        accountIdentifier: null,
        status: 'active',
        statusReason: null,
      },
    ],
  },
)
export type IntegrationAccount = Static<typeof IntegrationAccount>

/** The answer of delete: the tombstone, and what the provider said. */
export const DeletedAccount = Shape(
  {
    ...IntegrationAccount.properties,
    revocation: Nullable(
      Type.String({
        description:
          'Whether the provider has revoked the tokens: revoked, failed or unsupported. Null when there was nothing to revoke, and when it is repeated.',
      }),
    ),
  },
  {
    $id: 'DeletedAccount',
    description: 'What is left of an account: its tombstone.',
    examples: [
      {
        integrationAccountId: 'acc_01kahn41dke3jtmrb2w3zj6t0y',
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        integrationConfiguration: null,
        authType: 'OAuth2',
        workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
        integrationAccountName: 'Support desk',
        deleted: '2026-11-21T11:00:00.000Z',
        createdAt: '2026-11-21T10:00:00.000Z',
        updatedAt: '2026-11-21T11:00:00.000Z',
        linkId: null,
        accountIdentifier: null,
        status: 'active',
        statusReason: null,
        revocation: 'revoked',
      },
    ],
  },
)
export type DeletedAccount = Static<typeof DeletedAccount>

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'Display name.',
})
const authType = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A key of the spec, spelled as there.',
})
const config = FreeObject({
  maxProperties: 200,
  description: 'Configuration, credentials included, as the spec asks for it.',
})
const definitionId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Definition the account is for.',
})
const identifier = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Groups accounts, for instance by user.',
})
const workspaceId = OptionalField(
  Type.String({ maxLength: 64, description: 'Workspace identifier.' }),
)

const connection = {
  integrationDefinitionId: definitionId,
  integrationAccountName: name,
  authType,
  config,
  accountIdentifier: OptionalField(identifier),
}

export const CreateAccount = Shape(
  { ...connection, workspaceId },
  {
    $id: 'CreateAccount',
    examples: [
      {
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        integrationAccountName: 'Support desk',
        authType: 'Api Key',
        config: { api_key: 'desk_live_example', base_url: 'https://desk.example.com' },
      },
    ],
  },
)
export type CreateAccount = Static<typeof CreateAccount>

/** The body of adding an account through a link: the link knows the workspace. */
export const CreateAccountThroughLink = Shape(connection, {
  $id: 'CreateAccountThroughLink',
  examples: [
    {
      integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
      integrationAccountName: 'Support desk',
      authType: 'Api Key',
      config: { api_key: 'desk_live_example' },
      accountIdentifier: 'customer-17',
    },
  ],
})
export type CreateAccountThroughLink = Static<typeof CreateAccountThroughLink>

export const CheckAccount = Shape(
  { integrationDefinitionId: definitionId, config, authType, workspaceId },
  {
    $id: 'CheckAccount',
    examples: [
      {
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        authType: 'Api Key',
        config: { api_key: 'desk_live_example' },
      },
    ],
  },
)
export type CheckAccount = Static<typeof CheckAccount>

export const UpdateAccount = Shape(
  {
    integrationAccountName: OptionalField(name),
    authType: OptionalField(authType),
    config: OptionalField(config),
  },
  { $id: 'UpdateAccount', examples: [{ integrationAccountName: 'Support desk, Europe' }] },
)
export type UpdateAccount = Static<typeof UpdateAccount>

/** The answer of check credentials, for right and wrong ones alike. */
export const CheckAnswer = Shape(
  {
    status: Type.Boolean({ description: 'Whether the credentials work.' }),
    error: Type.String({ description: 'What the integration said; empty when they work.' }),
    code: Type.Optional(
      Type.String({ description: 'What kind of failure, such as provider_unreachable.' }),
    ),
    field: Type.Optional(Type.String({ description: 'The field at fault.' })),
    hint: Type.Optional(Type.String({ description: 'What to do about it.' })),
    retryable: Type.Optional(Type.Boolean({ description: 'Whether trying again later may help.' })),
  },
  {
    $id: 'CheckAnswer',
    description: 'Whether credentials work.',
    examples: [{ status: true, error: '' }],
  },
)
export type CheckAnswer = Static<typeof CheckAnswer>

/** The one door through which live credentials leave. */
export const AccountCredentials = Shape(
  {
    integrationAccountId: Type.String(),
    authType: Type.String(),
    config: FreeObject({ description: 'The whole configuration, secrets included.' }),
    headers: Nullable(
      FreeObject({
        description:
          'Request headers that authenticate now. Null when the integration does not say which.',
      }),
    ),
  },
  {
    $id: 'AccountCredentials',
    description: 'Live credentials of an account.',
    examples: [
      {
        integrationAccountId: 'acc_01kahn2s6kf5arr5d1x6z5cq3b',
        authType: 'Api Key',
        config: { api_key: 'desk_live_example' },
        headers: { authorization: 'Bearer desk_live_example' },
      },
    ],
  },
)
export type AccountCredentials = Static<typeof AccountCredentials>
