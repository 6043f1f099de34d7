import type { Spec, Tenant } from '@linchpin/runner'
import { configFields } from '../../accounts/credentials/config-fields.ts'
import type { ValidateConfig } from '../../accounts/credentials/validate-config.ts'
import { ApiError, fieldError, validationFailed } from '../../errors.ts'
import type { NamedOAuthType } from '../../oauth/spec/oauth-types.ts'
import { TemplateError } from '../../oauth/template/template-error.ts'
import { fillUrlTemplate } from '../../oauth/template/url-template.ts'
import type { DefinitionRow, OAuthAppRow } from '../../storage/tables.ts'
import { promptFields } from './prompt-fields.ts'

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

/** What `${name}` in URLs and parameters of a spec is filled from. */
export function templateValues(
  config: Readonly<Record<string, unknown>>,
  app: Pick<OAuthAppRow, 'client_id'>,
): Record<string, unknown> {
  return { ...config, client_id: app.client_id }
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
