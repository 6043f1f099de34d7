import { realpathSync } from 'node:fs'
import { bubblewrap } from './bubblewrap.ts'

/** Sandboxing features of this system. */
export interface JailSupport {
  /** bubblewrap is installed and works. */
  readonly bubblewrap: boolean
  /** The kernel supports our seccomp filter. */
  readonly seccomp: boolean
}

/** Detects the features by starting a process, once; the runner uses the same result. */
export async function findJailSupport(): Promise<JailSupport> {
  const jail = await bubblewrap(realpathSync(process.execPath))
  return { bubblewrap: jail !== undefined, seccomp: jail?.filter !== undefined }
}
