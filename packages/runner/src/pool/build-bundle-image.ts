import { DEFAULT_LIMITS, type Limits } from '../limits.ts'
import type { ChildMessage } from '../sandbox/messages.ts'
import { RunnerProcess } from './runner-process.ts'
import type { SandboxFiles } from './sandbox-files.ts'
import { spawnChild } from './spawn-child.ts'

/**
 * Takes an image of a bundle in a process of its own.
 *
 * The process has run no other code and receives no parameters, so a bundle that takes control of it can change its own
 * image only, and the image contains nothing of a tenant. Images that children take while they run calls are never
 * passed on.
 *
 * @returns undefined if the bundle has no image, or the signal was aborted
 */
export async function buildBundleImage(
  code: string,
  { files, nice, signal }: BuildOptions,
): Promise<Uint8Array | undefined> {
  const { process } = await spawnChild(files, nice)
  let image: Uint8Array | undefined
  const child: RunnerProcess = new RunnerProcess(
    process,
    {
      message(message: ChildMessage) {
        if (message.type === 'ready') child.send({ type: 'build', code, limits: LIMITS })
        if (message.type === 'ready' || message.type === 'idle') return
        if (message.type === 'image') image = message.body
        child.kill()
      },
      protocolError: () => child.kill(),
      startTimedOut: () => child.kill(),
      exited() {},
    },
    TIMEOUT_MS,
  )
  const kill = () => child.kill()
  const timeout = setTimeout(kill, TIMEOUT_MS).unref()
  signal.addEventListener('abort', kill)
  if (signal.aborted) kill()
  child.unref()
  await child.exited
  clearTimeout(timeout)
  signal.removeEventListener('abort', kill)
  return image
}

export interface BuildOptions {
  readonly files: SandboxFiles
  /** The priority of the process, as of nice(1). */
  readonly nice: number
  /** Ends the process. */
  readonly signal: AbortSignal
}

/** Low priority: on a busy machine it may wait for long. */
const TIMEOUT_MS = 180_000
const LIMITS: Limits = { ...DEFAULT_LIMITS, wallMs: TIMEOUT_MS }
