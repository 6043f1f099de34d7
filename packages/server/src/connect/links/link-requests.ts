import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { CategoryInput } from '../../integrations/definitions/category.ts'
import { definitionReference } from '../../integrations/definitions/schemas.ts'
import { IdOf, Nullable, OptionalField, StrictObject } from '../../platform/http/schema.ts'

/** Maximum lifetime of a link: one year, in seconds. */
const MAX_TTL_SECONDS = 31_536_000

const limit = (description: string) =>
  OptionalField(Type.Integer({ minimum: 1, maximum: 1_000_000, description }))

const list = (maxLength: number, description: string) =>
  OptionalField(
    Type.Array(Type.String({ maxLength }), { maxItems: 100, uniqueItems: true, description }),
  )

const linkName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'Name of the link.',
})
const allowedOrigins = list(
  255,
  "Origins that may embed the page of the link, instead of the workspace's allowedFrameOrigins.",
)
const redirectURLs = list(
  2_048,
  "URLs that the page may redirect to, instead of the workspace's allowedRedirectURLs. Compared exactly.",
)

export const CreateLink = StrictObject(
  {
    linkName,
    category: OptionalField(
      Type.Array(CategoryInput, {
        maxItems: 50,
        description: 'Categories that the link supports.',
      }),
    ),
    expiresIn: OptionalField(
      Type.Integer({
        minimum: 0,
        maximum: MAX_TTL_SECONDS,
        description: 'Lifetime in whole seconds. 0 or omitted: the link does not expire.',
      }),
    ),
    canExpire: OptionalField(
      Type.Boolean({
        description:
          'Whether the link can expire. True requires expiresIn. Default: true if expiresIn is set.',
      }),
    ),
    preferOAuth: OptionalField(
      Type.Boolean({ description: 'Accept only OAuth sign-in. Default: false.' }),
    ),
    workspaceId: OptionalField(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
    integrationDefinitionId: OptionalField(
      definitionReference('Restricts the link to one definition', { maxLength: 255 }),
    ),
    integrationDefinitionIds: OptionalField(
      Type.Array(definitionReference('Definition'), {
        maxItems: 100,
        uniqueItems: true,
        description:
          'Restricts the link to these definitions, whatever their categories. Not together with integrationDefinitionId.',
      }),
    ),
    maxAccounts: limit('Maximum number of live accounts. Default: unlimited.'),
    maxAccountsPerIdentifier: limit(
      'Maximum number of live accounts per accountIdentifier. Accounts without one form one group.',
    ),
    allowedOrigins,
    redirectURLs,
    sessionsOnly: OptionalField(
      Type.Boolean({
        description: 'Its page refuses visitors without a connect session. Default: false.',
      }),
    ),
  },
  {
    $id: 'CreateLink',
    examples: [{ linkName: 'Onboarding', category: [{ key: 'TICKETING' }], expiresIn: 86_400 }],
  },
)
export type CreateLink = Static<typeof CreateLink>

const newLimit = (description: string) =>
  Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000, description })))

export const UpdateLink = StrictObject(
  {
    linkName: OptionalField(linkName),
    maxAccounts: newLimit('Maximum number of live accounts; null: unlimited.'),
    maxAccountsPerIdentifier: newLimit(
      'Maximum number of live accounts per accountIdentifier; null: unlimited.',
    ),
    allowedOrigins,
    redirectURLs,
  },
  { $id: 'UpdateLink', examples: [{ linkName: 'Onboarding, Europe', maxAccounts: null }] },
)
export type UpdateLink = Static<typeof UpdateLink>
