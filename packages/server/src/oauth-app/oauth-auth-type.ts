import type { AuthSpecification, Spec } from '@linchpin/runner'
import type { DefinitionRow } from '../storage/tables.ts'

/** An auth type that people go through at the provider's own page. */
export interface OAuthAuthType {
  readonly name: string
  readonly auth: AuthSpecification
  readonly spec: Spec
}

/** The first auth type of a definition that has both an authorization and a token endpoint: the one that apps serve. */
export function firstOAuthType(definition: Pick<DefinitionRow, 'spec'>): OAuthAuthType | undefined {
  const spec = JSON.parse(definition.spec) as Spec
  const found = Object.entries(spec.auth_specification).find(
    ([, auth]) => auth.authorization_url && auth.token_url,
  )
  return found && { name: found[0], auth: found[1], spec }
}
