import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { withRlimits } from './rlimits.ts'
import { buildSeccompFilter } from './seccomp-filter.ts'

/**
 * A bubblewrap sandbox around a process: no network, only its own processes, only the listed files, and, where the
 * kernel supports it, a seccomp filter. Undefined if bubblewrap is missing or user namespaces are disabled. Detected
 * once per process; rejects, and tries again with the next call, if the machine was too busy or out of descriptors,
 * processes or memory to tell.
 */
export function detectBubblewrap(node: string): Promise<BubblewrapSandbox | undefined> {
  detection ??= findWorkingSandbox(node).catch((error: unknown) => {
    detection = undefined
    throw error
  })
  return detection
}

export interface BubblewrapSandbox {
  /** The arguments to put before a command that may read these files and folders. */
  command(readable: readonly string[]): string[]
  /**
   * The seccomp program that the process has to read from descriptor `FILTER_FD` before it starts; undefined without
   * seccomp.
   */
  readonly filter: Uint8Array | undefined
}

/** The descriptor that `bwrap` reads the filter from. */
export const FILTER_FD = 4

/** Writes the filter to a process that was started with a pipe at `FILTER_FD`. */
export function sendFilter(pipe: unknown, filter: Uint8Array): void {
  const stream = pipe as Writable
  // A process that failed to start does not read the pipe.
  stream.on('error', () => {})
  stream.end(filter, () => stream.destroy())
}

let detection: Promise<BubblewrapSandbox | undefined> | undefined

const BWRAP = '/usr/bin/bwrap'
const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache']

async function findWorkingSandbox(node: string): Promise<BubblewrapSandbox | undefined> {
  if (process.platform !== 'linux' || !existsSync(BWRAP)) return undefined
  const filter = buildSeccompFilter(process.arch)
  for (const each of filter === undefined ? [undefined] : [filter, undefined]) {
    const sandbox = createBubblewrapSandbox(node, each)
    if (await isWorking(node, sandbox)) return sandbox
  }
  return undefined
}

// The channel is an inherited descriptor. The environment is inherited, too, but empty.
function createBubblewrapSandbox(node: string, filter: Uint8Array | undefined): BubblewrapSandbox {
  return {
    filter,
    command(readable) {
      const mounts = [...LIBRARIES.filter((path) => existsSync(path)), node, ...readable]
      return [
        // The process that starts bubblewrap is already a session leader. Another session would have a separate
        // priority.
        ...[BWRAP, '--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'],
        // First, or it would cover files below /dev/shm.
        ...['--proc', '/proc', '--dev', '/dev'],
        ...mounts.flatMap((path) => ['--ro-bind', path, path]),
        ...['--chdir', '/'],
        ...(filter === undefined ? [] : ['--seccomp', String(FILTER_FD)]),
        '--',
      ]
    },
  }
}

/**
 * Starts Node in the sandbox and checks in `/proc` whether the filter is active. Rejects if the probe failed for want of
 * resources: another attempt may succeed, and without it the service would run bundles unconfined from then on.
 */
function isWorking(node: string, { command, filter }: BubblewrapSandbox): Promise<boolean> {
  const [file = node, ...args] = withRlimits([...command([]), node, '--print', STATUS])
  return new Promise((resolve, reject) => {
    const probe = spawn(file, args, {
      env: {},
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe', 'ignore', filter === undefined ? 'ignore' : 'pipe'],
      timeout: PROBE_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    let [text, message] = ['', '']
    probe.stdout?.on('data', (chunk) => {
      text += chunk
    })
    probe.stderr?.on('data', (chunk) => {
      message += chunk
    })
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' || error.code === 'EACCES' ? resolve(false) : reject(error),
    )
    if (probe.pid === undefined) return
    if (filter !== undefined) sendFilter(probe.stdio[FILTER_FD], filter)
    probe.once('close', (code, signal) => {
      if (code === 0) resolve(filter === undefined || /^Seccomp:\s*2$/m.test(text))
      else if (signal === 'SIGKILL' || OUT_OF_RESOURCES.test(message))
        reject(new Error(`bubblewrap could not be tested: ${message.trim() || 'timeout'}`))
      else resolve(false)
    })
  })
}

/** The messages of EAGAIN, EMFILE, ENFILE and ENOMEM. */
const OUT_OF_RESOURCES =
  /Resource temporarily unavailable|Too many open files|Cannot allocate memory/
const STATUS = "require('fs').readFileSync('/proc/self/status', 'utf8')"
/** Generous: children start only when the probe has ended. */
const PROBE_TIMEOUT_MS = 20_000
