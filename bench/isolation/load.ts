import { fork } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { setNiceness } from '../child.ts'
import type { LoadInput, StreamResult } from './load-types.ts'

/** A load generator in a process of its own. */
export interface Load {
  /** Requests that are due from now on count. */
  count(): void
  /** Sends nothing more, and resolves to what came of the requests that count: at once, or when all are answered. */
  report(when: 'now' | 'answered'): Promise<StreamResult[]>
  /** Ends it at once; its connections break. */
  stop(): Promise<void>
}

/**
 * Elsewhere clients and providers have machines of their own. Here they share the service's: those that are measured run
 * before it, so that their own delays are not measured, and those of the attack after it.
 */
export const MEASURED_NICENESS = constants.priority.PRIORITY_HIGH
export const HOSTILE_NICENESS = constants.priority.PRIORITY_BELOW_NORMAL

/** Starts one. `isMeasured`: whether it is the measured tenant's. */
export function startLoad(input: LoadInput, isMeasured: boolean): Load {
  const child = fork(fileURLToPath(new URL('./load-process.ts', import.meta.url)))
  setNiceness(child, isMeasured ? MEASURED_NICENESS : HOSTILE_NICENESS)
  child.send({ start: input })
  return {
    count: () => void child.send('count'),
    async report(when) {
      child.send({ report: when })
      const [results] = (await once(child, 'message')) as [StreamResult[]]
      return results
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}
