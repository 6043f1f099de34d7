import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import { definitionReference } from '../../../integrations/definitions/schemas.ts'
import { IdOf, OpenObject, OptionalField, StrictObject } from '../../../platform/http/schema.ts'
import type { AccountId } from '../account.ts'
import { TagsInput } from '../account-tags.ts'

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
