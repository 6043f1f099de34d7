import { writeFile } from 'node:fs/promises'
import type { Entry } from '@linchpin/kit/build'
import { checkEvidence } from './check-evidence.ts'
import { type CollectedFact, findSources } from './collected-facts.ts'
import {
  entryFile,
  mergeRows,
  readEntryFile,
  readEvidence,
  writeEvidence,
} from './evidence-files.ts'

/**
 * Adds what collected facts say to the evidence of an integration, and prints what is not proven yet. If there is no entry, writes
 * one from what most sources say: a developer completes it.
 */
export async function propose(
  key: string,
  facts: readonly CollectedFact[],
  today: string,
): Promise<string> {
  const rows = facts.filter(({ p }) => p === key)
  if (rows.length === 0) return `${key}: no source knows it.`
  const existing = await readEntryFile(key)
  const entry = existing ?? createEntry(key, rows)
  if (existing === undefined)
    await writeFile(entryFile(key), `${JSON.stringify(entry, undefined, 2)}\n`)
  const evidence = mergeRows(entry, await readEvidence(key), (fact) => ({
    sources: findSources(entry, fact, rows, today),
  }))
  await writeEvidence(key, evidence)
  const problems = checkEvidence(entry, evidence)
  return [...(existing === undefined ? [describe(rows)] : []), ...problems].join('\n')
}

/** All that is known, for the developer who completes the entry. */
function describe(rows: readonly CollectedFact[]): string {
  return rows
    .map(({ p, repo, commit, path, ...row }) => JSON.stringify({ ...row, from: `${repo} ${path}` }))
    .join('\n')
}

function createEntry(key: string, rows: readonly CollectedFact[]): Entry {
  const most = (name: keyof CollectedFact) => mostFrequent(rows.map((row) => row[name]))
  const authorize = most('authorize')
  const token = most('token')
  const base = most('api_base')
  const check = most('check')
  const header = most('key')
  return {
    ...({ $schema: '../entry.schema.json' } as object),
    runtime: 1,
    key,
    name: rows[0]?.as ?? key,
    category: 'OTHER',
    version: '1.0.0',
    docs: most('docs') ?? 'https://',
    hosts: [toTemplate(base ?? '').replace(/^https:\/\/|\/.*$/g, '')],
    ...(base !== undefined && { base: toTemplate(base) }),
    auth: {
      ...(authorize !== undefined &&
        token !== undefined && {
          OAuth2: {
            authorize: toTemplate(authorize),
            token: toTemplate(token),
            scopes: { default: [] },
          },
        }),
      ...(header !== undefined && { 'Api Key': createKey(header) }),
    },
    check: { get: check === undefined ? '/' : (check.split(' ')[1] ?? '').replace(/^[^/]*/, '') },
  } as Entry
}

function createKey(key: string): object {
  const fields = { api_key: { title: 'API key', secret: true, help: '' } }
  const [place = '', name = '', scheme = ''] = key.split(' ')
  if (scheme === 'basic') return { basic: '${api_key}:', fields }
  const value =
    scheme === '?'
      ? '${api_key}'
      : `${scheme.charAt(0).toUpperCase()}${scheme.slice(1)} \${api_key}`
  return { [place === 'query' ? 'query' : 'headers']: { [name]: value }, fields }
}

function toTemplate(url: string): string {
  return `https://${url.replaceAll('*', '${placeholder}')}`
}

function mostFrequent(values: readonly (string | undefined)[]): string | undefined {
  const counts = new Map<string, number>()
  for (const value of values)
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0]
}
