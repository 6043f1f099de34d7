import type { Goal } from './goals.ts'
import type { Outcome } from './outcome.ts'

/** The table of figures: each is reached if all of its proofs passed at full length the last time. */
export function renderGoals(goals: readonly Goal[], outcomes: readonly Outcome[]): string {
  const rows = goals.map(({ figure, proofs, remark }) => {
    const links = proofs.map((name) => `[${name}](#${name})`).join(', ')
    const cells = [figure, links || '–', describe(proofs, outcomes), remark ?? '']
    return `| ${cells.join(' | ')} |`
  })
  return `| figure | proof | at full length | remark |
|---|---|---|---|
${rows.join('\n')}`
}

function describe(proofs: readonly string[], outcomes: readonly Outcome[]): string {
  if (proofs.length === 0) return '–'
  const results = proofs.map(
    (proof) =>
      outcomes.find(({ name, isBrief }) => name === proof && isBrief !== true)?.result ?? 'not run',
  )
  return results.every((result) => result === 'passed')
    ? 'reached'
    : [...new Set(results.filter((result) => result !== 'passed'))].join(', ')
}
