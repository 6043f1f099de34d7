import { RunnerError } from '@linchpin/runner'
import { ApiError } from '../../errors.ts'
import type { CheckSubject, RunCheckDeps } from './run-check.ts'
import { runHeaders } from './run-headers.ts'

/** What a bundle got by itself. */
export interface RotatedTokens {
  /** From now on the only good one. */
  readonly refreshToken: string
  /** Undefined when the headers carry none that can be told. */
  readonly accessToken: string | undefined
  /** When the access token ends, in epoch milliseconds; undefined when unknown. */
  readonly expiresAt: number | undefined
}

export interface RotateByHeadersDeps extends RunCheckDeps {
  readonly now: () => number
}

/**
 * Runs HEADERS. Bundles of the older kit renew tokens there by themselves and answer the new refresh token among the
 * headers: it has to be kept. Undefined: nothing was rotated.
 */
export async function rotateByHeaders(
  deps: RotateByHeadersDeps,
  subject: CheckSubject,
): Promise<RotatedTokens | undefined> {
  try {
    const { refreshToken, accessToken, lifeMs } = await runHeaders(deps, subject)
    if (refreshToken === undefined || refreshToken === subject.config.refresh_token)
      return undefined
    const isKnown = accessToken !== undefined && lifeMs !== undefined
    return { refreshToken, accessToken, expiresAt: isKnown ? deps.now() + lifeMs : undefined }
  } catch (error) {
    // What HEADERS cannot do, CHECK will tell.
    if (error instanceof RunnerError || error instanceof ApiError) return undefined
    throw error
  }
}
