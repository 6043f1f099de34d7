import type { RunnerOptions } from '../runner-types.ts'
import type { SpawnedChild } from './spawn-child.ts'

/** Logs what runner children are confined by on this machine. */
export function logConfinement(
  { log }: Pick<RunnerOptions, 'log'>,
  { isBoxed, isFiltered }: Pick<SpawnedChild, 'isBoxed' | 'isFiltered'>,
): void {
  if (isBoxed) log?.('debug', 'runner children run inside bubblewrap')
  else log?.('info', 'bubblewrap does not work here: runner children run without it')
  if (isBoxed && !isFiltered)
    log?.('info', 'seccomp does not work here: runner children run without a filter')
}
