import Type from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { IdOf, Nullable, OneOf, Timestamp } from '../../platform/http/schema.ts'
import {
  added,
  bytes,
  defineResource,
  flag,
  id,
  json,
  nullable,
  type RowOf,
  text,
  time,
  type ValuesOf,
} from '../../platform/storage/define-resource.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import type { AuthorizationServer } from '../oauth/discovery/authorization-server.ts'
import { SCOPES_MODES, type ScopesMode } from '../oauth/spec/scopes.ts'

export type OAuthAppId = Id<'oap'>

/** How the client came to be: entered here, by a client ID metadata document, or by dynamic registration (RFC 7591). */
export const OAUTH_APP_KINDS = ['registered', 'metadata_document', 'dynamic'] as const

const SAMPLE_TIME = Date.parse('2026-11-21T10:00:00.000Z')

const list = () => json<readonly string[]>('operator', [])

/** The fields of an OAuth app, in the order of responses. */
const fields = {
  oauthAppId: {
    column: 'oauth_app_id',
    type: id<OAuthAppId>(),
    sample: 'oap_01kahn41dke3jtmrb2w3zj6t0y',
    as: 'integrationOAuthAppId',
    response: Type.String({ description: 'ID of the OAuth app.' }),
  },
  name: {
    column: 'name',
    type: text('operator'),
    sample: 'Acme Books',
    as: 'integrationOAuthAppName',
    response: Type.String({ description: 'Display name.' }),
  },
  clientId: {
    column: 'client_id',
    type: text('operator'),
    sample: 'acme-books-production',
    response: Type.String({ description: 'The client ID issued by the provider.' }),
  },
  scopes: {
    column: 'scopes',
    type: list(),
    sample: ['invoices.read'],
    response: Type.Array(Type.String(), {
      description:
        'Scopes to request: in addition to those of the spec, or in their place (`scopesMode`).',
    }),
  },
  scopesMode: {
    column: 'scopes_mode',
    type: added(text<ScopesMode>('none', 'add')),
    response: OneOf(
      SCOPES_MODES,
      'Whether `scopes` are added to those of the spec, or replace them. What the integration requires is always requested.',
    ),
  },
  optionalScopes: {
    column: 'optional_scopes',
    type: added(list()),
    response: Type.Array(Type.String(), {
      description: 'Scopes that links and connect sessions may request in addition.',
    }),
  },
  redirectName: {
    column: 'redirect_name',
    type: nullable(text('operator')),
    response: Nullable(
      Type.String({
        description:
          'What the provider has assigned to the redirect URI and expects in its place, such as the RuName of eBay; null for all other providers.',
      }),
    ),
  },
  allowedHosts: {
    column: 'allowed_hosts',
    type: added(list()),
    response: Type.Array(Type.String(), {
      description:
        'Hosts that may receive the client secret if the configuration of an account determines the host.',
    }),
  },
  isDefault: {
    column: 'is_default',
    type: flag(),
    sample: true,
    response: Type.Boolean({
      description: 'Whether it is used where nothing else selects an app of the definition.',
    }),
  },
  accountIdentifier: {
    column: 'account_identifier',
    type: nullable(text('deleted')),
    response: Nullable(
      Type.String({
        description:
          'The customer whose own app it is: used for accounts with this accountIdentifier only; null for apps of the workspace.',
      }),
    ),
  },
  successorId: {
    column: 'successor_id',
    type: nullable(id<OAuthAppId>()),
    response: Nullable(
      Type.String({
        description:
          'The app that new connections and reconnects use in its place; null without one.',
      }),
    ),
  },
  kind: {
    column: 'kind',
    type: text<(typeof OAUTH_APP_KINDS)[number]>('none'),
    sample: 'registered',
    response: OneOf(
      OAUTH_APP_KINDS,
      'registered: the client was registered at the provider. metadata_document and dynamic: Linchpin is known there by the URL of its metadata, or has registered itself.',
    ),
  },
  issuer: {
    column: 'issuer',
    type: nullable(text('operator')),
    response: Nullable(
      Type.String({
        description:
          'The issuer of the authorization server that the client is registered with, for integrations whose server names it; null for all others.',
      }),
    ),
  },
  definitionId: {
    column: 'definition_id',
    type: id<DefinitionId>(),
    sample: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
    as: 'integrationDefinitionId',
    response: IdOf<DefinitionId>({ description: 'ID of the definition.' }),
  },
  workspaceId: {
    column: 'workspace_id',
    type: id<WorkspaceId>(),
    sample: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
    response: IdOf<WorkspaceId>({ description: 'ID of the workspace.' }),
  },
  createdAt: {
    column: 'created_at',
    type: time(),
    sample: SAMPLE_TIME,
    response: Timestamp('Creation time.'),
  },
  updatedAt: {
    column: 'updated_at',
    type: time(),
    sample: SAMPLE_TIME,
    response: Timestamp('Time of last update.'),
  },
  /** The sealed client secret; null for public clients. */
  sealedSecret: { column: 'sealed_secret', type: nullable(bytes('sealed')) },
  /** The origins that the secret was entered for. */
  secretOrigins: { column: 'secret_origins', type: added(list()) },
  /** An `AuthorizationServer` as JSON; null without an issuer. */
  serverMetadata: { column: 'server_metadata', type: nullable(text('operator')) },
  failingSince: {
    column: 'failing_since',
    type: nullable(time()),
    response: Nullable(
      Timestamp('Since when the provider rejects the client; null while it does not.'),
    ),
  },
} as const

export const OAUTH_APP = defineResource(fields)

/** The authorization server that the client of an app is registered with; undefined if the spec has the endpoints. */
export function readServer({
  serverMetadata,
}: Pick<OAuthApp, 'serverMetadata'>): AuthorizationServer | undefined {
  return serverMetadata === null ? undefined : (JSON.parse(serverMetadata) as AuthorizationServer)
}

/** An OAuth client that a workspace, or one of its customers, registered with a provider, for one definition. Times are epoch milliseconds. */
export type OAuthApp = ValuesOf<typeof fields>

declare module '../../platform/storage/tables.ts' {
  interface Tables {
    oauth_apps: RowOf<typeof fields>
  }
}
