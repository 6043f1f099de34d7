import type { Row } from './judge-results.ts'

const HEAD = `| attack | operation | alone p50 / p99 ms | beside p50 / p99 ms | p99 ratio | errors | answers to the attack |
|---|---|---|---|---|---|---|`

/** The head of the table, and one line for each row. */
export function tableHead(): string {
  return HEAD
}

export function tableLine(row: Row): string {
  const { scenario, operation, alone, beside, ratio, errors, requests, attack, meetsGoal } = row
  const cells = [
    scenario,
    operation,
    `${alone.p50.toFixed(1)} / ${alone.p99.toFixed(1)}`,
    `${beside.p50.toFixed(1)} / ${beside.p99.toFixed(1)}`,
    meetsGoal ? ratio.toFixed(2) : `**${ratio.toFixed(2)}**`,
    `${listed(errors) || '0'} of ${requests}`,
    listed(attack),
  ]
  return `| ${cells.join(' | ')} |`
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')
}
