import { parseArgs } from 'node:util'
import { checkEvidence } from './check-evidence.ts'
import type { EvidenceSource } from './evidence.ts'
import { mergeRows, readEntryFile, readEvidence, writeEvidence } from './evidence-files.ts'
import { listFacts } from './list-facts.ts'

const USAGE = `node packages/catalogue/cite.ts <key> --url <page> [--kind provider|sdk|openapi|discovery|library]
  [--repo owner/name] [--commit id] [--note text] [--drop] <path>=<literal> …

Adds a source to the facts that it proves: the path of each in the entry, and the literal as it stands there.
Without facts, prints what is not proven yet. --drop takes the source away from these facts (=<literal> is not needed);
--note without --url says why the entry is right where sources disagree.`

/** Adds a source to the evidence of an integration. Prints what is not proven yet. */
export async function cite(args: readonly string[], today: string): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      kind: { type: 'string', default: 'provider' },
      repo: { type: 'string' },
      commit: { type: 'string' },
      note: { type: 'string' },
      drop: { type: 'boolean', default: false },
    },
  })
  const [key, ...facts] = positionals
  const entry = key === undefined ? undefined : await readEntryFile(key)
  if (key === undefined || entry === undefined) return USAGE
  const found = new Map(facts.map(splitFact))
  const paths = new Set(listFacts(entry).map(({ path }) => path))
  const unknown = [...found.keys()].filter((path) => !paths.has(path))
  if (unknown.length > 0)
    return `No facts of ${key}: ${unknown.join(', ')}.\nFacts: ${[...paths].join(', ')}`
  const before = await readEvidence(key)
  const remaining = values.drop
    ? before.map((row) =>
        found.has(row.path)
          ? { ...row, sources: row.sources.filter(({ url }) => url !== values.url) }
          : row,
      )
    : before
  const { kind, url, repo, commit, note } = values
  const rows = mergeRows(entry, remaining, ({ path }) => {
    const literal = found.get(path)
    if (literal === undefined) return {}
    const source = { url, kind, repo, commit, seen: today, found: literal } as EvidenceSource
    const isAdded = url !== undefined && !values.drop
    return { sources: isAdded ? [source] : [], ...(note !== undefined && { note }) }
  })
  await writeEvidence(key, rows)
  const problems = checkEvidence(entry, rows)
  return problems.length === 0
    ? `${key}: all ${rows.length} facts are proven.`
    : problems.join('\n')
}

function splitFact(text: string): readonly [path: string, found: string] {
  const at = text.indexOf('=')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
