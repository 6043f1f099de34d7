import type { PreparedConfig } from '../credentials/prepare-config.ts'
import { assertAccepted } from './assert-accepted.ts'
import {
  type CheckConfigDeps,
  type CheckConfigOptions,
  type CheckedConfig,
  checkConfig,
} from './check-config.ts'

/**
 * Proves by CHECK that a configuration works, and runs `use` while no other request can use its refresh token.
 *
 * @throws ApiError `credentials_rejected`, `provider_error`, `provider_timeout`, `integration_bad_output`,
 * `renewal_in_progress`; RunnerError
 */
export function verifyCredentials<T>(
  deps: CheckConfigDeps,
  workspaceId: string,
  prepared: PreparedConfig,
  onVerified: (verified: CheckedConfig) => Promise<T>,
  options: CheckConfigOptions,
): Promise<T> {
  const onChecked = async (checked: CheckedConfig) => {
    assertAccepted(checked.outcome)
    return onVerified(checked)
  }
  return checkConfig(deps, workspaceId, prepared, onChecked, options)
}
