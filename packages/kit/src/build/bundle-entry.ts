import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Entry } from '../entry/entry.ts'
import { type EntryProblem, lintEntry } from '../entry/lint-entry.ts'
import { toDefinition } from '../entry/to-definition.ts'
import type { FileLint } from '../lint/lint.ts'
import { lintPlaceholders } from '../lint/placeholders.ts'
import { compile, EXPORT_MAIN } from './compile.ts'

/** The code that the bundles of all entries share, compiled. */
export async function compileRuntime(): Promise<string> {
  const { bytes } = await compile(RUNTIME, EXPORT_MAIN)
  return new TextDecoder().decode(bytes)
}

/**
 * Reads an entry from a file.
 *
 * @throws Error with what is wrong with it
 */
export async function readEntry(file: string): Promise<Entry> {
  const { entry, problems } = await parseEntryFile(file)
  if (problems.length === 0) return entry as Entry
  throw new Error(`${file}: ${problems.map(describeProblem).join(' ')}`)
}

/** What is wrong with the entry in a file. @throws Error when it is not JSON */
export async function lintEntryFile(file: string): Promise<FileLint> {
  const { entry, problems } = await parseEntryFile(file)
  return {
    errors: problems.map(describeProblem),
    placeholders: problems.length > 0 ? [] : lintPlaceholders(toDefinition(entry as Entry)),
  }
}

async function parseEntryFile(file: string) {
  const text = await readFile(file, 'utf8')
  const entry = parse(text, file)
  return { entry, problems: lintEntry(entry) }
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${file} is not JSON: ${(error as Error).message}`, { cause: error })
  }
}

function describeProblem({ path, message }: EntryProblem): string {
  return path === '' ? message : `${path} ${message}`
}

// The sources, even if the kit is packed, so the bytes are the same everywhere.
const SOURCES = import.meta.url.endsWith('.ts') ? '../entry/' : '../../sources/entry/'
const RUNTIME = fileURLToPath(new URL(`${SOURCES}runtime.ts`, import.meta.url))
