import type { ComparisonRow, Range } from './compare.ts'
import type { WriteComparison, WriteMetrics } from './compare-writes.ts'

/** Prints the title and the head of a table of operations, as Markdown. */
export function printTableHead(title: string): void {
  console.log(`
### ${title}

| operation | connections | requests/s (min–max) | p99 ms | bare node:http (min–max) | ratio | CPU µs a request (min) | bare (min) | ratio (of minima) | CPU µs of children |
|---|---|---|---|---|---|---|---|---|---|`)
}

export function printRow({ name, connections, linchpin, bare }: ComparisonRow): void {
  const cpuRatio = bare.cpuMicros.median / linchpin.cpuMicros.median
  const leastCpuRatio = bare.cpuMicros.min / linchpin.cpuMicros.min
  console.log(
    `| ${[
      name,
      connections,
      formatRange(linchpin.perSecond),
      linchpin.p99Ms.toFixed(1),
      formatRange(bare.perSecond),
      formatRatio(linchpin.perSecond.median / bare.perSecond.median),
      formatWithMinimum(linchpin.cpuMicros),
      formatWithMinimum(bare.cpuMicros),
      `${formatRatio(cpuRatio)} (${formatRatio(leastCpuRatio)})`,
      Math.round(linchpin.childCpuMicros),
    ].join(' | ')} |`,
  )
}

/** Prints a table of writes, as Markdown. */
export function printWrites(writes: readonly WriteComparison[]): void {
  console.log(`
| write, 8 at a time | requests/s | in an empty database | CPU µs a request (min) | in an empty database (min) | ratio (of minima) |
|---|---|---|---|---|---|`)
  const formatCpu = ({ cpuMicros, leastCpuMicros }: WriteMetrics) =>
    `${Math.round(cpuMicros)} (${Math.round(leastCpuMicros)})`
  for (const { name, full, empty } of writes) {
    const ratio = formatRatio(full.cpuMicros / empty.cpuMicros)
    const leastRatio = formatRatio(full.leastCpuMicros / empty.leastCpuMicros)
    console.log(
      `| ${[
        name,
        Math.round(full.perSecond),
        Math.round(empty.perSecond),
        formatCpu(full),
        formatCpu(empty),
        `${ratio} (${leastRatio})`,
      ].join(' | ')} |`,
    )
  }
}

function formatRange({ median, min, max }: Range): string {
  return `${Math.round(median)} (${Math.round(min)}–${Math.round(max)})`
}

function formatWithMinimum({ median, min }: Range): string {
  return `${Math.round(median)} (${Math.round(min)})`
}

function formatRatio(value: number): string {
  return value >= 0.1 ? value.toFixed(2) : value.toFixed(3)
}
