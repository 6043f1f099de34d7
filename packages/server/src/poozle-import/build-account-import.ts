import type { Spec } from '@linchpin/runner'
import { isOAuthType } from '../accounts/credentials/account-config.ts'
import type { ImportAccount } from '../accounts/schemas/import-request.ts'
import type { PoozleAccount } from './poozle-source.ts'

/** The import of an account of Poozle, without its definition and its credentials. */
export function buildAccountImport(
  account: PoozleAccount,
): Omit<ImportAccount, 'integrationDefinitionId' | 'workspaceId' | 'config' | 'tokens'> {
  const { integrationAccountId: id, authType, createdAt, accountIdentifier } = account
  return {
    externalId: `poozle:${id}`,
    integrationAccountName: account.integrationAccountName.trim().slice(0, 200) || id,
    authType,
    createdAt: new Date(Math.min(createdAt, Date.now())).toISOString(),
    ...(accountIdentifier ? { accountIdentifier: accountIdentifier.slice(0, 255) } : {}),
  }
}

/**
 * The credentials of an account. Poozle stores the tokens of a sign-in, and the client of its OAuth app, among the fields
 * of the configuration; here the tokens are apart, and the OAuth app has the client.
 */
export function splitConfig(
  { authType, integrationConfiguration }: PoozleAccount,
  spec: Spec,
): Pick<ImportAccount, 'config' | 'tokens'> {
  const config = integrationConfiguration ?? {}
  if (!isOAuthType(spec, authType)) return { config: { ...config } }
  const { access_token, refresh_token, scope, token_type, client_id, client_secret, ...fields } =
    config
  const tokens = {
    ...pickText('accessToken', access_token),
    ...pickText('refreshToken', refresh_token),
    ...pickText('scope', scope),
    ...pickText('tokenType', token_type),
  }
  return { config: fields, tokens }
}

function pickText<K extends string>(name: K, value: unknown): { [key in K]?: string } {
  return typeof value === 'string' && value !== ''
    ? ({ [name]: value } as { [key in K]: string })
    : {}
}
