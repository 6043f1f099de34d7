import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { IdOf, Nullable, OneOf, OptionalField, StrictObject } from '../../platform/http/schema.ts'
import { definitionReference } from '../definitions/schemas.ts'
import { SCOPE_TOKEN, SCOPES_MODES } from '../oauth/spec/scopes.ts'
import { OAUTH_APP, type OAuthApp, type OAuthAppId } from './oauth-app.ts'

/** The path of an OAuth app. */
export const OAuthAppParams = Type.Object({
  integrationOAuthAppId: IdOf<OAuthAppId>({ description: 'ID of the OAuth app.' }),
})

/** The client that a workspace registered at a provider. Responses never contain the client secret. */
export const IntegrationOAuthApp = StrictObject(
  {
    ...OAUTH_APP.schemas,
    accounts: Type.Integer({
      description:
        'Live accounts that were connected with it and that it refreshes; 1000 stands for as many or more.',
    }),
  },
  {
    $id: 'IntegrationOAuthApp',
    description: 'An OAuth client of a workspace, or of one of its customers, for one definition.',
    examples: [{ ...OAUTH_APP.example, accounts: 0 }],
  },
)
export type IntegrationOAuthApp = Static<typeof IntegrationOAuthApp>

/** Accounts of an app are counted up to this number. */
export const MAX_COUNTED_ACCOUNTS = 1_000

/** @param accounts its live accounts */
export function serializeOAuthApp(app: OAuthApp, accounts: number): IntegrationOAuthApp {
  return { ...OAUTH_APP.serialize(app), accounts }
}

/** The part of an app that pages need to start a connection: no client ID and no secret. */
export const OAuthAppSummary = StrictObject(pickSummary(OAUTH_APP.schemas), {
  $id: 'OAuthAppIds',
  description: 'An OAuth app with IDs and names only.',
  examples: [pickSummary(OAUTH_APP.example)],
})
export type OAuthAppSummary = Static<typeof OAuthAppSummary>

function pickSummary<Id, DefinitionId, Name>(fields: {
  readonly integrationOAuthAppId: Id
  readonly integrationDefinitionId: DefinitionId
  readonly integrationOAuthAppName: Name
}) {
  const { integrationOAuthAppId, integrationDefinitionId, integrationOAuthAppName } = fields
  return { integrationOAuthAppId, integrationDefinitionId, integrationOAuthAppName }
}

/** VSCHAR (RFC 6749, appendix A.1 and A.2), without leading and trailing spaces, which come from copy and paste. */
const VISIBLE_ASCII = '^[!-~](?:[ -~]*[!-~])?$'

/** The texts that a form for an app has, with their limits. */
export const APP_TEXTS = {
  issuer: { maxLength: 2_048, pattern: VISIBLE_ASCII },
  clientId: { maxLength: 1_024, pattern: VISIBLE_ASCII },
  clientSecret: { maxLength: 8_192, pattern: VISIBLE_ASCII },
  redirectName: { maxLength: 1_024, pattern: VISIBLE_ASCII },
}

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'Display name. Defaults to the name of the definition.',
})
const clientId = Type.String({
  minLength: 1,
  ...APP_TEXTS.clientId,
  description: 'The client ID issued by the provider.',
})
const clientSecret = Type.String({
  minLength: 1,
  ...APP_TEXTS.clientSecret,
  writeOnly: true,
  description:
    'The client secret. Stored encrypted and never returned. Omit it for public clients.',
})
const scopeList = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 255, pattern: SCOPE_TOKEN }), {
    maxItems: 200,
    uniqueItems: true,
    description,
  })
const scopes = scopeList(
  'Scopes to request: in addition to those of the spec, or in their place (`scopesMode`).',
)
const scopesMode = OneOf(
  SCOPES_MODES,
  'Whether `scopes` are added to those of the spec, or replace them. What the integration requires is always requested. Default: add.',
)
const optionalScopes = scopeList(
  'Scopes that links and connect sessions may request in addition to those of the spec and of the app.',
)

const redirectName = Type.String({
  minLength: 1,
  ...APP_TEXTS.redirectName,
  description:
    'What the provider has assigned to the redirect URI and expects in its place, such as the RuName of eBay. Required where the spec has `x-redirect-name`, and not allowed elsewhere.',
})

/** The hosts of an app: each a host, or `*.` and a domain of at least two labels, as in `x-hosts`. */
export const allowedHosts = Type.Array(
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
    scopesMode: OptionalField(scopesMode),
    optionalScopes: OptionalField(optionalScopes),
    redirectName: OptionalField(redirectName),
    allowedHosts: OptionalField(allowedHosts),
    issuer: OptionalField(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description:
          'The issuer of the authorization server that the client is registered with. Required where the spec has `discovery`, and not allowed elsewhere. Cannot be changed.',
      }),
    ),
    integrationOAuthAppName: OptionalField(name),
    accountIdentifier: OptionalField(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          "The customer whose own app it is: used for this customer's connections only. Cannot be changed.",
      }),
    ),
    predecessorId: OptionalField(
      IdOf<OAuthAppId>({
        maxLength: 64,
        description:
          'The app whose successor this one is, of the same definition and the same customer, and without another successor: a customer changes the client of its own app like this.',
      }),
    ),
    isDefault: OptionalField(
      Type.Boolean({
        description:
          'Whether it is used where nothing else selects an app. Default: true without accountIdentifier and predecessorId. False for a second app, which links, sessions and starts name, or which succeeds the default.',
      }),
    ),
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
    scopesMode: OptionalField(scopesMode),
    optionalScopes: OptionalField(optionalScopes),
    redirectName: OptionalField(redirectName),
    allowedHosts: OptionalField(allowedHosts),
    integrationOAuthAppName: OptionalField(name),
    isDefault: OptionalField(
      Type.Boolean({ description: 'Whether it is used where nothing else selects an app.' }),
    ),
    replaceDefault: OptionalField(
      Type.Boolean({
        description:
          'With `"isDefault": true`: the app that was the default becomes another one in the same change, so that the definition is never without. Default: false, and a second default is an error.',
      }),
    ),
    successorId: Type.Optional(
      Nullable(
        IdOf<OAuthAppId>({
          maxLength: 64,
          description:
            'An app of the same definition and the same customer that new connections and reconnects use instead; null: none. This app continues to refresh its accounts until they are reconnected.',
        }),
      ),
    ),
  },
  {
    $id: 'UpdateOAuthApp',
    examples: [{ clientSecret: 'the-new-secret', scopes: ['invoices.read', 'invoices.write'] }],
  },
)
export type UpdateOAuthApp = Static<typeof UpdateOAuthApp>
