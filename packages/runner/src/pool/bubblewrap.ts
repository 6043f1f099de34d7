import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * The command line that puts a process into a box of bubblewrap: no network, no processes but its own, no files but
 * these. Undefined where bubblewrap is missing or user namespaces are off. Tried once per process.
 */
export function bubblewrap(node: string): Promise<BoxCommand | undefined> {
  tried ??= works(node).then((isWorking) =>
    isWorking ? (readable) => [BWRAP, ...boxArguments(node, readable)] : undefined,
  )
  return tried
}

/** The words to put before a command that may read these files and folders. */
export type BoxCommand = (readable: readonly string[]) => string[]

let tried: Promise<BoxCommand | undefined> | undefined

const BWRAP = '/usr/bin/bwrap'
const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache']

// The ipc channel is an inherited handle named in the environment: both pass, and there is nothing else in either.
function boxArguments(node: string, readable: readonly string[]): string[] {
  const bound = [...LIBRARIES.filter((path) => existsSync(path)), node, ...readable]
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...bound.flatMap((path) => ['--ro-bind', path, path]),
    ...['--proc', '/proc', '--dev', '/dev', '--chdir', '/', '--'],
  ]
}

function works(node: string): Promise<boolean> {
  if (process.platform !== 'linux' || !existsSync(BWRAP)) return Promise.resolve(false)
  return new Promise((resolve) => {
    const words = [...boxArguments(node, []), node, '--version']
    const probe = spawn(BWRAP, words, { env: {}, cwd: '/', stdio: 'ignore', timeout: 5_000 })
    probe.once('error', () => resolve(false))
    probe.once('exit', (code) => resolve(code === 0))
  })
}
