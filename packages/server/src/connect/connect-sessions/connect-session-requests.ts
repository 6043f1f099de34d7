import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import { TagsInput } from '../../accounts/accounts/account-tags.ts'
import { CategoryInput } from '../../integrations/definitions/category.ts'
import { definitionReference } from '../../integrations/definitions/schemas.ts'
import { IdOf, OpenObject, OptionalField, StrictObject } from '../../platform/http/schema.ts'
import { LANGUAGES, type Language } from '../../platform/i18n/language.ts'
import type { LinkId } from '../links/link.ts'
import type { ConnectSession, ConnectSessionId } from './connect-session.ts'
import { connectSessionExample, MODES } from './schemas.ts'

/** The parameter of the paths of a connect session. */
export const ConnectSessionParams = Type.Object({
  connectSessionId: IdOf<ConnectSessionId>({ description: 'Identifier of the connect session.' }),
})

export const CreateConnectSession = StrictObject(
  {
    workspaceId: OptionalField(
      IdOf<WorkspaceId>({
        maxLength: 64,
        description: 'Workspace identifier. Not together with linkId, which implies it.',
      }),
    ),
    linkId: OptionalField(
      IdOf<LinkId>({
        maxLength: 64,
        description:
          "A link whose restrictions, limits, origins and redirect URLs apply. Without one, the workspace's origins and redirect URLs apply.",
      }),
    ),
    mode: OptionalField(
      Type.Unsafe<ConnectSession['mode']>({
        type: 'string',
        enum: [...MODES],
        description: 'Default: connect. manage requires accounts:write and accountIdentifier.',
      }),
    ),
    accountIdentifier: OptionalField(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'The accountIdentifier of every account of the session. Nothing in the browser can change it.',
      }),
    ),
    integrationAccountId: OptionalField(
      IdOf<AccountId>({
        maxLength: 64,
        description:
          'The account to reconnect, instead of adding one. Requires accounts:write. Excludes integrationDefinitionIds, category, maxAccounts, tags and the mode manage.',
      }),
    ),
    integrationDefinitionIds: OptionalField(
      Type.Array(definitionReference('A definition that the session offers'), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: 'Offers only these definitions.',
      }),
    ),
    category: OptionalField(
      Type.Array(CategoryInput, { maxItems: 50, description: 'Offers only these categories.' }),
    ),
    config: OptionalField(
      OpenObject({
        maxProperties: 50,
        description:
          'Values of fields, which the person sees but cannot change. With a secret, every field that may choose a host must be given too.',
      }),
    ),
    hiddenConfig: OptionalField(
      Type.Array(Type.String({ maxLength: 200 }), {
        maxItems: 50,
        uniqueItems: true,
        description: 'Fields of config that the person does not see.',
      }),
    ),
    tags: OptionalField(TagsInput),
    redirectURL: OptionalField(
      Type.String({
        maxLength: 2_048,
        description: "One of the link's redirectURLs or, if it has none, of the workspace's.",
      }),
    ),
    lang: OptionalField(
      Type.Unsafe<Language>({
        type: 'string',
        enum: [...LANGUAGES],
        description: "The language of the page. Default: the browser's.",
      }),
    ),
    maxAccounts: OptionalField(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'How many accounts complete the session. Default: 1.',
      }),
    ),
    expiresIn: OptionalField(
      Type.Integer({
        minimum: 60,
        maximum: 604_800,
        description:
          'Lifetime in seconds. Default: 1800; 3600 with the mode manage; 604800 with integrationAccountId.',
      }),
    ),
  },
  {
    $id: 'CreateConnectSession',
    examples: [
      {
        accountIdentifier: 'customer-17',
        redirectURL: connectSessionExample.redirectURL,
      },
    ],
  },
)
export type CreateConnectSession = Static<typeof CreateConnectSession>
