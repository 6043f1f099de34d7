import type { Spec } from '@linchpin/runner'
import type { Definition } from '../../definitions/definition.ts'
import { ApiError, fieldError } from '../../errors.ts'
import type { CheckSubject } from './check-subject.ts'
import { type ConfigFields, configFields, isOAuthType } from './config-fields.ts'
import type { ValidateConfig } from './validate-config.ts'

/** A configuration that matches its spec, ready for CHECK. */
export interface PreparedConfig extends CheckSubject {
  readonly fields: ConfigFields
  readonly definitionId: string
  /** Whether the auth type has a token endpoint, which the bundle may call itself. */
  readonly hasTokenUrl: boolean
}

/** The workspace and link that the account belongs to. */
export interface ConfigContext {
  readonly workspaceId: string
  readonly linkId?: string | null
  /** Rejects auth types without OAuth sign-in. */
  readonly oauthOnly?: boolean
}

/**
 * Validates a configuration against the definition's spec before any bundle code sees it. `authType` inside a
 * configuration is reserved, so the caller's value is dropped.
 *
 * @throws ApiError `auth_type_not_allowed`, `validation_failed`
 */
export async function prepareConfig(
  validateConfig: ValidateConfig,
  definition: Definition,
  authType: string,
  input: Readonly<Record<string, unknown>>,
  context: ConfigContext,
): Promise<PreparedConfig> {
  const { spec } = definition
  const fields = configFields(spec, authType)
  if (fields === undefined || (context.oauthOnly && !isOAuthType(spec, authType)))
    throw authTypeNotAllowed(spec, context.oauthOnly ?? false)
  const { authType: _ignored, ...config } = input
  const { definitionId } = definition
  const { workspaceId, linkId } = context
  const tenant = { workspaceId, definitionId, linkId: linkId ?? undefined }
  await validateConfig(fields, config, tenant)
  return {
    definitionId,
    tenant,
    sha256: definition.bundleSha256,
    hosts: spec['x-hosts'],
    authType,
    config,
    fields,
    hasTokenUrl: Boolean(spec.auth_specification[authType]?.token_url),
  }
}

function authTypeNotAllowed(spec: Spec, oauthOnly: boolean): ApiError {
  const allowed = Object.keys(spec.auth_specification).filter(
    (authType) => !oauthOnly || isOAuthType(spec, authType),
  )
  const message =
    allowed.length === 0
      ? 'This link requires OAuth, which this integration does not support.'
      : `Must be one of ${allowed.map((name) => JSON.stringify(name)).join(', ')}.`
  return new ApiError('auth_type_not_allowed', `authType: ${message}`, {
    errors: fieldError('authType', 'not_allowed', message),
  })
}
