import { readFileSync } from 'node:fs'

/** Ticks of Linux's clock in a second, on every platform that Node has builds for. */
const TICKS = 100

/** CPU seconds that a process has used so far, without its children; NaN where there is no /proc. */
export function cpuSeconds(pid: number): number {
  try {
    // The name may hold spaces: fields are counted from its closing bracket (proc(5)).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / TICKS
  } catch {
    return Number.NaN
  }
}
