import { readFileSync } from 'node:fs'

/** Clock ticks per second on Linux, on every platform that Node supports. */
const TICKS = 100

/** CPU seconds that a process has used so far, without its children; NaN without /proc. */
export function readCpuSeconds(pid: number): number {
  try {
    // The name may contain spaces, so count fields from its closing parenthesis (proc(5)).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / TICKS
  } catch {
    return Number.NaN
  }
}
