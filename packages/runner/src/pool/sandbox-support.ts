import { realpathSync } from 'node:fs'
import type { RunnerOptions } from '../runner-types.ts'
import { detectBubblewrap } from './detect-bubblewrap.ts'
import type { SpawnedChild } from './spawn-child.ts'

/** Sandboxing features of this system. */
export interface SandboxSupport {
  /** bubblewrap is installed and works. */
  readonly bubblewrap: boolean
  /** The kernel supports our seccomp filter. */
  readonly seccomp: boolean
}

/** Detects the features by starting a process, once; the runner uses the same result. */
export async function detectSandboxSupport(): Promise<SandboxSupport> {
  const sandbox = await detectBubblewrap(realpathSync(process.execPath))
  return { bubblewrap: sandbox !== undefined, seccomp: sandbox?.filter !== undefined }
}

/** Logs which sandboxing features confine runner children on this machine. */
export function logSandboxSupport(
  { log }: Pick<RunnerOptions, 'log'>,
  { hasBubblewrap, hasSeccomp }: Pick<SpawnedChild, 'hasBubblewrap' | 'hasSeccomp'>,
): void {
  const warn = (problem: string, remedy: string) =>
    log?.('warn', `${problem}. ${WHO_IS_AFFECTED} ${remedy}.`)
  if (!hasBubblewrap)
    warn(
      'bubblewrap does not work here: runner children run without it',
      'install bubblewrap and allow user namespaces (docs/self-hosting.md: isolation of bundles in containers)',
    )
  else if (!hasSeccomp)
    warn(
      'seccomp does not work here: runner children run without a filter',
      'use a kernel with seccomp filters',
    )
  else log?.('info', 'runner children run inside bubblewrap with a seccomp filter')
}

const WHO_IS_AFFECTED =
  'That matters if people whom you do not trust can upload bundles; it does not for the catalogue and bundles of your own. To change it,'
