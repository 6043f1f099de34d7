import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { IntegrationAccount } from '../../accounts/accounts/account.ts'
import { CategoryInput } from '../../integrations/definitions/category.ts'
import {
  definitionReference,
  IntegrationDefinition,
} from '../../integrations/definitions/schemas.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import { IdOf, listOf, Nullable, OptionalField, StrictObject } from '../../platform/http/schema.ts'
import { ChosenScopesInput } from './chosen-scopes.ts'
import { LINK, type Link, type LinkId } from './link.ts'
import { LINK_STATS_FIELDS } from './link-counter-store.ts'

const { linkId, linkName, canExpire, preferOAuth, expiresIn, ...others } = LINK.schemas

const fields = {
  linkId,
  linkName,
  canExpire,
  preferOAuth,
  expiresIn,
  url: Type.String({ description: 'URL of its page. Anyone who opens it can add accounts.' }),
  ...others,
  IntegrationAccount: Type.Optional(
    listOf(IntegrationAccount, 'Newest live accounts of the link, at most 100.'),
  ),
  counters: Type.Optional(LINK_STATS_FIELDS.counters),
}

const values: Readonly<Record<string, unknown>> = {
  ...LINK.example,
  url: `https://connect.example.com/link/${LINK.example.linkId}`,
  IntegrationAccount: [],
  counters: { opens: 12, attempts: 4, successes: 3 },
}
const example = Object.fromEntries(Object.keys(fields).map((name) => [name, values[name]]))

/** A link as create and list return it (interface: Link, which spells `IntegrationAccount` with a capital). */
export const LinkResponse = StrictObject(fields, {
  $id: 'Link',
  description: 'A shareable link through which customers add accounts.',
  examples: [example],
})
export type LinkResponse = Static<typeof LinkResponse>

const details = {
  expired: Type.Boolean({ description: 'Whether the link has expired or was revoked.' }),
  missingOAuthApps: Type.Array(Type.String(), {
    description:
      'IDs of the definitions in integrationDefinitions that cannot be connected until the workspace has an OAuth app for them or, with requireCustomerApp, the customer has one.',
  }),
  ...LINK_STATS_FIELDS,
}

/** The extended form that only Get link returns. */
export const ExtendedLink = StrictObject(
  {
    ...fields,
    ...details,
    integrationAccounts: Type.Optional(
      listOf(IntegrationAccount, 'The same accounts as in IntegrationAccount.'),
    ),
    integrationDefinitions: listOf(IntegrationDefinition, 'The definitions that the link allows.'),
  },
  {
    $id: 'ExtendedLink',
    description: 'A link with its accounts and definitions.',
    examples: [
      {
        ...example,
        expired: false,
        integrationAccounts: [],
        integrationDefinitions: [],
        missingOAuthApps: [],
        counters: { opens: 12, attempts: 4, successes: 3 },
        refusals: [{ code: 'credentials_rejected', count: 1 }],
      },
    ],
  },
)

export type ExtendedLink = Static<typeof ExtendedLink>

const { IntegrationAccount: _accounts, counters: _counters, ...ownFields } = fields

const { IntegrationAccount: _noAccounts, counters: _noCounters, ...exampleSettings } = example

/** A link without its accounts and definitions. */
export const LinkSettings = StrictObject(ownFields, {
  $id: 'LinkSettings',
  description: 'A link without its accounts and definitions.',
  examples: [exampleSettings],
})
export type LinkSettings = Static<typeof LinkSettings>

/** What an ExtendedLink says about the link itself: without its accounts and definitions. */
export const ExtendedLinkFields = StrictObject({ ...ownFields, ...details })

/** The URL of the page of a link. */
export function buildLinkUrl({ linkId }: Pick<Link, 'linkId'>, baseUrl: string): string {
  return `${baseUrl}/link/${linkId}`
}

/** Serializes a link and its accounts. */
export function serializeLink(
  link: Link,
  accounts: IntegrationAccount[],
  baseUrl: string,
): LinkResponse {
  return {
    ...LINK.serialize(link),
    url: buildLinkUrl(link, baseUrl),
    IntegrationAccount: accounts,
  }
}

/** Maximum lifetime of a link: one year, in seconds. */
const MAX_TTL_SECONDS = 31_536_000

const limit = (description: string) =>
  OptionalField(Type.Integer({ minimum: 1, maximum: 1_000_000, description }))

const list = (maxLength: number, description: string) =>
  OptionalField(
    Type.Array(Type.String({ maxLength }), { maxItems: 100, uniqueItems: true, description }),
  )

const nameInput = Type.String({
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
    linkName: nameInput,
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
    integrationOAuthAppId: OptionalField(
      IdOf<OAuthAppId>({
        maxLength: 64,
        description:
          'The OAuth app with which people sign in to its definition, instead of the default app. An app of the workspace, not of a customer.',
      }),
    ),
    requireCustomerApp: OptionalField(
      Type.Boolean({
        description:
          "Accept sign-ins with the customer's own OAuth app only. Default: false. Not together with integrationOAuthAppId.",
      }),
    ),
    scopes: OptionalField(
      ChosenScopesInput(
        'The scopes that sign-ins request, in place of those of the OAuth app. They cannot be changed later.',
      ),
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
    linkName: OptionalField(nameInput),
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

/** The parameter of the paths of a link. */
export const LinkParams = Type.Object({
  linkId: IdOf<LinkId>({ description: 'Identifier of the link.' }),
})

/** The query parameter of links that are read. */
export const LinkAccountsQuery = {
  accounts: Type.Optional(
    Type.Boolean({
      description: 'False omits `IntegrationAccount` and `integrationAccounts`. Default: true.',
    }),
  ),
}
