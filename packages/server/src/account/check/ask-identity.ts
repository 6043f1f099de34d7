import { RunnerError } from '@linchpin/runner'
import type { CheckSubject, RunCheckDeps } from './run-check.ts'

/** Who the provider says that credentials belong to. */
export interface Identity {
  /** The provider's id; null when the integration does not tell. */
  readonly id: string | null
  /** What people call it there; undefined when the integration does not tell. */
  readonly label: string | undefined
}

/** Asks the integration. It need not have IDENTITY: whatever is no identity counts as none. */
export async function askIdentity(deps: RunCheckDeps, subject: CheckSubject): Promise<Identity> {
  const { sha256, hosts, authType, config } = subject
  try {
    const { value } = await deps.runner.run({
      bundle: deps.bundles.bundle(sha256),
      command: 'IDENTITY',
      params: { config: { ...config, authType } },
      hosts,
    })
    const { id, label } = (value ?? {}) as { id?: unknown; label?: unknown }
    return { id: shortText(id, 255) ?? null, label: shortText(label, 100) }
  } catch (error) {
    if (error instanceof RunnerError) return { id: null, label: undefined }
    throw error
  }
}

function shortText(value: unknown, most: number): string | undefined {
  const isText = typeof value === 'string' && value.length <= most && value.isWellFormed()
  return isText && /^[^\p{Cc}]+$/u.test(value) && value.trim() !== '' ? value : undefined
}
