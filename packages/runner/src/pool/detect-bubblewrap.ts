import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Writable } from 'node:stream'
import {
  CLONE_SYSCALL,
  CLONE3_SYSCALL,
  DENIED_SYSCALLS,
  FIRST_UNASSIGNED_SYSCALL,
} from './denied-syscalls.ts'

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

/**
 * The seccomp filter of a runner child: a classic BPF program for `bwrap --seccomp`, as an array of `sock_filter`.
 *
 * It denies, with EPERM, what a child never needs once it runs: sockets, other processes, namespaces, mounts, keys,
 * tracing, kernel interfaces. Threads may start, processes may not. A system call of another architecture kills the
 * process. Undefined for architectures whose numbers are not in the table.
 */
export function buildSeccompFilter(arch: string): Uint8Array | undefined {
  if (arch !== 'x64' && arch !== 'arm64') return undefined
  const at = arch === 'x64' ? 0 : 1
  const denied = DENIED_SYSCALLS.map(([, ...numbers]) => numbers[at]).filter(
    (each) => each !== undefined,
  )
  return assemble([
    load(ARCH_OFFSET),
    { code: JEQ, k: AUDIT_ARCH[arch], ifFalse: 'kill' },
    load(NUMBER_OFFSET),
    // The x32 interface has the architecture of x86_64, but its own numbers.
    ...(arch === 'x64' ? [{ code: JGE, k: X32_BIT, ifTrue: 'eperm' } as const] : []),
    // This call is newer than the table. ENOSYS makes libraries fall back to an older call.
    { code: JGE, k: FIRST_UNASSIGNED_SYSCALL, ifTrue: 'enosys' },
    // Its flags are behind a pointer, which a filter cannot read.
    { code: JEQ, k: CLONE3_SYSCALL, ifTrue: 'enosys' },
    ...denied.map((k) => ({ code: JEQ, k, ifTrue: 'eperm' }) as const),
    { code: JEQ, k: CLONE_SYSCALL[at], ifFalse: 'allow' },
    load(FIRST_ARGUMENT_OFFSET),
    { code: JSET, k: NEW_NAMESPACES, ifTrue: 'eperm' },
    { code: JSET, k: CLONE_THREAD, ifTrue: 'allow', ifFalse: 'eperm' },
    { code: RET, k: RET_ALLOW, label: 'allow' },
    { code: RET, k: RET_ERRNO | EPERM, label: 'eperm' },
    { code: RET, k: RET_ERRNO | ENOSYS, label: 'enosys' },
    { code: RET, k: RET_KILL_PROCESS, label: 'kill' },
  ])
}

type Label = 'allow' | 'eperm' | 'enosys' | 'kill'

interface Instruction {
  readonly code: number
  readonly k: number
  /** Where to continue when the comparison is true, and when it is false. Default: the next instruction. */
  readonly ifTrue?: Label
  readonly ifFalse?: Label
  /** The label of this instruction. */
  readonly label?: Label
}

/** `struct sock_filter`: u16 code, u8 jt, u8 jf, u32 k. Both architectures are little-endian. */
function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8)
  program.forEach(({ code, k, ifTrue, ifFalse }, index) => {
    const jump = (label: Label | undefined) =>
      label === undefined ? 0 : program.findIndex((each) => each.label === label) - index - 1
    bytes.writeUInt16LE(code, index * 8)
    // Throws when a jump is longer than 255 instructions.
    bytes.writeUInt8(jump(ifTrue), index * 8 + 2)
    bytes.writeUInt8(jump(ifFalse), index * 8 + 3)
    bytes.writeUInt32LE(k, index * 8 + 4)
  })
  return bytes
}

const load = (k: number): Instruction => ({ code: LD_W_ABS, k })

// linux/bpf_common.h
const LD_W_ABS = 0x20
const JEQ = 0x15
const JGE = 0x35
const JSET = 0x45
const RET = 0x06

// struct seccomp_data of linux/seccomp.h; the lower half of the first argument
const NUMBER_OFFSET = 0
const ARCH_OFFSET = 4
const FIRST_ARGUMENT_OFFSET = 16
const RET_ALLOW = 0x7fff_0000
const RET_ERRNO = 0x0005_0000
const RET_KILL_PROCESS = 0x8000_0000

// linux/audit.h
const AUDIT_ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const
const X32_BIT = 0x4000_0000

const EPERM = 1
const ENOSYS = 38

// linux/sched.h
const CLONE_THREAD = 0x0001_0000
const NEW_NAMESPACES = 0x7e02_0000

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
