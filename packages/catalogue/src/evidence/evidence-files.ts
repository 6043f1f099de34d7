import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Entry } from '@linchpin/kit/build'
import { DEFAULT_FOLDERS } from '../build/catalogue-folders.ts'
import type { EvidenceRow, EvidenceSource } from './evidence.ts'
import { type Fact, listFacts } from './list-facts.ts'

const EVIDENCE = fileURLToPath(new URL('../../evidence/', import.meta.url))

/** An entry as its file has it; undefined if there is none. */
export async function readEntryFile(key: string): Promise<Entry | undefined> {
  const file = entryFile(key)
  return existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : undefined
}

export function entryFile(key: string): string {
  return path.join(DEFAULT_FOLDERS.sources, `${key}.json`)
}

/** The evidence of an integration; empty if there is none. */
export async function readEvidence(key: string): Promise<readonly EvidenceRow[]> {
  const file = path.join(EVIDENCE, `${key}.json`)
  return existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : []
}

/** Writes the evidence of an integration: a row per fact, in the order of the entry, a source per line. */
export async function writeEvidence(key: string, rows: readonly EvidenceRow[]): Promise<void> {
  const text = rows.map(
    ({ path: fact, value, sources, note }) => `  {
    "path": ${JSON.stringify(fact)},
    "value": ${JSON.stringify(value)},
    "sources": [${sources.map((source) => `\n      ${JSON.stringify(source)}`).join(',')}${sources.length > 0 ? '\n    ' : ''}]${note === undefined ? '' : `,\n    "note": ${JSON.stringify(note)}`}
  }`,
  )
  await writeFile(path.join(EVIDENCE, `${key}.json`), `[\n${text.join(',\n')}\n]\n`)
}

/** Rows for all facts of an entry as it is now: those that exist, with sources that are new. A source says a thing once. */
export function mergeRows(
  entry: Entry,
  rows: readonly EvidenceRow[],
  find: (fact: Fact) => Partial<EvidenceRow>,
): EvidenceRow[] {
  const byPath = new Map(rows.map((row) => [row.path, row]))
  return listFacts(entry).flatMap((fact) => {
    const row = byPath.get(fact.path)
    const { sources = [], note = row?.note } = find(fact)
    const all = [...(row?.sources ?? []), ...sources]
    if (all.length === 0) return []
    const { path: name, value } = fact
    return [{ path: name, value, sources: unique(all), ...(note !== undefined && { note }) }]
  })
}

function unique(sources: readonly EvidenceSource[]): EvidenceSource[] {
  const byPlace = new Map(sources.map((source) => [`${source.url} ${source.found}`, source]))
  return [...byPlace.values()]
}
