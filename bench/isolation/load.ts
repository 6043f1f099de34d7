import { fork } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { setNiceness } from '../child.ts'
import type { LoadInput, StreamResult } from './load-types.ts'

/** A load generator in a separate process. */
export interface Load {
  /** Starts the measurement of requests that are due from now on. */
  count(): void
  /** Stops sending and resolves to the results of the measured requests, immediately or when all have a response. */
  report(moment: 'now' | 'answered'): Promise<StreamResult[]>
  /** Kills the process; its connections break. */
  stop(): Promise<void>
}

/**
 * In production, clients and providers run on other machines. Here they share one with the service: measured processes
 * have a higher priority than the service, so that their delays are not measured, and those of the attack a lower one.
 */
export const MEASURED_NICENESS = constants.priority.PRIORITY_HIGH
export const HOSTILE_NICENESS = constants.priority.PRIORITY_BELOW_NORMAL

/** Resolves when the load generator is sending. `isMeasured`: whether it belongs to the measured tenant. */
export async function startLoad(input: LoadInput, isMeasured: boolean): Promise<Load> {
  const child = fork(fileURLToPath(new URL('./load-process.ts', import.meta.url)), [], {
    // Without the flags of the test runner, which would end a process that has no tests.
    execArgv: [],
  })
  setNiceness(child, isMeasured ? MEASURED_NICENESS : HOSTILE_NICENESS)
  child.send({ start: input })
  // On a busy machine a process can take longer to start than a measurement.
  await once(child, 'message')
  return {
    count: () => void child.send('count'),
    async report(moment) {
      child.send({ report: moment })
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
