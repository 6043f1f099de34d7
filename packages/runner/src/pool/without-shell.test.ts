import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { withRlimits } from './detect-bubblewrap.ts'
import { withLowPriority } from './spawn-child.ts'

const NO_SHELL = '/nonexistent/sh'

function run(command: readonly string[]): string {
  const [program = '', ...args] = command
  return execFileSync(program, args, { encoding: 'utf8' })
}

function readLimits(command: readonly string[]): readonly string[] {
  const wanted = /^Max (?:core file|file size|open files|data size)/
  return run(command)
    .split('\n')
    .filter((line) => wanted.test(line))
}

describe('Runner children in an image without a shell', {
  skip: process.platform !== 'linux',
}, () => {
  it('have the limits that a shell sets', () => {
    const command = ['/bin/cat', '/proc/self/limits']
    const limits = readLimits(withRlimits(command, NO_SHELL))
    assert.equal(limits.length, 4)
    assert.deepEqual(limits, readLimits(withRlimits(command)))
    assert.doesNotMatch(withRlimits(command, NO_SHELL).join(' '), /\bsh\b/)
  })

  it('have the niceness', () => {
    assert.equal(run(withLowPriority(['/usr/bin/nice'], 7, NO_SHELL)).trim(), '7')
  })
})
