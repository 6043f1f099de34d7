import type { Spec } from '@linchpin/runner'
import { type OAuthType, readOAuthType } from './auth-type.ts'

/** An auth type with sign-in at the provider, by its name in the spec. */
export interface NamedOAuthType {
  readonly authType: string
  readonly type: OAuthType
}

/** Every auth type of a spec that has sign-in at the provider, in the order of the spec. */
export function oauthTypes(spec: Spec): NamedOAuthType[] {
  return Object.keys(spec.auth_specification).flatMap((authType) => {
    const type = readOAuthType(spec, authType)
    return type === undefined ? [] : [{ authType, type }]
  })
}

/** The one that connections use unless told otherwise: `OAuth2`, else the first. */
export function usualOAuthType(spec: Spec): NamedOAuthType | undefined {
  const all = oauthTypes(spec)
  return all.find(({ authType }) => authType === 'OAuth2') ?? all[0]
}
