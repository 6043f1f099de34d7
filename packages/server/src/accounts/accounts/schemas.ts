import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { definitionReference } from '../../integrations/definitions/schemas.ts'
import { IdOf, OpenObject, OptionalField, StrictObject } from '../../platform/http/schema.ts'
import { type AccountId, TagsInput } from './account.ts'

/** The parameter of the paths of an account. */
export const AccountParams = Type.Object({
  integrationAccountId: IdOf<AccountId>({ description: 'Identifier of the integration account.' }),
})

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'Display name.',
})
const authType = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A key of `auth_specification` in the spec, spelled exactly as there.',
})
const config = OpenObject({
  maxProperties: 200,
  description: 'The fields that the spec asks for, including credentials.',
})
const definitionId = definitionReference('Definition that the account uses')
const identifier = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Groups accounts, for example by user.',
})
const workspaceId = OptionalField(
  IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
)

const accountFields = {
  integrationDefinitionId: definitionId,
  integrationAccountName: name,
  authType,
  config,
  accountIdentifier: OptionalField(identifier),
  tags: OptionalField(TagsInput),
}

export const CreateAccount = StrictObject(
  { ...accountFields, workspaceId },
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

/** The request body of Create integration account through link. The link determines the workspace. */
export const CreateAccountThroughLink = StrictObject(accountFields, {
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

export const CheckAccount = StrictObject(
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

export const UpdateAccount = StrictObject(
  {
    integrationAccountName: OptionalField(name),
    authType: OptionalField(authType),
    config: OptionalField(config),
    tags: OptionalField(TagsInput),
  },
  { $id: 'UpdateAccount', examples: [{ integrationAccountName: 'Support desk, Europe' }] },
)
export type UpdateAccount = Static<typeof UpdateAccount>

/** The codes of CHECK that pages and events understand. */
export const CHECK_CODES = [
  ...(['credentials_rejected', 'insufficient_scope', 'rate_limited', 'wrong_host'] as const),
  'provider_unreachable',
] as const

/** CHECK accepted credentials. */
export const AcceptedCredentials = StrictObject({
  status: Type.Literal(true, { description: '`true`: the credentials work.' }),
  error: Type.String({ description: 'Empty.' }),
})

/** CHECK did not accept credentials. */
export const RejectedCredentials = StrictObject({
  status: Type.Literal(false, { description: '`false`: they do not work.' }),
  error: Type.String({ description: 'The message of the integration.' }),
  code: Type.Optional(
    Type.String({
      'x-known-values': CHECK_CODES,
      description: 'The kind of failure; integrations may return others.',
    }),
  ),
  field: Type.Optional(Type.String({ description: 'The field that caused the failure.' })),
  hint: Type.Optional(Type.String({ description: 'What to do about the failure.' })),
  retryable: Type.Optional(Type.Boolean({ description: 'Whether retrying later may succeed.' })),
})
export type RejectedCredentials = Static<typeof RejectedCredentials>

/** The response of Check credentials, for valid and invalid ones. */
export const CheckResponse = Type.Union([AcceptedCredentials, RejectedCredentials], {
  $id: 'CheckAnswer',
  description: 'Whether credentials work.',
  examples: [
    { status: true, error: '' },
    {
      status: false,
      error: 'The key was revoked.',
      code: 'credentials_rejected',
      field: 'api_key',
    },
  ],
})
export type CheckResponse = Static<typeof CheckResponse>
