import { type LastExchange, RunnerError, type TokenObserver } from '@linchpin/runner'
import type { CheckParams } from '../credentials/check-params.ts'
import { withObservedTokens } from './rotated-tokens.ts'
import { isUnreachable, type RunCheckDeps } from './run-check.ts'

/** The provider's user that credentials belong to. */
export interface Identity {
  /** The provider's id of the user; null if the integration does not return one. */
  readonly id: string | null
  /** A display name; undefined if the integration does not return one. */
  readonly label: string | undefined
  /** Set if the provider could not be reached: how the last request failed. */
  readonly unreachable?: LastExchange | undefined
}

/**
 * Runs IDENTITY after CHECK, with the newest access tokens. IDENTITY is optional for integrations: any failure or malformed
 * result counts as unknown. Waits for the token requests that it has started.
 */
export async function fetchIdentity(
  { runner }: RunCheckDeps,
  subject: CheckParams & { readonly tokens: TokenObserver },
): Promise<Identity> {
  const { bundle, tenant, hosts, authType, tokens, secret } = subject
  try {
    const params = { config: { ...withNewAccessTokens(subject.config, tokens), authType } }
    const call = { bundle, tenant, command: 'IDENTITY', params, hosts, tokens, secret } as const
    const { value, lastExchange } = await runner.run(call)
    const { id, label } = (value ?? {}) as { id?: unknown; label?: unknown }
    const identityId = truncateText(typeof id === 'number' ? formatNumericId(id) : id, 255)
    if (identityId === undefined)
      return { ...createUnknownIdentity(lastExchange), label: truncateText(label, 100) }
    return { id: identityId, label: truncateText(label, 100) }
  } catch (error) {
    if (error instanceof RunnerError) return createUnknownIdentity(error.lastExchange)
    throw error
  } finally {
    await tokens.settled()
  }
}

/** The refresh tokens stay as CHECK had them, so that the observer returns the first response at their next use. */
function withNewAccessTokens(
  config: CheckParams['config'],
  { tokens }: TokenObserver,
): CheckParams['config'] {
  if (tokens.length === 0) return config
  const accessTokens = tokens.map((token) => ({ ...token, refreshToken: undefined }))
  return withObservedTokens(config, accessTokens)
}

function createUnknownIdentity(lastExchange: LastExchange): Identity {
  const unreachable = isUnreachable(lastExchange) ? lastExchange : undefined
  return { id: null, label: undefined, unreachable }
}

/** Accepts numeric ids, except those that JSON cannot represent exactly. */
function formatNumericId(id: number): string | undefined {
  return Number.isSafeInteger(id) ? String(id) : undefined
}

function truncateText(value: unknown, maxLength: number): string | undefined {
  const isText = typeof value === 'string' && value.length <= maxLength && value.isWellFormed()
  return isText && /^[^\p{Cc}]+$/u.test(value) && value.trim() !== '' ? value : undefined
}
