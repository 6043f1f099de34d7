import type { Spec } from '@linchpin/runner'
import { type OAuthType, parseOAuthType } from '../../../oauth/spec/parse-oauth-type.ts'
import type { OAuthClient } from '../../../oauth/token/client-request.ts'
import { loadOAuthClient } from '../../../oauth-apps/load-oauth-client.ts'
import { SECRET_REQUIRED } from '../../../oauth-apps/secret-endpoints.ts'
import type { AccountRow, OAuthAppRow } from '../../../storage/tables.ts'
import { decryptConfig } from '../../credentials/encrypted-config.ts'
import type { RefreshDeps } from '../refresh-deps.ts'

/** What an account's grant is renewed, used and revoked with. */
export interface Grant {
  readonly config: Readonly<Record<string, unknown>>
  readonly spec: Spec
  readonly bundleSha256: string
  /** Undefined when the auth type is not, or not any more, an OAuth one. */
  readonly type: OAuthType | undefined
  /** Undefined when the account has no OAuth app. */
  readonly app: OAuthAppRow | undefined
  readonly client: OAuthClient | undefined
}

export type LoadGrantDeps = Pick<
  RefreshDeps,
  'database' | 'vault' | 'oauthApps' | 'refreshStore' | 'log' | 'now'
>

/** Opens the secrets of a live account. The client is read anew each time, so that a rotated secret works at once. */
export async function loadGrant(deps: LoadGrantDeps, row: AccountRow): Promise<Grant> {
  const definition = await deps.refreshStore.findDefinition(row)
  if (definition === undefined || row.sealed_config === null)
    throw new Error(`account ${row.account_id} has no definition or no configuration`)
  const spec = JSON.parse(definition.spec) as Spec
  const isRecorded = row.status_reason === SECRET_REQUIRED
  const app =
    row.oauth_app_id === null
      ? undefined
      : await deps.oauthApps.findInWorkspace(deps.database.read, row.workspace_id, row.oauth_app_id)
  return {
    config: await decryptConfig(deps.vault, row, row.sealed_config),
    spec,
    bundleSha256: definition.bundle_sha256,
    type: parseOAuthType(spec, row.auth_type),
    app,
    client: app && (await loadOAuthClient(deps, app, { isAudited: isRecorded })),
  }
}

/** The configuration as bundles expect it: with the client of the OAuth app. */
export function bundleConfig({ config, client }: Grant): Record<string, unknown> {
  return withClientCredentials(config, client)
}

/** A configuration with the client that stands in for its own; as it is without one. */
export function withClientCredentials(
  config: Grant['config'],
  client: OAuthClient | undefined,
): Record<string, unknown> {
  if (client === undefined) return { ...config }
  const { clientId, clientSecret } = client
  return {
    ...config,
    client_id: clientId,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
  }
}

/** A text of the configuration; undefined when it is missing or empty. */
export function configString(config: Grant['config'], name: string): string | undefined {
  const value = Object.hasOwn(config, name) ? config[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}
