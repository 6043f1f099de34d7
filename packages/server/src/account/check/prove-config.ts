import type { PreparedConfig } from '../config/prepare-config.ts'
import { refuseUnlessAccepted } from './refuse-unless-accepted.ts'
import { type RotatedConfig, type RotateFirstDeps, rotateFirst } from './rotate-first.ts'
import { runCheck } from './run-check.ts'

/**
 * Proves a configuration to work. Where the bundle may renew tokens by itself HEADERS runs before CHECK, since only
 * HEADERS tells of the tokens that it got. After a rotation there is no CHECK: it would use up the new refresh token and
 * tell nobody, and the rotation is proof.
 *
 * @throws ApiError `credentials_rejected`, `provider_error`, `provider_timeout`, `integration_bad_output`; RunnerError
 */
export async function proveConfig(
  deps: RotateFirstDeps,
  workspaceId: string,
  prepared: PreparedConfig,
): Promise<RotatedConfig> {
  const proven = await rotateFirst(deps, workspaceId, prepared)
  if (!proven.isRotated)
    refuseUnlessAccepted(await runCheck(deps, { ...prepared, config: proven.config }))
  return proven
}
