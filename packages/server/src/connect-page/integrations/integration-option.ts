import type { DefinitionSummaryRow } from '../../definitions/definition-store.ts'
import type { AuthMethod } from '../form/auth-method.ts'

/** An integration that the link allows. */
export interface IntegrationOption {
  readonly definition: DefinitionSummaryRow
  /** The methods that the link accepts, sign-in first. */
  readonly authMethods: readonly AuthMethod[]
  /** Those that can be used now: sign-in requires an OAuth app. */
  readonly available: readonly AuthMethod[]
}
