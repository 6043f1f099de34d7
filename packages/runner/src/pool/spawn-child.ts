import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { bubblewrap, FILTER_FD, sendFilter } from './bubblewrap.ts'
import { withLowPriority } from './low-priority.ts'
import { withRlimits } from './rlimits.ts'
import type { SandboxFiles } from './sandbox-files.ts'

/**
 * Starts a runner child at a lower priority than ours: nothing of our environment, no handle but the channel, no right but to
 * read its files.
 */
export async function spawnChild(files: SandboxFiles, nice = 0): Promise<SpawnedChild> {
  const node = realpathSync(process.execPath)
  const jail = await bubblewrap(node)
  const readable = files.readable.flatMap((path) => [`--allow-fs-read=${path}`])
  const jailedCommand = [
    ...(jail?.command(files.readable) ?? []),
    ...[node, '--permission', ...readable, ...FLAGS, files.main, files.guest],
  ]
  const [command = node, ...args] = withLowPriority(withRlimits(jailedCommand), nice)
  const filter = jail?.filter
  const child = spawn(command, args, {
    env: {},
    cwd: '/',
    // A session of its own without a terminal, so that Ctrl+C reaches us alone, and killing the group misses no process.
    detached: true,
    // The fourth is the channel: frames of JSON and bytes, since V8's deserializer is no parser for a hostile child.
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', ...(filter ? (['pipe'] as const) : [])],
  })
  // Without a free file descriptor there are neither a process nor pipes, and an `error` event that ends the service.
  if (child.pid === undefined) throw (await once(child, 'error'))[0]
  if (filter !== undefined) sendFilter(child.stdio[FILTER_FD], filter)
  return { process: child, hasBubblewrap: jail !== undefined, hasSeccomp: filter !== undefined }
}

export interface SpawnedChild {
  readonly process: ChildProcess
  /** bubblewrap is around it. */
  readonly hasBubblewrap: boolean
  /** A seccomp filter is, too. */
  readonly hasSeccomp: boolean
}

const FLAGS = [
  '--max-old-space-size=256',
  '--disallow-code-generation-from-strings',
  '--disable-proto=delete',
  '--no-addons',
  '--no-warnings',
  '--expose-gc',
]
