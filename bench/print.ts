import type { BystanderWait } from './bystander.ts'
import type { Overhead } from './check-overhead.ts'
import type { Comparison, Ratio, ServerMetrics } from './compare.ts'
import type { StartMetrics } from './compare-starts.ts'
import type { WriteComparison, WriteMetrics } from './compare-writes.ts'
import type { Range } from './statistics.ts'

/** Prints the title and the head of a table of operations, as Markdown. */
export function printTableHead(title: string): void {
  printHead(title, [
    ...['operation', 'connections', 'requests/s (min–max)', 'p50 ms', 'p99 ms'],
    ...['bare (min–max)', 'ratio', 'CPU µs a request: min, median', 'bare'],
    ...['ratio of minima, of medians', 'CPU µs of children'],
  ])
}

/** Prints how an operation compares with a bare server or proxy. */
export function printRow({ name, connections, own, other, isShared }: Comparison): void {
  const { min, median } = own.cpuMicros
  const ratios = [other.cpuMicros.min / min, other.cpuMicros.median / median]
  printCells([
    name,
    connections,
    formatRange(own.perSecond),
    own.p50Ms.median.toFixed(1),
    own.p99Ms.median.toFixed(1),
    formatRange(other.perSecond),
    formatRatio(own.perSecond.median / other.perSecond.median),
    ...(isShared
      ? ['–', '–', '–', '–']
      : [
          formatLeast(own.cpuMicros),
          formatLeast(other.cpuMicros),
          ratios.map(formatRatio).join(', '),
          Math.round(own.childCpuMicros.median),
        ]),
  ])
}

/** Prints the head of a table that compares with a commit. */
export function printAgainstHead(title: string, commit: string): void {
  printHead(`${title}: this tree, and ${commit}`, [
    ...['operation', 'connections', 'CPU µs a request: min, median', commit],
    ...['ratio of minima, of medians (spread)', 'p50 ms', commit, 'p99 ms', commit, 'ratio'],
    ...['requests/s', commit, 'verdict'],
  ])
}

/** Prints how an operation compares with another commit. */
export function printAgainst({
  name,
  connections,
  own,
  other,
  ratios,
  isShared,
}: Comparison): void {
  const sides = [own, other]
  const toCells = (format: (side: ServerMetrics) => string) => sides.map(format)
  printCells([
    name,
    connections,
    ...(isShared ? ['–', '–', '–'] : [...toCells(formatCpu), formatSpread(ratios.cpu)]),
    ...toCells(({ p50Ms }) => p50Ms.median.toFixed(1)),
    ...toCells(({ p99Ms }) => p99Ms.median.toFixed(1)),
    formatSpread(ratios.p99),
    ...toCells(({ perSecond }) => `${Math.round(perSecond.median)}`),
    getVerdict(isShared ? ratios.p99 : ratios.cpu),
  ])
}

/** The least difference that counts. */
const NOTABLE = 1.05

/** Whether a ratio is outside of the noise: the pairs of rounds agree, and so do the best rounds. */
export function getVerdict({ min, max, ofMinima }: Ratio): string {
  if (min > 1 && ofMinima >= NOTABLE) return 'faster'
  if (max < 1 && ofMinima <= 1 / NOTABLE) return '**SLOWER**'
  return 'same'
}

function formatCpu({ cpuMicros, childCpuMicros }: ServerMetrics): string {
  const children = Math.round(childCpuMicros.median)
  return `${formatLeast(cpuMicros)}${children > 0 ? ` + ${children} of children` : ''}`
}

/** Prints a table of writes, as Markdown. */
export function printWrites(writes: readonly WriteComparison[]): void {
  printHead(undefined, [
    ...['write, 8 at a time', 'requests/s', 'in an empty database'],
    ...['CPU µs a request: min, median', 'in an empty database', 'ratio of minima, of medians'],
  ])
  const formatWrite = ({ cpuMicros, leastCpuMicros }: WriteMetrics) =>
    `${Math.round(leastCpuMicros)}, ${Math.round(cpuMicros)}`
  for (const { name, full, empty } of writes) {
    const ratios = [full.leastCpuMicros / empty.leastCpuMicros, full.cpuMicros / empty.cpuMicros]
    printCells([
      name,
      Math.round(full.perSecond),
      Math.round(empty.perSecond),
      formatWrite(full),
      formatWrite(empty),
      ratios.map(formatRatio).join(', '),
    ])
  }
}

/** Prints what starts took. */
export function printStarts(names: readonly string[], starts: readonly StartMetrics[]): void {
  printHead(undefined, ['starts: min, median', ...names])
  const rows = {
    'until ready, ms': 'readyMs',
    'CPU until ready, ms': 'readyCpuMs',
    'then until the first account is created, ms': 'firstCreateMs',
  } as const
  for (const [name, key] of Object.entries(rows))
    printCells([name, ...starts.map((each) => formatLeast(each[key]))])
}

/** Prints what checks add to the request of the provider. */
export function printOverheads(overheads: readonly Overhead[]): void {
  for (const { name, checkMs, providerMs, addedMs } of overheads)
    console.log(
      `One check at a time, ${name}, warm, median: ${checkMs.toFixed(2)} ms, of which the provider itself ${providerMs.toFixed(2)} ms. CHECK adds ${addedMs.toFixed(2)} ms.`,
    )
}

/** Prints how long a bystander waited. */
export function printWaits(waits: readonly BystanderWait[]): void {
  for (const { name, medianMs, p99Ms, maxMs } of waits)
    console.log(
      `/health/live beside ${name}: median ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, max ${maxMs.toFixed(1)} ms.`,
    )
}

function printHead(title: string | undefined, columns: readonly string[]): void {
  console.log(title === undefined ? '' : `\n### ${title}\n`)
  printCells(columns)
  console.log(`|${'---|'.repeat(columns.length)}`)
}

function printCells(cells: readonly (string | number)[]): void {
  console.log(`| ${cells.join(' | ')} |`)
}

function formatRange({ median, min, max }: Range): string {
  return `${Math.round(median)} (${Math.round(min)}–${Math.round(max)})`
}

function formatLeast({ median, min }: Range): string {
  return `${Math.round(min)}, ${Math.round(median)}`
}

function formatSpread({ median, min, max, ofMinima }: Ratio): string {
  return `${formatRatio(ofMinima)}, ${formatRatio(median)} (${formatRatio(min)}–${formatRatio(max)})`
}

function formatRatio(value: number): string {
  return value >= 0.1 ? value.toFixed(2) : value.toFixed(3)
}
