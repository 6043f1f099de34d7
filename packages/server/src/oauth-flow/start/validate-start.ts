import { isListed, normalizeHost, type Spec, type Tenant } from '@linchpin/runner'
import {
  assertChangeAllowed,
  type ChangeCaller,
} from '../../accounts/credentials/assert-change-allowed.ts'
import { compareConfig } from '../../accounts/credentials/compare-config.ts'
import { configFields } from '../../accounts/credentials/config-fields.ts'
import type { ValidateConfig } from '../../accounts/credentials/validate-config.ts'
import type { Actor } from '../../audit/audit-store.ts'
import { ApiError, fieldError, validationFailed } from '../../errors.ts'
import type { NamedOAuthType } from '../../oauth/spec/oauth-types.ts'
import type { OAuthType } from '../../oauth/spec/parse-oauth-type.ts'
import { PLACEHOLDER, TemplateError } from '../../oauth/template/template-value.ts'
import { fillUrlTemplate } from '../../oauth/template/url-template.ts'
import { loadOAuthClient } from '../../oauth-apps/load-oauth-client.ts'
import type { AccountRow, DefinitionRow, OAuthAppRow } from '../../storage/tables.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { templateValues } from '../session/session-secrets.ts'
import { promptFields } from './prompt-fields.ts'
import type { ResolvedStart } from './resolve-start.ts'

/**
 * Holds a configuration against what the spec asks of people, and fills the URLs of sign-in with it, before anybody is
 * sent anywhere. Answers the URL of the page for sign-in, for its host.
 *
 * @throws ApiError `validation_failed` naming `config.…`; `integration_bad_output` when the spec's own URLs are at fault
 */
export async function validateStartConfig(
  validateConfig: ValidateConfig,
  subject: NamedOAuthType & {
    readonly spec: Spec
    readonly definition: Pick<DefinitionRow, 'bundle_sha256'>
    readonly tenant: Tenant
    readonly app: Pick<OAuthAppRow, 'client_id'>
  },
  config: Readonly<Record<string, unknown>>,
): Promise<URL> {
  const { authType, type, spec, app } = subject
  const fields = configFields(spec, authType)
  if (fields !== undefined) await validateConfig(promptFields(fields, type), config, subject.tenant)
  const values = templateValues(config, app)
  try {
    for (const url of [type.tokenUrl, type.pushedRequestUrl ?? type.tokenUrl])
      fillUrlTemplate(url, values, type.templateFields)
    // Tokens are renewed after sign-in, which may bring what is still missing here.
    if (!type.callbackParams.some((name) => type.refreshUrl.includes(`\${${name}}`)))
      fillUrlTemplate(type.refreshUrl, values, type.templateFields)
    return new URL(fillUrlTemplate(type.authorizationUrl, values, type.templateFields))
  } catch (error) {
    if (error instanceof TemplateError) throw toTemplateApiError(error)
    throw error
  }
}

function toTemplateApiError(error: TemplateError): ApiError {
  if (error.field === undefined)
    return new ApiError(
      'integration_bad_output',
      "The integration's spec has a sign-in URL that cannot be used.",
      { cause: error },
    )
  return validationFailed(fieldError(`config.${error.field}`, 'invalid', error.message))
}

type Config = Readonly<Record<string, unknown>>

/**
 * Admits the configuration of a reconnect, which reuses what the account has stored: the rule of an update. Whatever changes
 * is recorded before a browser, the integration or the provider gets any of it.
 *
 * @param sent what the caller sent, without what sign-in fills
 * @param merged the stored configuration with what was sent in place of it
 * @throws ApiError `secret_required`
 */
export async function assertReconnectAllowed(
  deps: OAuthFlowDeps,
  caller: ChangeCaller,
  { account, storedConfig, spec, authType }: ResolvedStart,
  sent: Config,
  merged: Config,
): Promise<void> {
  const fields = configFields(spec, authType)
  if (account === undefined || fields === undefined) return
  const { changed, reused } = compareConfig({ stored: storedConfig, sent, merged }, fields)
  const allChanged = isAuthTypeChange(account, authType) ? ['authType', ...changed] : changed
  if (allChanged.length > 0)
    await assertChangeAllowed(deps, caller, {
      account,
      through: 'sign_in',
      changed: allChanged,
      reused,
    })
}

/** Tokens of a sign-in that serve as keys leave the account under the auth type for keys, without an OAuth app. */
function isAuthTypeChange(account: AccountRow, authType: string): boolean {
  const usesTokenAsApiKey =
    account.oauth_app_id === null && account.status_reason === 'no_refresh_token'
  return account.auth_type !== authType && !usesTokenAsApiKey
}

/**
 * Refuses a configuration whose endpoints would be refused when the person comes back: the app's client secret may not go there, or
 * `x-hosts` does not list them. The requests themselves are checked again.
 *
 * @throws ApiError `oauth_app_secret_required`, `validation_failed`, `integration_bad_output`
 */
export async function assertEndpointsAllowed(
  deps: OAuthFlowDeps,
  actor: Actor,
  { app, type }: Pick<ResolvedStart, 'app' | 'type'>,
  config: Readonly<Record<string, unknown>>,
): Promise<void> {
  const client = await loadOAuthClient(deps, app, { actor })
  const values = templateValues(config, app)
  for (const template of requiredEndpoints(type)) {
    const url = fillUrlTemplate(template, values, type.templateFields)
    if (client.clientSecret !== undefined) await client.endpoints.requireAllowed(url)
    if (type.hosts && !isListed(normalizeHost(new URL(url).hostname), type.hosts))
      throw unlistedHost(template)
  }
}

/** A refresh URL may need what only comes back with sign-in. */
function requiredEndpoints({
  tokenUrl,
  refreshUrl,
  pushedRequestUrl,
  callbackParams,
}: OAuthType): string[] {
  const needsCallbackParams = callbackParams.some((name) => refreshUrl.includes(`\${${name}}`))
  const urls = [tokenUrl, needsCallbackParams ? undefined : refreshUrl, pushedRequestUrl]
  return [...new Set(urls.filter((url) => url !== undefined))]
}

function unlistedHost(template: string): ApiError {
  const start = /^(?:\$\{[^}]*\}|https?:\/\/[^/?#]*)/i.exec(template)?.[0] ?? ''
  const [field] = [...start.matchAll(PLACEHOLDER)].map(([, name]) => name)
  if (field !== undefined)
    return validationFailed(
      fieldError(`config.${field}`, 'not_allowed', 'The integration does not allow this host.'),
    )
  return new ApiError(
    'integration_bad_output',
    "The integration's spec has a sign-in URL whose host its x-hosts does not list.",
  )
}
