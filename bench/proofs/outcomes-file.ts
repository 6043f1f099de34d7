import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { GOALS } from './goals.ts'
import type { Outcome } from './outcome.ts'
import { PROOFS } from './proofs.ts'
import { renderReport } from './render-report.ts'

const FILE = path.join(import.meta.dirname, 'outcomes.json')
const REPORT = path.join(import.meta.dirname, '../../tmp/proof.md')

/** How each proof ended the last time, at full length and in its short form. */
export function readOutcomes(): Outcome[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Outcome[]
}

/** Replaces the last outcome of a proof at the same length, and writes tmp/proof.md. */
export function storeOutcome(outcome: Outcome): void {
  const others = readOutcomes().filter(
    ({ name, isBrief }) => name !== outcome.name || isBrief !== outcome.isBrief,
  )
  const order = PROOFS.map(({ name }) => name)
  const outcomes = [...others, outcome]
    .filter(({ name }) => order.includes(name))
    .sort(
      (a, b) =>
        order.indexOf(a.name) - order.indexOf(b.name) ||
        Number(a.isBrief ?? 0) - Number(b.isBrief ?? 0),
    )
  writeFileSync(FILE, `${JSON.stringify(outcomes, undefined, 2)}\n`)
  writeReport()
}

/** Writes tmp/proof.md from the last outcomes. */
export function writeReport(): void {
  mkdirSync(path.dirname(REPORT), { recursive: true })
  writeFileSync(REPORT, renderReport({ proofs: PROOFS, goals: GOALS, outcomes: readOutcomes() }))
}
