import { cpus } from 'node:os'
import { postgresAvailable, startPostgres } from '../packages/server/test/postgres-cluster.ts'
import { checkOverhead, type Overhead } from './check-overhead.ts'
import { startChild } from './child.ts'
import { type ComparisonRow, compare } from './compare.ts'
import { measuredOperations } from './operations.ts'
import { startSubject } from './subject.ts'

// `npm run bench [-- --quick]`: the overhead of the service over a bare node:http server for the same bytes.
const isQuick = process.argv.includes('--quick')
const rounds = isQuick ? { count: 3, seconds: 0.5 } : { count: 5, seconds: 1 }

const HEAD = `| operation | connections | requests/s (min–max) | p99 ms | bare node:http (min–max) | ratio | CPU µs a request | bare | ratio |
|---|---|---|---|---|---|---|---|---|`

console.log(
  `${new Date().toISOString().slice(0, 10)}, node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}${isQuick ? ', quick' : ''}`,
)
const desk = await startChild('./desk-server.ts')
try {
  await runOn('SQLite', undefined)
  if (postgresAvailable()) {
    const server = await startPostgres()
    try {
      await runOn('PostgreSQL on the same machine', server.url)
    } finally {
      await server.stop()
    }
  } else console.log('\nPostgreSQL was not found: skipping its part of the table.')
} finally {
  await desk.stop()
}

async function runOn(title: string, databaseUrl: string | undefined): Promise<void> {
  const subject = await startSubject(desk, databaseUrl)
  try {
    const overhead = await checkOverhead(subject, desk.url, isQuick ? 100 : 300)
    const table: ComparisonRow[] = []
    for (const operation of measuredOperations(subject))
      table.push(await compare(subject, operation, rounds))
    print(title, table, overhead)
  } finally {
    await subject.stop()
  }
}

function print(title: string, table: readonly ComparisonRow[], overhead: Overhead): void {
  console.log(`\n### ${title}\n`)
  console.log(HEAD)
  for (const { name, connections, linchpin, bare } of table)
    console.log(
      `| ${[
        name,
        connections,
        formatRange(linchpin.perSecond),
        linchpin.p99Ms.toFixed(1),
        formatRange(bare.perSecond),
        formatRatio(linchpin.perSecond.median / bare.perSecond.median),
        Math.round(linchpin.cpuMicros),
        Math.round(bare.cpuMicros),
        formatRatio(bare.cpuMicros / linchpin.cpuMicros),
      ].join(' | ')} |`,
    )
  const { checkMs, providerMs, addedMs } = overhead
  console.log(
    `\nOne check at a time, warm, median: ${checkMs.toFixed(2)} ms, of which the provider itself ${providerMs.toFixed(2)} ms. CHECK adds ${addedMs.toFixed(2)} ms.`,
  )
}

function formatRange({ median, min, max }: { median: number; min: number; max: number }): string {
  return `${Math.round(median)} (${Math.round(min)}–${Math.round(max)})`
}

function formatRatio(value: number): string {
  return value >= 0.1 ? value.toFixed(2) : value.toFixed(3)
}
