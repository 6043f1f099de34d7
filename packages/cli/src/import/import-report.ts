import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'

/** What became of one connection. Contains no secrets. */
export interface ReportLine {
  readonly integration: string
  readonly connectionId: string
  readonly outcome: Outcome
  readonly integrationDefinitionId?: string | undefined
  readonly integrationAccountId?: string | undefined
  /** A code of the API, or a text that says why. */
  readonly reason?: string | undefined
  /** Settings of the connection that the account does not have. */
  readonly unused?: readonly string[] | undefined
  /** What must not happen to the connection, or what could not be compared. */
  readonly warning?: string | undefined
}

/**
 * - `would_import`: of a dry run
 * - `imported`: stored, not checked; `found`: an earlier run has stored it
 * - `checked`: stored, and its credentials work; `check_failed`: stored, and they did not work
 * - `deleted`: imported earlier and deleted since; `revoked`: the provider refuses its refresh token
 * - `unmapped`: no definition; `unsupported`: the definition cannot express it; `failed`: try again
 */
export type Outcome =
  | 'would_import'
  | 'imported'
  | 'found'
  | 'checked'
  | 'check_failed'
  | 'deleted'
  | 'revoked'
  | 'unmapped'
  | 'unsupported'
  | 'failed'

/** The report of an import, which is also the state from which an interrupted one continues. */
export interface ImportReport {
  /** The last line of a connection, of this run or an earlier one. */
  find(integration: string, connectionId: string): ReportLine | undefined
  add(line: ReportLine): void
  close(): void
}

/** Opens a report of JSON lines, which only its owner can read. A torn last line, as a killed process leaves it, is skipped. */
export function openImportReport(file: string): ImportReport {
  const lines = new Map<string, ReportLine>()
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  for (const line of text.split('\n')) {
    const parsed = parseLine(line)
    if (parsed !== undefined) lines.set(getKey(parsed.integration, parsed.connectionId), parsed)
  }
  const descriptor = openSync(file, 'a', 0o600)
  if (text !== '' && !text.endsWith('\n')) writeSync(descriptor, '\n')
  return {
    find: (integration, connectionId) => lines.get(getKey(integration, connectionId)),
    add(line) {
      lines.set(getKey(line.integration, line.connectionId), line)
      writeSync(descriptor, `${JSON.stringify(line)}\n`)
    },
    close: () => closeSync(descriptor),
  }
}

/** A report in memory, for a dry run. */
export function createMemoryReport(): ImportReport {
  return { find: () => undefined, add() {}, close() {} }
}

const getKey = (integration: string, connectionId: string) =>
  JSON.stringify([integration, connectionId])

function parseLine(line: string): ReportLine | undefined {
  try {
    const parsed: Partial<ReportLine> | null = JSON.parse(line)
    const { integration, connectionId, outcome } = parsed ?? {}
    const isLine = [integration, connectionId, outcome].every((one) => typeof one === 'string')
    return isLine ? (parsed as ReportLine) : undefined
  } catch {
    return undefined
  }
}
