import Type, { type Static } from 'typebox'
import { IntegrationAccount } from '../../accounts/accounts/schemas/account.ts'
import { IntegrationDefinition } from '../../integrations/definitions/schemas.ts'
import { listOf, StrictObject } from '../../platform/http/schema.ts'
import { LINK_STATS_FIELDS } from './counters/link-counters.ts'
import { LINK, type Link } from './link.ts'

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
}

const values: Readonly<Record<string, unknown>> = {
  ...LINK.example,
  url: `https://connect.example.com/link/${LINK.example.linkId}`,
  IntegrationAccount: [],
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
    ...LINK.serialize(link),
    url: buildLinkUrl(link, baseUrl),
    IntegrationAccount: accounts,
  }
}
