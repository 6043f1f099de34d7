import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
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

/** Starts one. `isMeasured`: the machine should run it before others, so that its own delays are not measured. */
export function startLoad(input: LoadInput, isMeasured: boolean): Load {
  const child = fork(fileURLToPath(new URL('./load-process.ts', import.meta.url)))
  if (isMeasured) prefer(child)
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

function prefer({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_HIGH)
  } catch {
    // Only root may.
  }
}
