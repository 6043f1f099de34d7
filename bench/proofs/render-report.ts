import type { Goal } from './goals.ts'
import type { Outcome } from './outcome.ts'
import { renderGoals } from './render-goals.ts'
import type { Proof } from './test-proof.ts'

export interface Report {
  readonly proofs: readonly Proof[]
  readonly goals: readonly Goal[]
  readonly outcomes: readonly Outcome[]
}

/** tmp/proof.md: each proof with how it ended the last time, and the figures that they reach. */
export function renderReport({ proofs, goals, outcomes }: Report): string {
  const find = (proof: Proof, brief: boolean) =>
    outcomes.find(({ name, isBrief = false }) => name === proof.name && isBrief === brief)
  const rows = proofs.map((proof) => {
    const { name, promise } = proof
    const cells = [`[${name}](#${name})`, promise, describeResult(find(proof, false))]
    const brief = find(proof, true)
    return `| ${[...cells, brief === undefined ? '' : describeResult(brief)].join(' | ')} |`
  })
  const sections = proofs.map((proof) =>
    renderSection(proof, find(proof, false), find(proof, true)),
  )
  return `${INTRODUCTION}
| proof | promise | full length | short form |
|---|---|---|---|
${rows.join('\n')}

## Figures

${renderGoals(goals, outcomes)}

${sections.join('\n')}`
}

function describeResult(outcome: Outcome | undefined): string {
  return outcome === undefined ? 'not run' : `${outcome.result}, ${outcome.date}`
}

function renderSection(
  { name, promise, attack }: Proof,
  full: Outcome | undefined,
  brief: Outcome | undefined,
): string {
  const parts = [
    ...(full === undefined ? [] : [`Full length: ${describeOutcome(full)}`]),
    ...(brief === undefined ? [] : [`Short form: ${describeOutcome(brief)}`]),
  ]
  return `## ${name}

${promise} ${attack}

${parts.join('\n\n') || 'Not run.'}
`
}

function describeOutcome(outcome: Outcome): string {
  const { result, passed, failed, seconds, commit, date, repetitions, figures } = outcome
  const settings = Object.entries(repetitions).map(([key, value]) => `${key}=${value}`)
  const tests = passed + failed === 0 ? '' : `, ${passed} tests passed, ${failed} failed`
  const lines = [
    `**${result}** on ${date} (commit ${commit}) in ${seconds} s${tests}.`,
    ...(settings.length === 0 ? [] : [`Repetitions: \`${settings.join(' ')}\`.`]),
  ]
  const block = figures.length === 0 ? '' : `\n\n\`\`\`\n${figures.join('\n')}\n\`\`\``
  return `${lines.join(' ')}${block}`
}

const INTRODUCTION = `# Proof

What Linchpin promises, what is done against each promise, and how that ended the last time. \`npm run proof\` runs everything, in less
than an hour on two cores: at full length what is short enough, and the short form of the others. \`npm run proof -- NAME\` runs one at full length.
Both write this page. \`npm test\` runs a shorter form of most. Random tests print their seed. A proof that was not run on the present commit shows the commit and the date of its last run.
`
