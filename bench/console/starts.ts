import { setTimeout as sleep } from 'node:timers/promises'
import { readCpuSeconds, readMemoryMegabytes } from '../process-tree.ts'
import { median } from '../statistics.ts'
import type { ConsoleDatabase } from './console-database.ts'
import { printFigure, printFigureHead } from './figures.ts'

const STARTS = 9
/** Until what a start does in the background is done, in milliseconds. */
const SETTLE_MS = 2_000

/** Prints what the console adds to a start and to the memory of a service that no one visits: alternating starts. */
export async function measureStarts(database: ConsoleDatabase): Promise<void> {
  const without = createStarts(database, { LINCHPIN_CONSOLE: '0' })
  const withConsole = createStarts(database, { LINCHPIN_CONSOLE: '1' })
  // The first starts fill caches.
  for (const starts of [without, withConsole]) await starts.run()
  for (const starts of [without, withConsole]) starts.clear()
  for (let round = 0; round < STARTS; round += 1)
    for (const starts of round % 2 === 0 ? [without, withConsole] : [withConsole, without])
      await starts.run()
  printFigureHead(`The console on over off, medians of ${STARTS} starts`)
  for (const { name, key, unit, goal } of FIGURES) {
    const [off, on] = [without, withConsole].map((starts) => median(starts.values(key)))
    const note = `${on?.toFixed(0)} over ${off?.toFixed(0)}`
    printFigure({ name, value: (on ?? 0) - (off ?? 0), goal, unit, note })
  }
}

const FIGURES = [
  { name: 'start until ready, CPU', key: 'cpuMs', unit: ' ms', goal: 30 },
  { name: 'start until ready, wall clock', key: 'readyMs', unit: ' ms', goal: 30 },
  { name: 'memory (PSS), idle', key: 'megabytes', unit: ' MB', goal: 8 },
] as const

interface Start {
  readonly cpuMs: number
  readonly readyMs: number
  readonly megabytes: number
}

function createStarts(database: ConsoleDatabase, settings: Readonly<Record<string, string>>) {
  let starts: Start[] = []
  return {
    values: (key: keyof Start) => starts.map((start) => start[key]),
    clear() {
      starts = []
    },
    async run() {
      const service = await database.start(settings)
      const cpuMs = readCpuSeconds(service.pid).own * 1_000
      await sleep(SETTLE_MS)
      const megabytes = readMemoryMegabytes(service.pid)
      starts.push({ cpuMs, megabytes, readyMs: service.readyAfterMs })
      await service.stop()
    },
  }
}
