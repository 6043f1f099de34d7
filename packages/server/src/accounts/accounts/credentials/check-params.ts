import type { Bundle, Tenant, TokenObserver } from '@linchpin/runner'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { SecretGuard } from '../../../integrations/oauth/token/client-request.ts'
import type { Id } from '../../../platform/storage/id.ts'
import type { Account } from '../account.ts'

/** The tenant on whose behalf a bundle runs. */
export type AccountTenant = Tenant & {
  readonly workspaceId: WorkspaceId
  readonly linkId?: Id<'lnk'> | undefined
}

/** The input of a bundle command that uses credentials: CHECK, HEADERS or IDENTITY. `hosts` comes from the spec. */
export interface CheckParams {
  readonly bundle: Bundle
  readonly tenant: AccountTenant
  readonly hosts: readonly string[] | undefined
  readonly authType: string
  readonly config: Readonly<Record<string, unknown>>
  /** Observes the tokens that the bundle obtains. */
  readonly tokens?: TokenObserver
  /** Withholds the client secret in the configuration from hosts other than those of its OAuth app. */
  readonly secret?: SecretGuard | undefined
}

/** The tenant of an account or of an OAuth session. */
export function getRunnerTenant({
  workspaceId,
  definitionId,
  linkId,
}: Pick<Account, 'workspaceId' | 'definitionId' | 'linkId'>): AccountTenant {
  return { workspaceId, definitionId, linkId: linkId ?? undefined }
}
