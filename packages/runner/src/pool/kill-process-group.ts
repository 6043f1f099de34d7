import type { ChildProcess } from 'node:child_process'

/** Kills a process and everything that it started. It must be a process group leader. */
export function killProcessGroup(child: ChildProcess): void {
  child.kill('SIGKILL')
  if (child.pid === undefined || process.platform === 'win32') return
  try {
    // Killed in its first milliseconds, bubblewrap would leave an incomplete sandbox behind.
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The whole group has already exited.
  }
}
