import { isListed, normalizeHost } from '@linchpin/runner'
import type { Actor } from '../../audit/audit-store.ts'
import { ApiError, fieldError, validationFailed } from '../../errors.ts'
import type { OAuthType } from '../../oauth/spec/parse-oauth-type.ts'
import { PLACEHOLDER } from '../../oauth/template/template-value.ts'
import { fillUrlTemplate } from '../../oauth/template/url-template.ts'
import { loadOAuthClient } from '../../oauth-apps/load-oauth-client.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { ResolvedStart } from './resolve-start.ts'
import { templateValues } from './validate-start-config.ts'

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
