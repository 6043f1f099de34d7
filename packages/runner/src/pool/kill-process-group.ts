import type { ChildProcess } from 'node:child_process'

/** Ends a process and everything that it started. It has to lead a process group. */
export function killProcessGroup(child: ChildProcess): void {
  child.kill('SIGKILL')
  if (child.pid === undefined || process.platform === 'win32') return
  try {
    // Killed in its first milliseconds, bubblewrap would leave a half-made box behind.
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The whole group is gone already.
  }
}
