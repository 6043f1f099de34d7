import { isListed, normalizeHost } from '@linchpin/runner'
import type { WorkspaceAccess } from '../../../access/auth/caller.ts'
import type { Account } from '../../../accounts/accounts/account.ts'
import {
  assertHeadersFillable,
  listConfigFields,
} from '../../../accounts/accounts/credentials/account-config.ts'
import {
  assertChangeAllowed,
  type ChangeCaller,
  compareConfig,
} from '../../../accounts/accounts/credentials/config-change.ts'
import {
  dropProviderFields,
  listPromptFields,
} from '../../../accounts/accounts/credentials/list-prompt-fields.ts'
import { trimConfig } from '../../../accounts/accounts/credentials/validate-config.ts'
import type { OAuthType } from '../../../integrations/oauth/spec/parse-oauth-type.ts'
import {
  fillUrlTemplate,
  PLACEHOLDER,
  TemplateError,
} from '../../../integrations/oauth/template.ts'
import { loadOAuthClient } from '../../../integrations/oauth-apps/load-oauth-client.ts'
import { ApiError, fieldError, validationFailed } from '../../../platform/errors.ts'
import type { Actor } from '../../../platform/record/change.ts'
import { newId } from '../../../platform/storage/id.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { StartOAuth } from '../oauth-schemas.ts'
import {
  OAUTH_SESSION,
  type OAuthSession,
  type OAuthSessionSecrets,
} from '../session/oauth-session.ts'
import { getTemplateValues } from '../session/session-context.ts'
import type { OAuthStartContext } from './oauth-start-context.ts'

type Config = Readonly<Record<string, unknown>>

/**
 * Validates the configuration of a start, before the user or any secret is sent anywhere, and returns the secrets of
 * its session.
 *
 * @throws ApiError `validation_failed` naming `config.…`; `secret_required`; `oauth_app_secret_required`;
 * `integration_bad_output` when the URLs of the spec itself are invalid
 */
export async function validateStart(
  deps: OAuthFlowDeps,
  caller: ChangeCaller,
  target: OAuthStartContext,
  requestedConfig: Config | null | undefined,
): Promise<OAuthSessionSecrets> {
  const fields = listConfigFields(target.spec, target.authType)
  const inputConfig = trimConfig(fields, dropProviderFields(requestedConfig ?? {}))
  const secrets = generateSessionSecrets(target, inputConfig)
  await validateFields(deps, target, secrets.config)
  await assertReconnectAllowed(deps, caller, target, inputConfig, secrets.config)
  await assertEndpointsAllowed(deps, caller, target, secrets.config)
  return secrets
}

/** Validates the fields that users fill in, and that the configuration fills the URLs of the flow. */
async function validateFields(
  deps: Pick<OAuthFlowDeps, 'validateConfig'>,
  { authType, type, spec, app, tenant }: OAuthStartContext,
  config: Config,
): Promise<void> {
  const fields = listConfigFields(spec, authType)
  if (fields !== undefined)
    await deps.validateConfig(listPromptFields(fields, type), config, tenant)
  assertHeadersFillable(spec, authType, config)
  const values = getTemplateValues(config, app)
  try {
    for (const url of [...listRequiredEndpoints(type), type.authorizationUrl])
      fillUrlTemplate(url, values, type.templateFields)
  } catch (error) {
    if (error instanceof TemplateError) throw toTemplateApiError(error)
    throw error
  }
}

/** The error of a URL of the spec that a configuration cannot fill. */
export function toTemplateApiError(error: TemplateError): ApiError {
  if (error.field === undefined)
    return new ApiError(
      'integration_bad_output',
      "The integration's spec has an invalid OAuth URL.",
      { cause: error },
    )
  return validationFailed(fieldError(`config.${error.field}`, 'invalid', error.message))
}

/** The endpoints that receive secrets. Token and refresh URL may need values that only the callback provides. */
function listRequiredEndpoints({
  tokenUrl,
  refreshUrl,
  pushedRequestUrl,
  callbackParams,
}: OAuthType): string[] {
  const urls = [tokenUrl, refreshUrl, pushedRequestUrl].filter((url) => url !== undefined)
  const isKnown = (url: string) => !callbackParams.some((name) => url.includes(`\${${name}}`))
  return [...new Set(urls.filter(isKnown))]
}

/**
 * Applies the rule for updates to a reconnect, which reuses the stored configuration of the account. Records every
 * change before the browser, the integration or the provider receives it.
 *
 * @param sent what the caller sent, without the fields that the provider fills
 * @param merged the stored configuration, overwritten with `sent`
 */
async function assertReconnectAllowed(
  deps: OAuthFlowDeps,
  caller: ChangeCaller,
  { account, storedConfig, spec, authType }: OAuthStartContext,
  sent: Config,
  merged: Config,
): Promise<void> {
  const fields = listConfigFields(spec, authType)
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

/**
 * An account that uses its OAuth token as an API key has the auth type for keys and no OAuth app: that is no change.
 */
function isAuthTypeChange(account: Account, authType: string): boolean {
  const usesTokenAsApiKey =
    account.oauthAppId === null && account.statusReason === 'no_refresh_token'
  return account.authType !== authType && !usesTokenAsApiKey
}

/**
 * Rejects a configuration whose endpoints would be rejected after the callback, because they may not receive the client
 * secret or `x-hosts` does not list them. The requests themselves are checked again.
 */
async function assertEndpointsAllowed(
  deps: OAuthFlowDeps,
  actor: Actor,
  { app, type }: Pick<OAuthStartContext, 'app' | 'type'>,
  config: Config,
): Promise<void> {
  const client = await loadOAuthClient(deps, app, { actor })
  const values = getTemplateValues(config, app)
  for (const template of listRequiredEndpoints(type)) {
    const url = fillUrlTemplate(template, values, type.templateFields)
    if (client.clientSecret !== undefined) await client.endpoints.requireAllowed(url)
    if (type.hosts && !isListed(normalizeHost(new URL(url).hostname), type.hosts))
      throw findUnlistedHost(template)
  }
}

function findUnlistedHost(template: string): ApiError {
  const start = /^(?:\$\{[^}]*\}|https?:\/\/[^/?#]*)/i.exec(template)?.[0] ?? ''
  const [field] = [...start.matchAll(PLACEHOLDER)].map(([, name]) => name)
  if (field !== undefined)
    return validationFailed(
      fieldError(`config.${field}`, 'not_allowed', 'The integration does not allow this host.'),
    )
  return new ApiError(
    'integration_bad_output',
    "The integration's spec has an OAuth URL whose host is not listed in its x-hosts.",
  )
}

/** How long a session lasts from its start to the callback. */
export const SESSION_TTL_MS = 10 * 60_000

/** Creates the row of a new session, not yet bound to a page or a browser. */
export function createOAuthSessionRecord(
  { workspace, definition, app, link, account, authType }: OAuthStartContext,
  starter: WorkspaceAccess & Pick<Actor, 'tokenId'>,
  input: StartOAuth,
  now: number,
): OAuthSession {
  return OAUTH_SESSION.create({
    sessionId: newId('att', now),
    workspaceId: workspace.workspaceId,
    definitionId: definition.definitionId,
    oauthAppId: app.oauthAppId,
    linkId: link?.linkId,
    accountId: account?.accountId,
    userId: starter.userId,
    tokenId: starter.tokenId,
    authType,
    // A reconnect without a name keeps the account's name.
    name: input.integrationAccountName ?? '',
    accountIdentifier: input.accountIdentifier,
    redirectUrl: input.redirectURL,
    needsConfirmation: input.confirm ?? true,
    allowsOtherIdentity: input.allowOtherIdentity ?? false,
    createdAt: now,
    expiresAt: now + SESSION_TTL_MS,
  })
}

/** The secrets of a new session. The input overwrites the stored configuration of the account to reconnect. */
function generateSessionSecrets(
  target: OAuthStartContext,
  inputConfig: Readonly<Record<string, unknown>>,
): OAuthSessionSecrets {
  const { definition, app, storedConfig, spec, authType, requestedScopes, addedScopes } = target
  const { discovered } = target
  // Required fields must have come from the user, not from an earlier sign-in.
  const requiredFields = listConfigFields(spec, authType)?.required ?? []
  const earlier = Object.keys(storedConfig).filter(
    (name) => !requiredFields.includes(name) && !Object.hasOwn(inputConfig, name),
  )
  return {
    config: { ...storedConfig, ...inputConfig },
    ...(earlier.length === 0 ? {} : { earlier }),
    bundleSha256: definition.bundleSha256,
    clientId: app.clientId,
    requestedScopes,
    ...(addedScopes === undefined ? {} : { addedScopes }),
    ...(discovered === undefined ? {} : { discovered }),
  }
}
