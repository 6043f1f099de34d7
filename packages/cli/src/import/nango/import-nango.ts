import { type IntegrationDefinition, type Linchpin, LinchpinError } from '@linchpin/sdk'
import type { ImportReport, Outcome, ReportLine } from '../import-report.ts'
import { runBounded } from '../run-bounded.ts'
import {
  buildImport,
  getConnectionTags,
  type IdentifierSource,
  UnsupportedConnectionError,
} from './build-import.ts'
import { findDefinition, type IntegrationMap } from './map-integrations.ts'
import { type NangoClient, type NangoConnection, NangoError } from './nango-client.ts'

export interface ImportNangoOptions {
  readonly nango: NangoClient
  readonly linchpin: Linchpin
  readonly map: IntegrationMap
  readonly report: ImportReport
  /** Receives each line of the report. */
  readonly onLine?: ((line: ReportLine) => void) | undefined
  /** Without it nothing is stored, and Nango is not asked for credentials. */
  readonly applies: boolean
  /** Checks the credentials of each account after its import. */
  readonly checks: boolean
  readonly workspaceId?: string | undefined
  readonly identifier?: IdentifierSource | undefined
  /** Connections at a time. Default: 8. */
  readonly concurrency?: number | undefined
}

/** How many connections ended with each outcome. */
export type ImportSummary = Readonly<Partial<Record<Outcome, number>>>

/**
 * Imports the connections of Nango as accounts. Safe to repeat after any interruption: a connection whose account exists
 * is not read again, because Nango may refresh a token when it is read, and this token may have been refreshed here.
 *
 * @throws NangoError, LinchpinError if a key or a token is refused; TypeError for a wrong map. Other failures are
 * outcomes of their connections.
 */
export async function importNango(options: ImportNangoOptions): Promise<ImportSummary> {
  const { linchpin, workspaceId, nango, map, report, concurrency = 8 } = options
  const definitions: IntegrationDefinition[] = []
  for await (const one of linchpin.definitions.list({ workspaceId })) definitions.push(one)
  assertMapped(map, definitions)
  const specs = createSpecReader(linchpin, workspaceId)
  const counts = new Map<Outcome, number>()
  await runBounded(nango.listConnections(), concurrency, async (connection) => {
    const definition = findDefinition(connection, map, definitions)
    const line = await importConnection(options, connection, definition, specs)
    report.add(line)
    options.onLine?.(line)
    counts.set(line.outcome, (counts.get(line.outcome) ?? 0) + 1)
  })
  return Object.fromEntries(counts)
}

/** A typing error in the map must not be found after half of the connections. */
function assertMapped(map: IntegrationMap, definitions: readonly IntegrationDefinition[]): void {
  for (const provider_config_key of map.keys())
    findDefinition({ provider_config_key, provider: '' }, map, definitions)
}

type SpecReader = (definitionId: string) => Promise<Record<string, unknown>>

function createSpecReader(linchpin: Linchpin, workspaceId: string | undefined): SpecReader {
  const reads = new Map<string, Promise<Record<string, unknown>>>()
  return (id) => {
    const read = reads.get(id) ?? linchpin.definitions.getSpec(id, { workspaceId })
    reads.set(id, read)
    return read
  }
}

async function importConnection(
  options: ImportNangoOptions,
  connection: NangoConnection,
  definition: IntegrationDefinition | undefined,
  readSpec: SpecReader,
): Promise<ReportLine> {
  const { provider_config_key: integration, connection_id: connectionId } = connection
  const previous = options.report.find(integration, connectionId)
  const base = { integration, connectionId }
  if (definition === undefined)
    return { ...base, outcome: 'unmapped', reason: 'Map it with --map integration=definition.' }
  const { integrationDefinitionId } = definition
  const known = { ...base, integrationDefinitionId }
  if (!options.applies) return { ...known, outcome: 'would_import' }
  if (previous !== undefined && SETTLED.has(previous.outcome)) return previous
  let accountId: string | undefined
  try {
    const found = await findAccount(options, connection, previous)
    const account = found ?? (await storeAccount(options, connection, definition, readSpec))
    accountId = account.id
    const ids = { ...known, integrationAccountId: accountId }
    if (account.status === 'deleted') return { ...ids, outcome: 'deleted' }
    const outcome = found === undefined ? 'imported' : 'found'
    options.report.add({ ...ids, outcome })
    if (!options.checks) return { ...ids, outcome }
    // Verifies the stored credentials; expired tokens are refreshed first.
    await options.linchpin.accounts.update(accountId, { config: {} })
    return { ...ids, outcome: 'checked' }
  } catch (error) {
    return { ...known, ...toFailure(error, accountId) }
  }
}

/** Nothing is left to do for these. */
const SETTLED: ReadonlySet<Outcome> = new Set(['checked', 'deleted'])

interface FoundAccount {
  readonly id: string
  readonly status: string
}

async function findAccount(
  { linchpin, workspaceId }: ImportNangoOptions,
  connection: NangoConnection,
  previous: ReportLine | undefined,
): Promise<FoundAccount | undefined> {
  const id = previous?.integrationAccountId
  if (id !== undefined) return { id, status: 'active' }
  const tag = Object.entries(getConnectionTags(connection)).map(([key, value]) => `${key}:${value}`)
  if (tag.some((one) => one.length > 320)) return undefined
  const [account] = await linchpin.accounts.list({ workspaceId, tag }).first(1)
  return account && { id: account.integrationAccountId, status: account.status }
}

async function storeAccount(
  { nango, linchpin, workspaceId, identifier }: ImportNangoOptions,
  connection: NangoConnection,
  { integrationDefinitionId }: IntegrationDefinition,
  readSpec: SpecReader,
): Promise<FoundAccount> {
  const spec = await readSpec(integrationDefinitionId)
  const full = await nango.getCredentials(connection)
  const body = buildImport(connection, full, spec, identifier)
  const account = await linchpin.accounts.import({ ...body, workspaceId, integrationDefinitionId })
  return { id: account.integrationAccountId, status: account.status }
}

function toFailure(
  error: unknown,
  integrationAccountId: string | undefined,
): Pick<ReportLine, 'outcome' | 'reason' | 'integrationAccountId'> {
  if (error instanceof UnsupportedConnectionError)
    return { outcome: 'unsupported', reason: error.message }
  const isOurs = error instanceof LinchpinError || error instanceof NangoError
  // The next connection would end the same way.
  if (isOurs && (error.status === 401 || error.status === 403)) throw error
  const outcome = integrationAccountId === undefined ? 'failed' : 'check_failed'
  return { outcome, integrationAccountId, reason: describe(error) }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (!(error instanceof LinchpinError)) return error.message
  return [error.code, ...Object.keys(error.errors)].join(' ')
}
