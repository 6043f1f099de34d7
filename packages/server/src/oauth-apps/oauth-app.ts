import Type, { type Static } from 'typebox'
import { OptionalField, StrictObject, Timestamp } from '../http/schema.ts'

const id = Type.String({ description: 'Identifier of the OAuth app.' })
const definitionId = Type.String({ description: 'The definition that it is for.' })

/** The client that a workspace registered at a provider. Its secret is never in an answer. */
export const IntegrationOAuthApp = StrictObject(
  {
    integrationOAuthAppId: id,
    integrationOAuthAppName: Type.String({ description: 'A name for people.' }),
    clientId: Type.String({ description: 'The client id that the provider gave.' }),
    scopes: Type.Array(Type.String(), {
      description: 'Scopes that connections ask for beyond those of the spec.',
    }),
    allowedHosts: Type.Array(Type.String(), {
      description:
        'Hosts that may receive the client secret where the configuration of an account chooses the host.',
    }),
    integrationDefinitionId: definitionId,
    workspaceId: Type.String({ description: 'Identifier of the workspace.' }),
    createdAt: Timestamp('Creation time.'),
    updatedAt: Timestamp('Time of last update.'),
  },
  {
    $id: 'IntegrationOAuthApp',
    description: 'The OAuth client of a workspace for one definition.',
    examples: [
      {
        integrationOAuthAppId: 'oap_01kahn41dke3jtmrb2w3zj6t0y',
        integrationOAuthAppName: 'Acme Books',
        clientId: 'acme-books-production',
        scopes: ['invoices.read'],
        allowedHosts: [],
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
        createdAt: '2026-11-21T10:00:00.000Z',
        updatedAt: '2026-11-21T10:00:00.000Z',
      },
    ],
  },
)
export type IntegrationOAuthApp = Static<typeof IntegrationOAuthApp>

/** What pages that start connections need to know of an app: neither client id nor secret. */
export const OAuthAppIds = StrictObject(
  {
    integrationOAuthAppId: id,
    integrationDefinitionId: definitionId,
    integrationOAuthAppName: Type.String({ description: 'A name for people.' }),
  },
  {
    $id: 'OAuthAppIds',
    description: 'An OAuth app by its ids and name alone.',
    examples: [
      {
        integrationOAuthAppId: 'oap_01kahn41dke3jtmrb2w3zj6t0y',
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        integrationOAuthAppName: 'Acme Books',
      },
    ],
  },
)
export type OAuthAppIds = Static<typeof OAuthAppIds>

/** VSCHAR (RFC 6749, appendix A.1 and A.2). A space at an end is a slip of copy and paste. */
const VISIBLE_ASCII = '^[!-~](?:[ -~]*[!-~])?$'

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: "A name for people. Default: the definition's.",
})
const clientId = Type.String({
  minLength: 1,
  maxLength: 1_024,
  pattern: VISIBLE_ASCII,
  description: 'The client id that the provider gave.',
})
const clientSecret = Type.String({
  minLength: 1,
  maxLength: 8_192,
  pattern: VISIBLE_ASCII,
  writeOnly: true,
  description: 'The client secret. Stored sealed, never answered. Absent for public clients.',
})
const scopes = Type.Array(
  // scope-token (RFC 6749, appendix A.4)
  Type.String({ minLength: 1, maxLength: 255, pattern: '^[!#-\\[\\]-~]+$' }),
  {
    maxItems: 200,
    uniqueItems: true,
    description: 'Scopes that connections ask for beyond those of the spec.',
  },
)

/** A host, or `*.` and the domain that ends it, as in `x-hosts`. A domain has two labels at least. */
const allowedHosts = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 253,
    pattern: '^(?:\\*(?:\\.[A-Za-z0-9-]+){2,}|[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)*)$',
  }),
  {
    maxItems: 100,
    uniqueItems: true,
    description:
      'Hosts that may receive the client secret where the configuration of an account chooses the host, such as `*.myshopify.com`.',
  },
)

export const CreateOAuthApp = StrictObject(
  {
    integrationDefinitionId: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The definition that it is for.',
    }),
    clientId,
    clientSecret: OptionalField(clientSecret),
    scopes: OptionalField(scopes),
    allowedHosts: OptionalField(allowedHosts),
    integrationOAuthAppName: OptionalField(name),
    workspaceId: OptionalField(
      Type.String({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
  },
  {
    $id: 'CreateOAuthApp',
    examples: [
      {
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        clientId: 'acme-books-production',
        clientSecret: 'the-secret-that-the-provider-showed-once',
        scopes: ['invoices.read'],
      },
    ],
  },
)
export type CreateOAuthApp = Static<typeof CreateOAuthApp>

export const UpdateOAuthApp = StrictObject(
  {
    clientId: OptionalField(clientId),
    clientSecret: OptionalField(clientSecret),
    scopes: OptionalField(scopes),
    allowedHosts: OptionalField(allowedHosts),
    integrationOAuthAppName: OptionalField(name),
  },
  {
    $id: 'UpdateOAuthApp',
    examples: [{ clientSecret: 'the-new-secret', scopes: ['invoices.read', 'invoices.write'] }],
  },
)
export type UpdateOAuthApp = Static<typeof UpdateOAuthApp>
