import type { PreparedConfig } from '../config/prepare-config.ts'
import {
  type CheckConfigDeps,
  type CheckConfigOptions,
  type CheckedConfig,
  checkConfig,
} from './check-config.ts'
import { refuseUnlessAccepted } from './refuse-unless-accepted.ts'

/**
 * Proves by CHECK that a configuration works, and runs `use` while no other request can use its refresh token.
 *
 * @throws ApiError `credentials_rejected`, `provider_error`, `provider_timeout`, `integration_bad_output`,
 * `renewal_in_progress`; RunnerError
 */
export function proveConfig<T>(
  deps: CheckConfigDeps,
  workspaceId: string,
  prepared: PreparedConfig,
  use: (proven: CheckedConfig) => Promise<T>,
  options: CheckConfigOptions,
): Promise<T> {
  const proven = async (checked: CheckedConfig) => {
    refuseUnlessAccepted(checked.outcome)
    return use(checked)
  }
  return checkConfig(deps, workspaceId, prepared, proven, options)
}
