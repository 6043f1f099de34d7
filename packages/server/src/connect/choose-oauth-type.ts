import type { Spec } from '@linchpin/runner'
import { ApiError, fieldError } from '../errors.ts'
import { type OAuthType, readOAuthType } from '../oauth/auth-type.ts'

/** An auth type with sign-in at the provider, by its name in the spec. */
export interface ChosenType {
  readonly authType: string
  readonly type: OAuthType
}

/**
 * The auth type to sign in with: the one named, else `OAuth2`, else the first that has sign-in.
 *
 * @throws ApiError `auth_type_not_allowed`
 */
export function chooseOAuthType(spec: Spec, named: string | null | undefined): ChosenType {
  const all = Object.keys(spec.auth_specification).flatMap((authType) => {
    const type = readOAuthType(spec, authType)
    return type === undefined ? [] : [{ authType, type }]
  })
  const wanted =
    named == null
      ? (all.find(({ authType }) => authType === 'OAuth2') ?? all[0])
      : all.find(({ authType }) => authType === named)
  if (wanted !== undefined) return wanted
  const names = all.map(({ authType }) => JSON.stringify(authType)).join(', ')
  const message =
    names === ''
      ? 'This integration has no auth type with sign-in at the provider.'
      : `Must be one of ${names}.`
  throw new ApiError('auth_type_not_allowed', `authType: ${message}`, {
    errors: fieldError('authType', 'not_allowed', message),
  })
}
