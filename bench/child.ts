import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A script of this folder in a process of its own, listening. */
export interface BenchChild {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts a script that answers `input` with its URL. */
export async function startChild(script: string, input: unknown = {}): Promise<BenchChild> {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)))
  child.send(input as object)
  const [url] = (await once(child, 'message')) as [string]
  return { url, pid: child.pid ?? 0, stop: () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
