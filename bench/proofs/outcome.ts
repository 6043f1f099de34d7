/** How a proof ended the last time. */
export interface Outcome {
  readonly name: string
  /** The short form, which runs when all proofs do. */
  readonly isBrief?: true
  readonly result: 'passed' | 'failed' | 'timed out'
  /** What it repeated how often: the variables of its tests. */
  readonly repetitions: Readonly<Record<string, string>>
  /** Lines that its tests printed: figures and seeds. */
  readonly figures: readonly string[]
  /** Tests that passed and failed. */
  readonly passed: number
  readonly failed: number
  readonly seconds: number
  /** The commit that was checked out. */
  readonly commit: string
  /** `2026-11-23`. */
  readonly date: string
}

const MAX_FIGURES = 20
/** What `node --test` prints at its end. */
const COUNTS = /^ℹ (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /

/** Reads counts and figures from the output of `node --test`. */
export function readOutput(output: string): Pick<Outcome, 'figures' | 'passed' | 'failed'> {
  const lines = output.split('\n').map((line) => line.trim())
  const count = (name: string) =>
    lines
      .map((line) => Number(new RegExp(`^ℹ ${name} (\\d+)$`).exec(line)?.[1] ?? 0))
      .reduce((sum, each) => sum + each, 0)
  const figures = lines.filter((line) => line.startsWith('ℹ ') && !COUNTS.test(line))
  return {
    passed: count('pass'),
    failed: count('fail'),
    figures: figures.slice(0, MAX_FIGURES).map((line) => line.slice(2)),
  }
}
