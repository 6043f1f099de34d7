import { existsSync } from 'node:fs'

/**
 * Runs a command under resource limits (setrlimit(2)) that its child processes inherit: no core dumps, no files, few
 * descriptors, and a limit on private memory. The address space is not limited: V8 reserves terabytes of it. Limits
 * that the system does not support are skipped. Without a shell, as in our container image, `prlimit` sets them. On Windows,
 * or with neither program, the command is returned unchanged.
 */
export function withRlimits(command: readonly string[], shell = SHELL): string[] {
  if (process.platform === 'win32') return [...command]
  if (existsSync(shell)) return [shell, '-c', SCRIPT, 'sh', ...command]
  return existsSync(PRLIMIT) ? [PRLIMIT, ...PRLIMIT_FLAGS, '--', ...command] : [...command]
}

const PRLIMIT = '/usr/bin/prlimit'

const SHELL = '/bin/sh'

/** Memory that a child may write to, in KiB: its heap of 256 MiB and eight calls of 64 MiB, several times over. */
const DATA_KIB = 4 * 1024 * 1024

const LIMITS = ['-c 0', '-f 0', '-n 128', `-d ${DATA_KIB}`]

// `exec` preserves the process id, and with it the group that is killed.
const SCRIPT = `${LIMITS.map((limit) => `ulimit ${limit} 2>/dev/null;`).join(' ')} exec "$@"`

const PRLIMIT_FLAGS = ['--core=0', '--fsize=0', '--nofile=128', `--data=${DATA_KIB * 1024}`]
