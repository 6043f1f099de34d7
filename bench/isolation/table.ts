import type { IsolationRow } from './evaluate-results.ts'

const HEAD = `| attack | operation | alone p50 / p99 ms | beside p50 / p99 ms | p99 ratio | errors | responses to the attack |
|---|---|---|---|---|---|---|`

/** The header of the table, and one line per row. */
export function renderTableHead(): string {
  return HEAD
}

export function renderTableRow(row: IsolationRow): string {
  const { scenario, operation, baseline, underAttack, ratio, errors, requests, attack, meetsGoal } =
    row
  const cells = [
    scenario,
    operation,
    `${baseline.p50.toFixed(1)} / ${baseline.p99.toFixed(1)}`,
    `${underAttack.p50.toFixed(1)} / ${underAttack.p99.toFixed(1)}`,
    meetsGoal ? ratio.toFixed(2) : `**${ratio.toFixed(2)}**`,
    `${formatCounts(errors) || '0'} of ${requests}`,
    formatCounts(attack),
  ]
  return `| ${cells.join(' | ')} |`
}

function formatCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')
}
