import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import type { RunnerOptions } from '../runner.ts'
import { detectBubblewrap, FILTER_FD, sendFilter, withRlimits } from './detect-bubblewrap.ts'
import type { SandboxFiles } from './sandbox-files.ts'

/**
 * Starts a runner child at a lower priority than the service: without our environment, with the channel as its only
 * handle, and with permission to read only its own files.
 */
export async function spawnChild(files: SandboxFiles, nice = 0): Promise<SpawnedChild> {
  const node = realpathSync(process.execPath)
  const sandbox = await detectBubblewrap(node)
  const readable = files.readable.flatMap((path) => [`--allow-fs-read=${path}`])
  const sandboxedCommand = [
    ...(sandbox?.command(files.readable) ?? []),
    ...[
      node,
      '--permission',
      ...readable,
      ...FLAGS,
      files.main,
      files.guest,
      files.baseImage ?? '',
    ],
  ]
  const [command = node, ...args] = withLowPriority(withRlimits(sandboxedCommand), nice)
  const filter = sandbox?.filter
  const child = spawn(command, args, {
    env: {},
    cwd: '/',
    // A separate session without a terminal, so that Ctrl+C reaches the service only, and killing the group misses no
    // process.
    detached: true,
    // The fourth is the channel: frames of JSON and bytes, because V8's deserializer must not parse data of a hostile
    // child.
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', ...(filter ? (['pipe'] as const) : [])],
  })
  // Without a free file descriptor there is neither a process nor a pipe, and an unhandled `error` event would end the
  // service.
  if (child.pid === undefined) throw (await once(child, 'error'))[0]
  if (filter !== undefined) sendFilter(child.stdio[FILTER_FD], filter)
  return { process: child, hasBubblewrap: sandbox !== undefined, hasSeccomp: filter !== undefined }
}

interface SpawnedChild {
  readonly process: ChildProcess
  /** It runs inside bubblewrap. */
  readonly hasBubblewrap: boolean
  /** It has a seccomp filter. */
  readonly hasSeccomp: boolean
}

const FLAGS = [
  '--max-old-space-size=256',
  // A call leaves little garbage in JavaScript: its memory is that of its VM.
  '--max-semi-space-size=1',
  '--disallow-code-generation-from-strings',
  '--disable-proto=delete',
  '--no-addons',
  '--no-warnings',
  '--expose-gc',
]

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
