import type { Spec } from '@linchpin/runner'
import type { OAuthType } from '../../oauth/spec/parse-oauth-type.ts'
import type { OAuthClient } from '../../oauth/token/client-request.ts'
import type { GrantTokens } from '../../oauth/token/revoke-token.ts'
import type { AccountRow, OAuthAppRow } from '../../storage/tables.ts'

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

/** Credentials that work now, and the headers that carry them. */
export interface AuthHeaders {
  /** As it was when the headers were made: `credential_version` is theirs. */
  readonly row: AccountRow
  readonly grant: Grant
  /** What the bundle's HEADERS, else the templates of its spec, say; null when it has neither. */
  readonly headers: Readonly<Record<string, string>> | null
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

/** The tokens that stand in a configuration. */
export function getGrantTokens(config: Readonly<Record<string, unknown>>): GrantTokens {
  return {
    accessToken: configString(config, 'access_token'),
    refreshToken: configString(config, 'refresh_token'),
  }
}
