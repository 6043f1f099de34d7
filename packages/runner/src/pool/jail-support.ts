import { realpathSync } from 'node:fs'
import { bubblewrap } from './bubblewrap.ts'

/** What this system offers to hold runner children. */
export interface JailSupport {
  /** bubblewrap is installed and works. */
  readonly bubblewrap: boolean
  /** It can install our seccomp filter. */
  readonly seccomp: boolean
}

/** Finds out by starting a process, once; the runner uses the same result. */
export async function findJailSupport(): Promise<JailSupport> {
  const jail = await bubblewrap(realpathSync(process.execPath))
  return { bubblewrap: jail !== undefined, seccomp: jail?.filter !== undefined }
}
