import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import {
  IdOf,
  OptionalField,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import { definitionReference } from '../definitions/schemas.ts'
import type { OAuthAppId } from './oauth-app.ts'
import type { PublicOAuthApp } from './oauth-app-store.ts'

const id = Type.String({ description: 'ID of the OAuth app.' })
const definitionId = IdOf<DefinitionId>({ description: 'ID of the definition.' })

/** The path of an OAuth app. */
export const OAuthAppParams = Type.Object({
  integrationOAuthAppId: IdOf<OAuthAppId>({ description: 'ID of the OAuth app.' }),
})

/** The client that a workspace registered at a provider. Responses never contain the client secret. */
export const IntegrationOAuthApp = StrictObject(
  {
    integrationOAuthAppId: id,
    integrationOAuthAppName: Type.String({ description: 'Display name.' }),
    clientId: Type.String({ description: 'The client ID issued by the provider.' }),
    scopes: Type.Array(Type.String(), {
      description: 'Scopes to request in addition to those of the spec.',
    }),
    allowedHosts: Type.Array(Type.String(), {
      description:
        'Hosts that may receive the client secret if the configuration of an account determines the host.',
    }),
    integrationDefinitionId: definitionId,
    workspaceId: IdOf<WorkspaceId>({ description: 'ID of the workspace.' }),
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

/** The part of an app that pages need to start a connection: no client ID and no secret. */
export const OAuthAppSummary = StrictObject(
  {
    integrationOAuthAppId: id,
    integrationDefinitionId: definitionId,
    integrationOAuthAppName: Type.String({ description: 'Display name.' }),
  },
  {
    $id: 'OAuthAppIds',
    description: 'An OAuth app with IDs and names only.',
    examples: [
      {
        integrationOAuthAppId: 'oap_01kahn41dke3jtmrb2w3zj6t0y',
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        integrationOAuthAppName: 'Acme Books',
      },
    ],
  },
)
export type OAuthAppSummary = Static<typeof OAuthAppSummary>

/** VSCHAR (RFC 6749, appendix A.1 and A.2), without leading and trailing spaces, which come from copy and paste. */
const VISIBLE_ASCII = '^[!-~](?:[ -~]*[!-~])?$'

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'Display name. Defaults to the name of the definition.',
})
const clientId = Type.String({
  minLength: 1,
  maxLength: 1_024,
  pattern: VISIBLE_ASCII,
  description: 'The client ID issued by the provider.',
})
const clientSecret = Type.String({
  minLength: 1,
  maxLength: 8_192,
  pattern: VISIBLE_ASCII,
  writeOnly: true,
  description:
    'The client secret. Stored encrypted and never returned. Omit it for public clients.',
})
const scopes = Type.Array(
  // scope-token (RFC 6749, appendix A.4)
  Type.String({ minLength: 1, maxLength: 255, pattern: '^[!#-\\[\\]-~]+$' }),
  {
    maxItems: 200,
    uniqueItems: true,
    description: 'Scopes to request in addition to those of the spec.',
  },
)

/** A host, or `*.` and a domain of at least two labels, as in `x-hosts`. */
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
      'Hosts that may receive the client secret if the configuration of an account determines the host, such as `*.myshopify.com`.',
  },
)

export const CreateOAuthApp = StrictObject(
  {
    integrationDefinitionId: definitionReference('The definition'),
    clientId,
    clientSecret: OptionalField(clientSecret),
    scopes: OptionalField(scopes),
    allowedHosts: OptionalField(allowedHosts),
    integrationOAuthAppName: OptionalField(name),
    workspaceId: OptionalField(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
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

/** Converts an app to its API representation. */
export function serializeOAuthApp(app: PublicOAuthApp): IntegrationOAuthApp {
  return {
    integrationOAuthAppId: app.oauthAppId,
    integrationOAuthAppName: app.name,
    clientId: app.clientId,
    scopes: [...app.scopes],
    allowedHosts: [...app.allowedHosts],
    integrationDefinitionId: app.definitionId,
    workspaceId: app.workspaceId,
    createdAt: toTimestamp(app.createdAt),
    updatedAt: toTimestamp(app.updatedAt),
  }
}
