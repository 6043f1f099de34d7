import { RunnerError } from '@linchpin/runner'
import type { CheckSubject, RunCheckDeps } from '../../account/check/run-check.ts'

/** Tokens in hand. */
export interface HeldTokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** Epoch milliseconds; undefined when unknown. */
  readonly expiresAt: number | undefined
}

/**
 * Runs HEADERS. Bundles of the older kit renew tokens there by themselves and answer the new refresh token among the
 * headers: from then on it is the only good one. Undefined: nothing was rotated.
 */
export async function rotateByHeaders(
  deps: RunCheckDeps & { readonly now: () => number },
  { sha256, hosts, authType, config }: CheckSubject,
  held: HeldTokens,
): Promise<HeldTokens | undefined> {
  try {
    const { value } = await deps.runner.run({
      bundle: deps.bundles.bundle(sha256),
      command: 'HEADERS',
      params: { config: { ...config, authType } },
      hosts,
    })
    const headers = Object.entries(isObject(value) ? value : {})
    const find = (name: RegExp) => headers.find(([key]) => name.test(key))?.[1]
    const refreshToken = find(/^refresh[-_]token$/i)
    if (!isToken(refreshToken) || refreshToken === held.refreshToken) return undefined
    const [, bearer] = /^Bearer (\S+)$/i.exec(String(find(/^authorization$/i))) ?? []
    if (!isToken(bearer) || bearer === 'undefined') return { ...held, refreshToken }
    const seconds = Number(find(/^expiry$/i))
    const expiresAt = seconds > 0 && seconds < 1e9 ? deps.now() + seconds * 1_000 : undefined
    return { accessToken: bearer, refreshToken, expiresAt }
  } catch (error) {
    // What HEADERS cannot do, CHECK will tell.
    if (error instanceof RunnerError) return undefined
    throw error
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Visible ASCII, as every token that a header can carry. */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value)
}
