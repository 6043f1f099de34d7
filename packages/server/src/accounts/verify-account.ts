import type { Actor } from '../audit/audit-store.ts'
import type { AccessScope } from '../auth/caller.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import { requireDefinition } from '../definitions/require-definition.ts'
import { type PreparedConfig, prepareConfig } from './credentials/prepare-config.ts'
import type { ValidateConfig } from './credentials/validate-config.ts'
import type { CreateAccountThroughLink } from './schemas/account-requests.ts'
import type { CheckConfigDeps, CheckedConfig } from './verification/check-config.ts'
import { getSender } from './verification/rotation-binding.ts'
import { verifyCredentials } from './verification/verify-credentials.ts'

export interface VerifyAccountDeps extends CheckConfigDeps {
  readonly definitions: DefinitionStore
  readonly validateConfig: ValidateConfig
}

/** Creates accounts: a caller of the API, or a visitor of a link, who has no token and no scopes. */
export type AccountCreator = AccessScope & Actor & { readonly scopes?: ReadonlySet<string> }

/** Where a new account belongs. */
export interface AccountTarget {
  readonly workspaceId: string
  readonly linkId?: string
  /** Rejects auth types without OAuth sign-in. */
  readonly oauthOnly?: boolean
  /** The page session of the link that sends the configuration. */
  readonly pageSessionId?: string | undefined
}

/** A new account whose credentials CHECK has accepted. */
export interface VerifiedAccount extends CheckedConfig {
  readonly prepared: PreparedConfig
}

/**
 * The first phase of creating an account: validates the input and verifies the credentials by CHECK. Then runs `insert`,
 * which stores the account with `insertAccount`, while no other request can use its refresh tokens.
 *
 * @throws ApiError `unknown_reference`, `auth_type_not_allowed`, `validation_failed`, `credentials_rejected`,
 * `provider_error`, `provider_timeout`, `renewal_in_progress`, `secret_required`, `integration_…`; what `insert` throws
 */
export async function verifyAccount<T>(
  deps: VerifyAccountDeps,
  caller: AccountCreator,
  target: AccountTarget,
  input: Pick<CreateAccountThroughLink, 'integrationDefinitionId' | 'authType' | 'config'>,
  insert: (verified: VerifiedAccount) => Promise<T>,
): Promise<T> {
  const { workspaceId, pageSessionId } = target
  const { integrationDefinitionId: definitionId, authType, config } = input
  const { read } = deps.database
  const definition = await requireDefinition(deps, read, caller, workspaceId, definitionId)
  const prepared = await prepareConfig(deps.validateConfig, definition, authType, config, target)
  const sender = getSender(caller, pageSessionId)
  const onVerified = (checked: CheckedConfig) => insert({ ...checked, prepared })
  return verifyCredentials(deps, workspaceId, prepared, onVerified, { sender })
}
