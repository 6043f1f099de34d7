import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { DENIED_SYSCALLS } from './denied-syscalls.ts'
import {
  type BubblewrapSandbox,
  buildSeccompFilter,
  detectBubblewrap,
  FILTER_FD,
  sendFilter,
} from './detect-bubblewrap.ts'

const PERL = '/usr/bin/perl'
const EPERM = 1
const ENOSYS = 38

describe('the seccomp filter of runner children', () => {
  const sandbox = detectBubblewrap(process.execPath)

  it('denies every system call on the list with EPERM in the sandbox', async (t) => {
    const available = await sandbox
    if (available?.filter === undefined || !existsSync(PERL)) return skipUnsupported(t)
    const at = process.arch === 'x64' ? 1 : 2
    const denied = DENIED_SYSCALLS.filter((each) => each[at] !== undefined)
    const errors = await syscallErrors(
      available,
      true,
      denied.map((each) => [each[at]]),
    )
    assert.deepEqual(Object.fromEntries(denied.map(([name], n) => [name, errors[n]])), {
      ...Object.fromEntries(denied.map(([name]) => [name, EPERM])),
    })
  })

  it('denies new processes, namespaces, clone3, unknown calls and x32, and allows the others', async (t) => {
    const available = await sandbox
    if (available?.filter === undefined || !existsSync(PERL)) return skipUnsupported(t)
    const isX64 = process.arch === 'x64'
    const clone = isX64 ? 56 : 220
    const getpid = isX64 ? 39 : 172
    const calls: [string, readonly number[], number][] = [
      ['a process', [clone, 17], EPERM],
      ['a thread in a new user namespace', [clone, 0x1001_0000], EPERM],
      ['clone3', [435, 0, 0], ENOSYS],
      ['a call of a later kernel', [470], ENOSYS],
      ['a call of a much later kernel', [100_000], ENOSYS],
      ['getpid', [getpid], 0],
      ...(isX64
        ? [['getpid of x32', [0x4000_0000 + getpid], EPERM] as [string, number[], number]]
        : []),
    ]
    const errors = await syscallErrors(
      available,
      true,
      calls.map(([, call]) => call),
    )
    assert.deepEqual(
      calls.map(([name], n) => [name, errors[n]]),
      calls.map(([name, , error]) => [name, error]),
    )
    // The same sandbox without the filter, to prove that the filter denied the calls above.
    const open = await syscallErrors(available, false, [
      [isX64 ? 41 : 198, 1, 1, 0],
      [isX64 ? 272 : 97, 0],
    ])
    assert.deepEqual(open, [0, 0])
  })

  it('has a program for aarch64 as well, and none for other architectures', () => {
    const program = buildSeccompFilter('arm64') ?? assert.fail()
    const arch = 0xc000_00b7
    const filterResult = (nr: number, argument = 0) => interpret(program, { nr, arch, argument })
    for (const [name, , nr] of DENIED_SYSCALLS)
      if (nr !== undefined) assert.equal(filterResult(nr), 0x0005_0000 | EPERM, name)
    assert.equal(filterResult(56), ALLOW, 'openat')
    assert.equal(filterResult(172), ALLOW, 'getpid')
    assert.equal(filterResult(220, 0x003d_0f00), ALLOW, 'clone of a thread')
    assert.equal(filterResult(220, 17), 0x0005_0000 | EPERM, 'fork')
    assert.equal(filterResult(435), 0x0005_0000 | ENOSYS, 'clone3')
    assert.equal(
      interpret(program, { nr: 172, arch: 0x4000_0028, argument: 0 }),
      0x8000_0000,
      'arm',
    )
    assert.equal(buildSeccompFilter('riscv64'), undefined)
  })
})

const ALLOW = 0x7fff_0000

/** Makes system calls one after the other in the sandbox. @returns errno of each, 0 for success */
async function syscallErrors(
  sandbox: BubblewrapSandbox,
  isFiltered: boolean,
  calls: readonly (readonly (number | undefined)[])[],
): Promise<number[]> {
  const sandboxCommand = sandbox.command([PERL])
  const flag = sandboxCommand.indexOf('--seccomp')
  if (!isFiltered) sandboxCommand.splice(flag, 2)
  // A call that unexpectedly forks must not print twice.
  const script = `$| = 1; my $own = $$; for (split / /, $ARGV[0]) { my @call = map { $_ + 0 } split /,/;
    $! = 0; my $result = syscall($call[0], @call[1 .. $#call]); exit if $$ != $own;
    print $result < 0 ? $! + 0 : 0, "\\n" }`
  const [command = '', ...args] = [...sandboxCommand, PERL, '-e', script]
  const list = calls.map((call) => call.join(',')).join(' ')
  const child = spawn(command, [...args, list], {
    env: {},
    stdio: ['ignore', 'pipe', 'inherit', 'ignore', isFiltered ? 'pipe' : 'ignore'],
  })
  if (isFiltered && sandbox.filter !== undefined) sendFilter(child.stdio[FILTER_FD], sandbox.filter)
  let text = ''
  for await (const chunk of child.stdout ?? []) text += chunk
  return text.trim().split('\n').map(Number)
}

/** Runs classic BPF like the kernel. */
function interpret(
  program: Uint8Array,
  data: { readonly nr: number; readonly arch: number; readonly argument: number },
): number {
  const bytes = Buffer.from(program)
  let accumulator = 0
  for (let at = 0; ; at++) {
    const [code, jumpIfTrue, jumpIfFalse] = [
      bytes.readUInt16LE(at * 8),
      bytes[at * 8 + 2],
      bytes[at * 8 + 3],
    ]
    const k = bytes.readUInt32LE(at * 8 + 4)
    if (code === 0x06) return k
    if (code === 0x20)
      accumulator = { 0: data.nr, 4: data.arch, 16: data.argument }[k] ?? assert.fail(`load ${k}`)
    else {
      const comparisons = {
        21: accumulator === k,
        53: accumulator >= k,
        69: (accumulator & k) !== 0,
      }
      const isTrue = comparisons[code as keyof typeof comparisons] ?? assert.fail(`code ${code}`)
      at += (isTrue ? jumpIfTrue : jumpIfFalse) ?? 0
    }
  }
}

function skipUnsupported(t: { skip(reason: string): void }): void {
  if (process.env.CI === 'true') assert.fail('CI needs bubblewrap with seccomp, and perl')
  t.skip('needs bubblewrap with seccomp, and perl')
}
