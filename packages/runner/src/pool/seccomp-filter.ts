import {
  CLONE_SYSCALL,
  CLONE3_SYSCALL,
  DENIED_SYSCALLS,
  FIRST_UNASSIGNED_SYSCALL,
} from './denied-syscalls.ts'

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
