import { type ChildProcess, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { bubblewrap } from './bubblewrap.ts'
import type { SandboxFiles } from './sandbox-files.ts'

/** Starts a runner child: nothing of our environment, no handle but the channel, no right but to read its files. */
export async function spawnChild(files: SandboxFiles): Promise<SpawnedChild> {
  const node = realpathSync(process.execPath)
  const box = await bubblewrap(node)
  const readable = files.readable.flatMap((path) => [`--allow-fs-read=${path}`])
  const words = [
    ...(box?.(files.readable) ?? []),
    ...[node, '--permission', ...readable, ...FLAGS, files.main, files.guest],
  ]
  const [command = node, ...args] = words
  const child = spawn(command, args, {
    env: {},
    cwd: '/',
    // A group of its own, so that Ctrl+C reaches us alone, and killing the group misses nobody.
    detached: true,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  return { process: child, isBoxed: box !== undefined }
}

export interface SpawnedChild {
  readonly process: ChildProcess
  /** bubblewrap is around it. */
  readonly isBoxed: boolean
}

const FLAGS = [
  '--max-old-space-size=256',
  '--disallow-code-generation-from-strings',
  '--disable-proto=delete',
  '--no-addons',
  '--no-warnings',
  '--expose-gc',
]
