import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { IntegrationAccount } from '../../accounts/accounts/schemas/account.ts'
import { Category } from '../../integrations/definitions/category.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { IntegrationDefinition } from '../../integrations/definitions/schemas.ts'
import {
  IdOf,
  listOf,
  Nullable,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import { LINK_STATS_FIELDS } from './counters/link-counters.ts'
import type { Link } from './link.ts'

const fields = {
  linkId: Type.String({
    description: 'Identifier of the link. Anyone who knows it can add accounts.',
  }),
  linkName: Type.String({ description: 'Name of the link.' }),
  canExpire: Type.Boolean({ description: 'Whether the link can expire.' }),
  preferOAuth: Type.Boolean({ description: 'Whether the link accepts only OAuth sign-in.' }),
  expiresIn: Type.Number({ description: 'Lifetime in seconds; 0 if the link does not expire.' }),
  url: Type.String({ description: 'URL of its page. Anyone who opens it can add accounts.' }),
  category: listOf(Category, 'Categories that the link supports.'),
  integrationDefinitionIds: Type.Array(IdOf<DefinitionId>({ description: 'ID of a definition.' }), {
    description: 'The only definitions that the link supports; empty for no such restriction.',
  }),
  workspaceId: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
  maxAccounts: Nullable(
    Type.Integer({ description: 'Maximum number of live accounts; null: unlimited.' }),
  ),
  maxAccountsPerIdentifier: Nullable(
    Type.Integer({
      description: 'Maximum number of live accounts per accountIdentifier; null: unlimited.',
    }),
  ),
  allowedOrigins: Type.Array(Type.String(), {
    description:
      "Origins that may embed the page of the link. Empty: the workspace's list applies.",
  }),
  redirectURLs: Type.Array(Type.String(), {
    description: "URLs that the page may redirect to. Empty: the workspace's list applies.",
  }),
  sessionsOnly: Type.Boolean({
    description: 'Whether its page refuses visitors without a connect session.',
  }),
  createdAt: Timestamp('Creation time.'),
  updatedAt: Timestamp('Time of last update.'),
  IntegrationAccount: Type.Optional(
    listOf(IntegrationAccount, 'Newest live accounts of the link, at most 100.'),
  ),
}

const example = {
  linkId: 'lnk_3f9k2m8q0w7e5r1t6y4z3x9c8v2b7n1m',
  linkName: 'Onboarding',
  canExpire: true,
  preferOAuth: false,
  expiresIn: 86_400,
  url: 'https://connect.example.com/link/lnk_3f9k2m8q0w7e5r1t6y4z3x9c8v2b7n1m',
  category: [{ key: 'TICKETING', name: 'Ticketing' }],
  integrationDefinitionIds: [],
  workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
  maxAccounts: null,
  maxAccountsPerIdentifier: 3,
  allowedOrigins: ['https://app.example.com'],
  redirectURLs: [],
  sessionsOnly: false,
  createdAt: '2026-11-21T10:00:00.000Z',
  updatedAt: '2026-11-21T10:00:00.000Z',
  IntegrationAccount: [],
}

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
      'IDs of the definitions in integrationDefinitions that cannot be connected until the workspace has an OAuth app for them.',
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

const { IntegrationAccount: _accounts, ...ownFields } = fields

const { IntegrationAccount: _noAccounts, ...exampleSettings } = example

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
    url: buildLinkUrl(link, baseUrl),
    integrationDefinitionIds: [...link.definitionIds],
    linkId: link.linkId,
    linkName: link.name,
    canExpire: link.canExpire,
    preferOAuth: link.preferOAuth,
    expiresIn: link.expiresIn,
    category: [...link.categories],
    workspaceId: link.workspaceId,
    maxAccounts: link.maxAccounts,
    maxAccountsPerIdentifier: link.maxAccountsPerIdentifier,
    allowedOrigins: [...link.allowedOrigins],
    redirectURLs: [...link.redirectUrls],
    sessionsOnly: link.sessionsOnly,
    createdAt: toTimestamp(link.createdAt),
    updatedAt: toTimestamp(link.updatedAt),
    IntegrationAccount: accounts,
  }
}
