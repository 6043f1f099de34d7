import type { Spec } from '@linchpin/runner'
import type { OAuthType } from '../../../integrations/oauth/spec/parse-oauth-type.ts'
import {
  type OAuthClient,
  withClientCredentials,
} from '../../../integrations/oauth/token/client-request.ts'
import type { GrantTokens } from '../../../integrations/oauth/token/revoke-token.ts'
import { readNestedTokens } from '../../../integrations/oauth/token-response/nested-token-fields.ts'
import type { OAuthApp } from '../../../integrations/oauth-apps/oauth-app.ts'
import type { Account } from '../account.ts'

/**
 * An account's OAuth grant with everything needed to use, refresh and revoke it. Also loaded for accounts without
 * OAuth.
 */
export interface Grant {
  readonly config: Readonly<Record<string, unknown>>
  readonly spec: Spec
  readonly bundleSha256: string
  /** Undefined when the auth type does not use OAuth in the current spec. */
  readonly type: OAuthType | undefined
  /** Undefined when the account has no OAuth app. */
  readonly app: OAuthApp | undefined
  readonly client: OAuthClient | undefined
}

/** Valid credentials of an account and the headers that authenticate a request with them. */
export interface AuthHeaders {
  /** The account row at the time the headers were created: `credentialVersion` identifies their credentials. */
  readonly row: Account
  readonly grant: Grant
  /** From the bundle's HEADERS command, else from the header templates of its spec; null when it has neither. */
  readonly headers: Readonly<Record<string, string>> | null
}

/** The configuration that bundles expect: includes the client credentials of the OAuth app. */
export function createBundleConfig({ config, client }: Grant): Record<string, unknown> {
  return withClientCredentials(config, client)
}

/** Reads a string field of the configuration; undefined when it is missing, empty or not a string. */
export function getConfigString(config: Grant['config'], name: string): string | undefined {
  const value = Object.hasOwn(config, name) ? config[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Reads all tokens of a configuration. */
export function getGrantTokens(config: Readonly<Record<string, unknown>>): GrantTokens {
  return {
    accessToken: getConfigString(config, 'access_token'),
    refreshToken: getConfigString(config, 'refresh_token'),
    nested: readNestedTokens(config),
  }
}
