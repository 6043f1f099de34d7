import type { RunnerOptions } from '../runner-types.ts'
import type { SpawnedChild } from './spawn-child.ts'

/** Logs which sandboxing features confine runner children on this machine. */
export function logJailSupport(
  { log }: Pick<RunnerOptions, 'log'>,
  { hasBubblewrap, hasSeccomp }: Pick<SpawnedChild, 'hasBubblewrap' | 'hasSeccomp'>,
): void {
  if (hasBubblewrap) log?.('debug', 'runner children run inside bubblewrap')
  else log?.('info', 'bubblewrap does not work here: runner children run without it')
  if (hasBubblewrap && !hasSeccomp)
    log?.('info', 'seccomp does not work here: runner children run without a filter')
}
