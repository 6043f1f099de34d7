import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { GOOD_P99_MS, type IsolationRow, MAX_RATIO } from './evaluate-results.ts'
import { type DatabaseKind, proveIsolation } from './prove-isolation.ts'
import { SCENARIOS } from './scenarios.ts'
import { renderTableHead, renderTableRow } from './table.ts'

const USAGE = `npm run proof -- isolation [--database sqlite|postgres] [--scenario NAME]... [--seconds N] [--rounds N]

Scenarios: ${SCENARIOS.map(({ name }) => name).join(', ')}.`

/** Prints the table and returns whether every row meets the goal. @throws TypeError on unknown options */
export async function isolation(args: readonly string[]): Promise<boolean> {
  const options = readOptions(args)
  const times = {
    seconds: options.seconds,
    rounds: options.rounds,
    leadSeconds: 3,
    drainSeconds: 20,
  }
  console.log(
    `${new Date().toISOString().slice(0, 10)}, node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, load ${loadavg()[0]?.toFixed(1)}; ${options.rounds} rounds of ${options.seconds} s`,
  )
  const rows: IsolationRow[] = []
  for (const database of options.databases) {
    console.log(`\n### ${database === 'sqlite' ? 'SQLite' : 'PostgreSQL'}\n\n${renderTableHead()}`)
    const onRow = (row: IsolationRow) => console.log(renderTableRow(row))
    const measured = await proveIsolation({
      database,
      scenarios: options.scenarios,
      times,
      onRow,
    })
    console.log('')
    for (const figure of summarize(database, measured)) console.log(`ℹ ${figure}`)
    rows.push(...measured)
  }
  return rows.every(({ meetsGoal }) => meetsGoal)
}

/** One line for all rows, and one for each that misses the goal. */
function summarize(database: DatabaseKind, rows: readonly IsolationRow[]): string[] {
  const missed = rows.filter(({ meetsGoal }) => !meetsGoal)
  const lines = missed.map(({ scenario, operation, baseline, underAttack, ratio, errors }) => {
    const failures = Object.keys(errors).length === 0 ? '' : `, failed: ${JSON.stringify(errors)}`
    return `${database}, ${scenario}, ${operation}: p99 ${baseline.p99.toFixed(1)} to ${underAttack.p99.toFixed(1)} ms (${ratio.toFixed(2)})${failures}`
  })
  const count = `${rows.length - missed.length} of ${rows.length} operations under attack`
  return [
    `${database}: ${count} have a p99 below ${MAX_RATIO} times its undisturbed value or below ${GOOD_P99_MS} ms, and no failed request`,
    ...lines,
  ]
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      database: { type: 'string' },
      scenario: { type: 'string', multiple: true },
      seconds: { type: 'string', default: '8' },
      rounds: { type: 'string', default: '3' },
    },
  })
  const names = values.scenario ?? SCENARIOS.map(({ name }) => name)
  const scenarios = SCENARIOS.filter(({ name }) => names.includes(name))
  if (scenarios.length < new Set(names).size) throw new TypeError(USAGE)
  return {
    scenarios,
    databases: parseDatabases(values.database),
    seconds: parsePositive(values.seconds),
    rounds: Math.ceil(parsePositive(values.rounds)),
  }
}

function parseDatabases(name: string | undefined): DatabaseKind[] {
  if (name === undefined) return ['sqlite', 'postgres']
  if (name === 'sqlite' || name === 'postgres') return [name]
  throw new TypeError(USAGE)
}

function parsePositive(text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new TypeError(USAGE)
  return value
}
