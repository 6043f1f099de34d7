import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { processTree } from '../../test/process-tree.ts'
import { killProcessGroup } from './child-channel.ts'
import { listSandboxFiles } from './sandbox-files.ts'
import { spawnChild } from './spawn-child.ts'

const skip = existsSync('/proc/self/autogroup') ? false : 'the kernel has no autogroups'

describe('spawnChild', { skip }, () => {
  it('sets the niceness of the child session, and of each process in it, bubblewrap and Node', async () => {
    const ownPriority = getPriority()
    const { process: child, hasBubblewrap } = await spawnChild(listSandboxFiles(), 11)
    try {
      const processes = await untilComplete(Number(child.pid), hasBubblewrap ? 3 : 1)
      for (const pid of processes) {
        const session = readFileSync(`/proc/${pid}/autogroup`, 'utf8')
        assert.match(session, /nice 11$/m, `the session of ${pid}: ${session}`)
        assert.equal(getPriority(pid), Math.min(19, ownPriority + 11))
      }
    } finally {
      killProcessGroup(child)
    }
  })
})

/** The child and its descendants, once there are this many and the last one is Node. */
async function untilComplete(child: number, count: number): Promise<number[]> {
  const end = Date.now() + 30_000
  for (;;) {
    const processIds = processTree(child)
    const last = readFileSync(`/proc/${processIds.at(-1)}/cmdline`, 'utf8').split('\0')[0]
    if (processIds.length >= count && last === process.execPath) return processIds
    assert.ok(Date.now() < end, `the child has started only ${processIds.join(', ')}`)
    await sleep(20)
  }
}
