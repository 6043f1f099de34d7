import { type LastExchange, RunnerError } from '@linchpin/runner'
import type { CheckParams } from '../credentials/check-params.ts'
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

/** Runs IDENTITY, which is optional for integrations: any failure or malformed result counts as unknown. */
export async function fetchIdentity(deps: RunCheckDeps, subject: CheckParams): Promise<Identity> {
  const { bundle, tenant, hosts, authType, config, tokens, secret } = subject
  try {
    const { value, lastExchange } = await deps.runner.run({
      bundle,
      tenant,
      command: 'IDENTITY',
      params: { config: { ...config, authType } },
      hosts,
      tokens,
      secret,
    })
    const { id, label } = (value ?? {}) as { id?: unknown; label?: unknown }
    const identityId = truncateText(typeof id === 'number' ? formatNumericId(id) : id, 255)
    if (identityId === undefined)
      return { ...createUnknownIdentity(lastExchange), label: truncateText(label, 100) }
    return { id: identityId, label: truncateText(label, 100) }
  } catch (error) {
    if (error instanceof RunnerError) return createUnknownIdentity(error.lastExchange)
    throw error
  }
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
