import { isDeepStrictEqual } from 'node:util'
import type { Entry } from '@linchpin/kit/build'
import { type EvidenceRow, type EvidenceSource, isProven, MAX_FOUND } from './evidence.ts'
import { type Fact, listFacts } from './list-facts.ts'
import { matchesFound } from './match-found.ts'

/** What is wrong with the evidence of an entry, one sentence each, which begins with the path of the fact. Empty: all is proven. */
export function checkEvidence(entry: Entry, rows: readonly EvidenceRow[]): readonly string[] {
  const facts = listFacts(entry)
  const byPath = new Map(rows.map((row) => [row.path, row]))
  return [
    ...facts.flatMap((fact) => checkFact(entry, fact, byPath.get(fact.path))),
    ...rows
      .filter(({ path: each }) => !facts.some((fact) => fact.path === each))
      .map(({ path: each }) => `${each}: is no fact of the entry. Remove the row.`),
    ...(byPath.size === rows.length ? [] : ['Two rows have the same path.']),
  ]
}

function checkFact(entry: Entry, fact: Fact, row: EvidenceRow | undefined): string[] {
  if (row === undefined) return [`${fact.path}: has no evidence.`]
  if (!isDeepStrictEqual(row.value, fact.value))
    return [`${fact.path}: is ${show(fact.value)}, but the evidence is about ${show(row.value)}.`]
  const problems = row.sources.flatMap((source) =>
    checkSource(source).map((problem) => `${fact.path}: ${problem}`),
  )
  const agreeing = row.sources.filter(({ found }) => matchesFound(entry, fact, found))
  if (!isProven(agreeing))
    problems.push(
      `${fact.path}: neither the provider nor two independent sources say ${show(fact.value)}.`,
    )
  if (agreeing.length < row.sources.length && row.note === undefined)
    problems.push(`${fact.path}: sources disagree. Say in "note" why the entry is right.`)
  return problems
}

function checkSource({ url, kind, seen, found, repo }: EvidenceSource): string[] {
  const problems: string[] = []
  if (!URL.canParse(url) || !/^https?:/.test(url)) problems.push(`${show(url)} is not a URL.`)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(seen)) problems.push('"seen" must be a day.')
  if (kind === 'library' && repo === undefined) problems.push('a library needs "repo".')
  if (found.length === 0 || found.length > MAX_FOUND)
    problems.push(`"found" must have 1 to ${MAX_FOUND} characters.`)
  if (isProse(found)) problems.push(`"found" must be a literal: ${show(found)}.`)
  if (!isPage(found) && looksLikeSecret(found)) problems.push('"found" looks like a secret.')
  return problems
}

/** More words than a header or a list of scopes has, or signs of a program. */
function isProse(found: string): boolean {
  return (
    /\n|;\s(?![\w-]+=)|;$|=>|\bfunction\b/.test(found) ||
    /[a-z]\.\s+[A-Z]/.test(found) ||
    found.trim().split(/\s+/).length > 12
  )
}

/** Addresses of help pages have long numbers. */
function isPage(found: string): boolean {
  return /^https:\/\/[^?\s]+$/.test(found)
}

/** Known prefixes, or a long run of letters and digits that is no word. */
export function looksLikeSecret(found: string): boolean {
  if (/\b(?:sk|pk|rk)_live_\w{8}|\bgh[pousr]_\w{20}|\bxox[abpr]-\w{8}|\beyJ\w{10}/.test(found))
    return true
  return found
    .split(/[^A-Za-z0-9_-]+/)
    .some((run) => run.length >= 28 && (run.match(/\d/g)?.length ?? 0) >= 4 && /[A-Za-z]/.test(run))
}

function show(value: unknown): string {
  return JSON.stringify(value)
}
