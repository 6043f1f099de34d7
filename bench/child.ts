import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'

/** A script of this folder in a process of its own, listening. */
export interface BenchChild {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts a script that answers `input` with its URL. `niceness`: as `setNiceness` takes it. */
export async function startChild(
  script: string,
  input: unknown = {},
  niceness = 0,
): Promise<BenchChild> {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)))
  setNiceness(child, niceness)
  child.send(input as object)
  const [url] = (await once(child, 'message')) as [string]
  return { url, pid: child.pid ?? 0, stop: () => stop(child) }
}

/** Gives a process more CPU time than others, or less. Only root may give it more; for others that changes nothing. */
export function setNiceness({ pid }: ChildProcess, niceness: number): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness)
  } catch {
    // Not root.
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
