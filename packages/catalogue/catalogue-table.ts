import { readFileSync } from 'node:fs'
import type { EvidenceRow } from './src/evidence/evidence.ts'
import { readEntryFile, readEvidence } from './src/evidence/evidence-files.ts'
import { computeStage } from './src/evidence/stage.ts'
import { type CatalogueEntry, loadCatalogue } from './src/index.ts'

const pageUrl = new URL('../../docs/catalogue.md', import.meta.url)
const BEGIN = '<!-- made by packages/catalogue/catalogue-table.ts -->\n'
const END = '<!-- end -->\n'

/** docs/catalogue.md with an index of all built integrations. */
export async function renderCataloguePage(): Promise<string> {
  const { entries } = await loadCatalogue()
  const text = readFileSync(pageUrl, 'utf8')
  const [before = '', rest = ''] = text.split(BEGIN)
  const after = rest.split(END)[1] ?? ''
  const listed = entries.filter(({ key }) => key !== 'acme_sandbox')
  // A page that is rendered later is the same: evidence ages against the newest of it.
  const evidence = new Map(
    await Promise.all(listed.map(async ({ key }) => [key, await readEvidence(key)] as const)),
  )
  const newest = [...evidence.values()].flatMap(listDays).sort().at(-1) ?? ''
  const rows = await Promise.all(
    listed.map((each) => describeIntegration(each, evidence.get(each.key) ?? [], newest)),
  )
  return before + BEGIN + renderIndex(rows) + END + after
}

interface IndexRow {
  readonly category: string
  readonly stage: string
  readonly days: readonly string[]
  readonly text: string
}

function renderIndex(rows: readonly IndexRow[]): string {
  const count = (stage: string) => rows.filter((row) => row.stage === stage).length
  const days = rows.flatMap((row) => row.days).sort()
  const categories = [...new Set(rows.map(({ category }) => category))].sort()
  return `${rows.length} integrations: ${STAGES.map((stage) => `${count(stage)} ${stage}`).join(', ')}. Their sources were read from ${days[0]} to ${days.at(-1)}.

${categories.map((category) => renderCategory(category, rows)).join('')}`
}

const STAGES = ['corroborated', 'documented', 'unproven', 'code']

function renderCategory(name: string, rows: readonly IndexRow[]): string {
  const own = rows.filter(({ category }) => category === name)
  return `### ${name}\n${own.map(({ text }) => text).join('')}`
}

async function describeIntegration(
  integration: CatalogueEntry,
  evidence: readonly EvidenceRow[],
  today: string,
): Promise<IndexRow> {
  const { key, name, category, docs, versions } = integration
  const spec = JSON.parse(versions[0]?.spec ?? '{}')
  const entry = await readEntryFile(key)
  const stage = entry === undefined ? 'code' : computeStage(entry, evidence, Date.parse(today))
  const authTypes: { authorization_url?: string; discovery?: string }[] = Object.values(
    spec.auth_specification,
  )
  const hasSignIn = authTypes.some((type) => type.authorization_url ?? type.discovery)
  const facts = [...(hasSignIn ? ['sign-in'] : []), ...(stage === 'corroborated' ? [] : [stage])]
  const sources = entry === undefined ? `entries/${key}.ts` : `evidence/${key}.json`
  return {
    category,
    stage,
    days: entry === undefined ? [findDate(key)] : listDays(evidence),
    text: `- [${name}](${docs}) [\`${key}\`](../packages/catalogue/${sources})${facts.length === 0 ? '' : `: ${facts.join(', ')}`}\n`,
  }
}

/** The days on which sources were read, the oldest first. */
function listDays(evidence: readonly EvidenceRow[]): string[] {
  return evidence.flatMap(({ sources }) => sources.map(({ seen }) => seen)).sort()
}

/** When the documentation of an integration that is code was read, as it says. @throws Error if it does not say so */
function findDate(key: string): string {
  const source = readFileSync(new URL(`./entries/${key}.ts`, import.meta.url), 'utf8')
  const [, date] = /Looked up (\d{4}-\d\d-\d\d)/.exec(source) ?? []
  if (date === undefined) throw new Error(`${key}.ts does not say when its documentation was read.`)
  return date
}
