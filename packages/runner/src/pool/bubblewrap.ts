import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { withRlimits } from './rlimits.ts'
import { seccompFilter } from './seccomp-filter.ts'

/**
 * A box of bubblewrap around a process: no network, no processes but its own, no files but these, and, where the
 * kernel supports it, a seccomp filter. Undefined where bubblewrap is missing or user namespaces are off. Tried once
 * per process.
 */
export function bubblewrap(node: string): Promise<Box | undefined> {
  tried ??= findBox(node)
  return tried
}

export interface Box {
  /** The words to put before a command that may read these files and folders. */
  command(readable: readonly string[]): string[]
  /** What the process has to read from descriptor `FILTER_FD` before it starts; undefined without seccomp. */
  readonly filter: Uint8Array | undefined
}

/** The descriptor that `bwrap` reads the filter from. */
export const FILTER_FD = 4

/** Writes the filter to a process that was started with a pipe as `FILTER_FD`. */
export function sendFilter(pipe: unknown, filter: Uint8Array): void {
  const stream = pipe as Writable
  // A process that failed to start does not read it.
  stream.on('error', () => {})
  stream.end(filter, () => stream.destroy())
}

let tried: Promise<Box | undefined> | undefined

const BWRAP = '/usr/bin/bwrap'
const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache']

async function findBox(node: string): Promise<Box | undefined> {
  if (process.platform !== 'linux' || !existsSync(BWRAP)) return undefined
  const filter = seccompFilter(process.arch)
  for (const each of filter === undefined ? [undefined] : [filter, undefined]) {
    const box = boxOf(node, each)
    if (await works(node, box)) return box
  }
  return undefined
}

// The channel is an inherited descriptor. The environment passes, too, and is empty.
function boxOf(node: string, filter: Uint8Array | undefined): Box {
  return {
    filter,
    command(readable) {
      const bound = [...LIBRARIES.filter((path) => existsSync(path)), node, ...readable]
      return [
        // The process that starts bubblewrap leads a session already. One more would have a priority of its own.
        ...[BWRAP, '--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'],
        ...bound.flatMap((path) => ['--ro-bind', path, path]),
        ...['--proc', '/proc', '--dev', '/dev', '--chdir', '/'],
        ...(filter === undefined ? [] : ['--seccomp', String(FILTER_FD)]),
        '--',
      ]
    },
  }
}

/** Starts Node in the box, and reads from the kernel whether the filter is on. */
function works(node: string, { command, filter }: Box): Promise<boolean> {
  const [file = node, ...args] = withRlimits([...command([]), node, '--print', STATUS])
  return new Promise((resolve) => {
    const probe = spawn(file, args, {
      env: {},
      cwd: '/',
      stdio: ['ignore', 'pipe', 'ignore', 'ignore', filter === undefined ? 'ignore' : 'pipe'],
      timeout: PROBE_MS,
      killSignal: 'SIGKILL',
    })
    let text = ''
    probe.stdout?.on('data', (chunk) => {
      text += chunk
    })
    probe.once('error', () => resolve(false))
    if (probe.pid === undefined) return
    if (filter !== undefined) sendFilter(probe.stdio[FILTER_FD], filter)
    probe.once('close', (code) =>
      resolve(code === 0 && (filter === undefined || /^Seccomp:\s*2$/m.test(text))),
    )
  })
}

const STATUS = "require('fs').readFileSync('/proc/self/status', 'utf8')"
/** Generous, since a machine that is busy at start would do without the box from then on. */
const PROBE_MS = 20_000
