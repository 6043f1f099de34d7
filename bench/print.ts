import type { ComparisonRow, Range } from './compare.ts'

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

function formatRange({ median, min, max }: Range): string {
  return `${Math.round(median)} (${Math.round(min)}–${Math.round(max)})`
}

function formatWithMinimum({ median, min }: Range): string {
  return `${Math.round(median)} (${Math.round(min)})`
}

function formatRatio(value: number): string {
  return value >= 0.1 ? value.toFixed(2) : value.toFixed(3)
}
