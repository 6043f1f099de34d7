import { type LastExchange, RunnerError } from '@linchpin/runner'
import { type CheckSubject, isUnreachable, type RunCheckDeps } from './run-check.ts'

/** Who the provider says that credentials belong to. */
export interface Identity {
  /** The provider's id; null when the integration does not tell. */
  readonly id: string | null
  /** What people call it there; undefined when the integration does not tell. */
  readonly label: string | undefined
  /** How the last request went when the provider was not there to tell; undefined when it was, or was not asked. */
  readonly unreachable?: LastExchange | undefined
}

/** Asks the integration. It need not have IDENTITY: whatever is no identity counts as none. */
export async function fetchIdentity(deps: RunCheckDeps, subject: CheckSubject): Promise<Identity> {
  const { sha256, tenant, hosts, authType, config, tokens, secret } = subject
  try {
    const { value, lastExchange } = await deps.runner.run({
      bundle: deps.bundles.bundle(sha256),
      tenant,
      command: 'IDENTITY',
      params: { config: { ...config, authType } },
      hosts,
      tokens,
      secret,
    })
    const { id, label } = (value ?? {}) as { id?: unknown; label?: unknown }
    const identityId = shortText(typeof id === 'number' ? formatNumericId(id) : id, 255)
    if (identityId === undefined)
      return { ...unknownIdentity(lastExchange), label: shortText(label, 100) }
    return { id: identityId, label: shortText(label, 100) }
  } catch (error) {
    if (error instanceof RunnerError) return unknownIdentity(error.lastExchange)
    throw error
  }
}

function unknownIdentity(lastExchange: LastExchange): Identity {
  const unreachable = isUnreachable(lastExchange) ? lastExchange : undefined
  return { id: null, label: undefined, unreachable }
}

/** Ids of providers are numbers as often as texts; those that JSON cannot carry whole are none. */
function formatNumericId(id: number): string | undefined {
  return Number.isSafeInteger(id) ? String(id) : undefined
}

function shortText(value: unknown, maxLength: number): string | undefined {
  const isText = typeof value === 'string' && value.length <= maxLength && value.isWellFormed()
  return isText && /^[^\p{Cc}]+$/u.test(value) && value.trim() !== '' ? value : undefined
}
