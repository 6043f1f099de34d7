import type { DeclaredIntegration } from '@linchpin/runner'
import type { Definition } from '../definition.ts'
import { runCommand } from '../run/run-command.ts'
import type { Entry } from './entry.ts'
import { findNeededRuntime } from './needed-runtime.ts'
import { toDefinition } from './to-definition.ts'

/**
 * The integration of an entry, for a host that runs it without a sandbox: with the same code that its bundle contains.
 *
 * @returns undefined when only its bundle does exactly what it was tested for: it names another release of that code, or it has
 * so many templates that a long value could take the time of others
 */
export function interpretEntry(entry: Entry): DeclaredIntegration | undefined {
  if (!RUNTIMES.has(entry.runtime) || countTemplates(entry) > MAX_TEMPLATES) return undefined
  if (entry.runtime < findNeededRuntime(entry).runtime) return undefined
  const isEarlier = entry.runtime < FIRST_WITH_QUERY
  const { retry, ...earlier } = entry
  const definition = toDefinition(isEarlier ? earlier : entry)
  if (isEarlier && sendsQuery(definition)) return undefined
  return { run: (command, params, deps) => runCommand(definition, command, params, deps) }
}

/** The releases of the runtime that this code does the same as. The test of all entries, in both ways, proves it. */
const RUNTIMES: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 6, 7])

/** The release that new entries name. */
export const LATEST_RUNTIME = Math.max(...RUNTIMES)

/** The first release of the runtime whose SPEC has the query parameters with credentials, and the headers of rate limits. */
const FIRST_WITH_QUERY = 3

function sendsQuery({ auth }: Definition): boolean {
  return Object.values(auth).some(
    ({ credentials }) =>
      credentials.query !== undefined && Object.keys(credentials.query).length > 0,
  )
}

function countTemplates(entry: Entry): number {
  return JSON.stringify(entry).split('${').length - 1
}

const MAX_TEMPLATES = 100
