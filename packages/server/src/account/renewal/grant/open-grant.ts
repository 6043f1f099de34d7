import type { Spec } from '@linchpin/runner'
import { type OAuthType, readOAuthType } from '../../../oauth/spec/auth-type.ts'
import type { OAuthClient } from '../../../oauth/token/client-request.ts'
import { openClient } from '../../../oauth-app/oauth-client.ts'
import { SECRET_REQUIRED } from '../../../oauth-app/secret-endpoints.ts'
import type { AccountRow, OAuthAppRow } from '../../../storage/tables.ts'
import { openConfig } from '../../config/sealed-config.ts'
import type { RenewalDeps } from '../renewal-deps.ts'

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

export type OpenGrantDeps = Pick<
  RenewalDeps,
  'database' | 'vault' | 'oauthApps' | 'renewals' | 'log' | 'now'
>

/** Opens the secrets of a live account. The client is read anew each time, so that a rotated secret works at once. */
export async function openGrant(deps: OpenGrantDeps, row: AccountRow): Promise<Grant> {
  const definition = await deps.renewals.definitionOf(row)
  if (definition === undefined || row.sealed_config === null)
    throw new Error(`account ${row.account_id} has no definition or no configuration`)
  const spec = JSON.parse(definition.spec) as Spec
  const isRecorded = row.status_reason === SECRET_REQUIRED
  const app =
    row.oauth_app_id === null
      ? undefined
      : await deps.oauthApps.findInWorkspace(deps.database.read, row.workspace_id, row.oauth_app_id)
  return {
    config: await openConfig(deps.vault, row, row.sealed_config),
    spec,
    bundleSha256: definition.bundle_sha256,
    type: readOAuthType(spec, row.auth_type),
    app,
    client: app && (await openClient(deps, app, { isRecorded })),
  }
}

/** The configuration as bundles expect it: with the client of the OAuth app. */
export function bundleConfig({ config, client }: Grant): Record<string, unknown> {
  return withClient(config, client)
}

/** A configuration with the client that stands in for its own; as it is without one. */
export function withClient(
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
export function configText(config: Grant['config'], name: string): string | undefined {
  const value = Object.hasOwn(config, name) ? config[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}
