import type { Spec } from '@linchpin/runner'
import { type OAuthType, parseOAuthType } from './parse-oauth-type.ts'

/** An auth type with sign-in at the provider, by its name in the spec. */
export interface NamedOAuthType {
  readonly authType: string
  readonly type: OAuthType
}

/** Every auth type of a spec that has sign-in at the provider, in the order of the spec. */
export function oauthTypes(spec: Spec): NamedOAuthType[] {
  return Object.keys(spec.auth_specification).flatMap((authType) => {
    const type = parseOAuthType(spec, authType)
    return type === undefined ? [] : [{ authType, type }]
  })
}

/** The one that connections use unless told otherwise: `OAuth2`, else the first. */
export function defaultOAuthType(spec: Spec): NamedOAuthType | undefined {
  const types = oauthTypes(spec)
  return types.find(({ authType }) => authType === 'OAuth2') ?? types[0]
}
