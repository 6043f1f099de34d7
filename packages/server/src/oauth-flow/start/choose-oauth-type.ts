import type { Spec } from '@linchpin/runner'
import { ApiError, fieldError } from '../../errors.ts'
import { defaultOAuthType, type NamedOAuthType, oauthTypes } from '../../oauth/spec/oauth-types.ts'

/**
 * The auth type to sign in with: the one named, else the usual one.
 *
 * @throws ApiError `auth_type_not_allowed`
 */
export function chooseOAuthType(spec: Spec, requested: string | null | undefined): NamedOAuthType {
  const all = oauthTypes(spec)
  const chosen =
    requested == null ? defaultOAuthType(spec) : all.find(({ authType }) => authType === requested)
  if (chosen !== undefined) return chosen
  const names = all.map(({ authType }) => JSON.stringify(authType)).join(', ')
  const message =
    names === ''
      ? 'This integration has no auth type with sign-in at the provider.'
      : `Must be one of ${names}.`
  throw new ApiError('auth_type_not_allowed', `authType: ${message}`, {
    errors: fieldError('authType', 'not_allowed', message),
  })
}
