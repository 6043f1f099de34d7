import type { PreparedConfig } from '../config/prepare-config.ts'
import { configText } from '../renewal/grant/open-grant.ts'
import { refuseUnlessAccepted } from './refuse-unless-accepted.ts'
import { type RotateByHeadersDeps, rotateByHeaders } from './rotate-by-headers.ts'
import { runCheck } from './run-check.ts'

/** A configuration that the provider has accepted. */
export interface ProvenConfig {
  /** With the tokens that the bundle got by itself meanwhile. */
  readonly config: Readonly<Record<string, unknown>>
  /** Whether the bundle has replaced the tokens. */
  readonly isRotated: boolean
  /** When the access token ends, in epoch milliseconds; null when unknown. */
  readonly expiresAt: number | null
}

/**
 * Proves a configuration to work. Where the bundle may renew tokens by itself HEADERS runs before CHECK, since only
 * HEADERS tells of the tokens that it got. After a rotation there is no CHECK: it would use up the new refresh token and
 * tell nobody, and the rotation is proof.
 *
 * @throws ApiError `credentials_rejected`, `provider_error`, `provider_timeout`, `integration_bad_output`; RunnerError
 */
export async function proveConfig(
  deps: RotateByHeadersDeps,
  prepared: PreparedConfig,
): Promise<ProvenConfig> {
  const { config, hasTokenUrl } = prepared
  const mayRotate = hasTokenUrl && configText(config, 'refresh_token') !== undefined
  const rotated = mayRotate ? await rotateByHeaders(deps, prepared) : undefined
  if (rotated === undefined) {
    refuseUnlessAccepted(await runCheck(deps, prepared))
    return { config, isRotated: false, expiresAt: null }
  }
  const { refreshToken, accessToken, expiresAt } = rotated
  const tokens = {
    refresh_token: refreshToken,
    ...(accessToken === undefined ? {} : { access_token: accessToken }),
  }
  return { config: { ...config, ...tokens }, isRotated: true, expiresAt: expiresAt ?? null }
}
