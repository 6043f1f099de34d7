import type { Spec } from '@linchpin/runner'
import { type OAuthType, parseOAuthType } from './parse-oauth-type.ts'

/** An OAuth type and its name in the spec. */
export interface NamedOAuthType {
  readonly authType: string
  readonly type: OAuthType
}

/** All OAuth types of a spec, in the order of the spec. */
export function listOAuthTypes(spec: Spec): NamedOAuthType[] {
  return Object.keys(spec.auth_specification).flatMap((authType) => {
    const type = parseOAuthType(spec, authType)
    return type === undefined ? [] : [{ authType, type }]
  })
}

/** The OAuth type that is used when the request names none: `OAuth2`, otherwise the first. */
export function getDefaultOAuthType(spec: Spec): NamedOAuthType | undefined {
  const types = listOAuthTypes(spec)
  return types.find(({ authType }) => authType === 'OAuth2') ?? types[0]
}
