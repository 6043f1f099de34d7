import { existsSync } from 'node:fs'

/**
 * Runs a command, and everything that it starts, with this niceness from the beginning.
 *
 * Linux schedules sessions as groups (autogroup, sched(7)): niceness only applies among the processes of one session,
 * and a child is the leader of its own session. So the niceness is set for the session as well. Unprivileged processes
 * of the machine may do that once in 100 ms. It takes a shell; our container image has none, and only `nice`.
 */
export function withLowPriority(command: readonly string[], nice: number, shell = SHELL): string[] {
  if (!existsSync(NICE)) return [...command]
  if (!existsSync(shell)) return [NICE, '-n', String(nice), ...command]
  return [shell, '-c', SCRIPT, 'sh', String(nice), ...command]
}

const SHELL = '/bin/sh'
const NICE = '/usr/bin/nice'

// `exec` preserves the process id, and with it the group that is killed.
const SCRIPT = [
  'nice=$1; shift',
  'for attempt in 1 2 3 4 5 6 7 8 9 10; do',
  '  [ -w /proc/self/autogroup ] || break',
  '  echo "$nice" 2>/dev/null >/proc/self/autogroup && break',
  '  sleep 0.11',
  'done',
  `exec ${NICE} -n "$nice" "$@"`,
].join('\n')
