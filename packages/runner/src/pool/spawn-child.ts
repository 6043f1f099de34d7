import { type ChildProcess, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import type { RunnerOptions } from '../runner-types.ts'
import { bubblewrap } from './bubblewrap.ts'
import type { SandboxFiles } from './sandbox-files.ts'

/** Starts a runner child: nothing of our environment, no handle but the channel, no right but to read its files. */
export async function spawnChild(
  files: SandboxFiles,
  log: RunnerOptions['log'],
): Promise<ChildProcess> {
  const node = realpathSync(process.execPath)
  const box = await bubblewrap(node)
  log?.(box ? 'debug' : 'info', box ? BOXED : UNBOXED)
  const readable = files.readable.flatMap((path) => [`--allow-fs-read=${path}`])
  const words = [
    ...(box?.(files.readable) ?? []),
    ...[node, '--permission', ...readable, ...FLAGS, files.main, files.guest],
  ]
  const [command = node, ...args] = words
  return spawn(command, args, {
    env: {},
    cwd: '/',
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

const BOXED = 'starting a runner child inside bubblewrap'
const UNBOXED = 'starting a runner child without bubblewrap, which does not work here'

const FLAGS = [
  '--max-old-space-size=256',
  '--disallow-code-generation-from-strings',
  '--disable-proto=delete',
  '--no-addons',
  '--no-warnings',
  '--expose-gc',
]
