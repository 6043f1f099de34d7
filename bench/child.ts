import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'

/** A running child process of a script in this folder. */
export interface BenchChild {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts a script that receives `input` and replies with its URL. `niceness` is that of `setNiceness`. */
export async function startChild(
  script: string,
  input: unknown = {},
  niceness = 0,
): Promise<BenchChild> {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), [], { execArgv: [] })
  setNiceness(child, niceness)
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  child.once('exit', () => process.off('exit', killAtExit))
  child.send(input as object)
  const [url] = (await once(child, 'message')) as [string]
  return { url, pid: child.pid ?? 0, stop: () => stop(child) }
}

/** Sets the scheduling priority of a process. Only root may raise it; for other users that has no effect. */
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
