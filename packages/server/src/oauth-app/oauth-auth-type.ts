import type { Spec } from '@linchpin/runner'
import { type OAuthType, readOAuthType } from '../oauth/auth-type.ts'
import type { DefinitionRow } from '../storage/tables.ts'

/** An auth type that people go through at the provider's own page. */
export interface AppAuthType {
  readonly authType: string
  readonly type: OAuthType
  /** `x-refresh: "always"` in the spec: the provider sends refresh tokens unasked. */
  readonly refreshesAlways: boolean
}

/** The auth type that connections use unless told otherwise: `OAuth2`, else the first with sign-in at the provider. */
export function appAuthType(definition: Pick<DefinitionRow, 'spec'>): AppAuthType | undefined {
  const spec = JSON.parse(definition.spec) as Spec
  const all = Object.entries(spec.auth_specification).flatMap(([authType, auth]) => {
    const type = readOAuthType(spec, authType)
    const { 'x-refresh': refresh }: Readonly<Record<string, unknown>> = { ...auth }
    return type === undefined ? [] : [{ authType, type, refreshesAlways: refresh === 'always' }]
  })
  return all.find(({ authType }) => authType === 'OAuth2') ?? all[0]
}
