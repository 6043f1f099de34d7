import { type IntegrationDefinition, type Linchpin, LinchpinError } from '@linchpin/sdk'
import type { ImportReport, Outcome, ReportLine } from '../import-report.ts'
import { runBounded } from '../run-bounded.ts'
import {
  type BuiltImport,
  buildImport,
  getConnectionTags,
  type IdentifierSource,
} from './build-import.ts'
import { UnsupportedConnectionError } from './convert-credentials.ts'
import { findDefinition, type IntegrationMap } from './map-integrations.ts'
import { type NangoClient, type NangoConnection, NangoError } from './nango-client.ts'
import { createClientComparison, type OAuthClientComparison } from './oauth-clients.ts'
import { REVOKED_ON_DELETION } from './provider-maps.ts'

export interface ImportNangoOptions {
  readonly nango: NangoClient
  readonly linchpin: Linchpin
  readonly map: IntegrationMap
  readonly report: ImportReport
  /** Receives each line of the report. */
  readonly onLine?: ((line: ReportLine) => void) | undefined
  /** Receives what concerns more than one connection. */
  readonly onNotice?: ((text: string) => void) | undefined
  /** Without it nothing is stored, and no refresh token is read. */
  readonly applies: boolean
  /** Checks the credentials of each account after its import. */
  readonly checks: boolean
  readonly workspaceId?: string | undefined
  readonly identifier?: IdentifierSource | undefined
  /** Connections at a time. Default: 8. */
  readonly concurrency?: number | undefined
  /** Waits before connections that Nango could not refresh are read again. */
  readonly sleep: (ms: number) => Promise<unknown>
}

/** What became of the connections. */
export interface ImportSummary {
  /** How many ended with each outcome. */
  readonly counts: Readonly<Partial<Record<Outcome, number>>>
  /** Whether the key can read credentials, and Nango has listed all connections. */
  readonly isComplete: boolean
}

/**
 * Imports the connections of Nango as accounts. Safe to repeat after any interruption: a connection whose account exists
 * is not read again, because Nango may refresh a token when it is read, and this token may have been refreshed here.
 *
 * @throws NangoError, LinchpinError if a key or a token is refused; TypeError for a wrong map. Other failures are
 * outcomes of their connections.
 */
export async function importNango(options: ImportNangoOptions): Promise<ImportSummary> {
  const { linchpin, workspaceId, nango, map, report, concurrency = 8, onNotice } = options
  const definitions: IntegrationDefinition[] = []
  for await (const one of linchpin.definitions.list({ workspaceId })) definitions.push(one)
  assertMapped(map, definitions)
  const { connections, isListComplete } = await collectConnections(options)
  const canRead = await nango.canReadCredentials()
  if (!canRead && options.applies) throw new NangoError(NO_SCOPE, { status: 403 })
  if (!canRead) onNotice?.(NO_SCOPE)
  const context: Context = {
    ...options,
    canRead,
    clients: createClientComparison(nango, linchpin, workspaceId),
    readSpec: createSpecReader(linchpin, workspaceId),
  }
  const counts = new Map<Outcome, number>()
  const again: NangoConnection[] = []
  const run = (items: readonly NangoConnection[], isLast: boolean) =>
    runBounded(items, concurrency, async (connection) => {
      const definition = findDefinition(connection, map, definitions)
      const line = await importConnection(context, connection, definition)
      if (line.outcome === 'revoked' && line.integrationAccountId === undefined && !isLast)
        return void again.push(connection)
      report.add(line)
      options.onLine?.(line)
      counts.set(line.outcome, (counts.get(line.outcome) ?? 0) + 1)
    })
  await run(connections, false)
  if (again.length > 0) {
    // For 30 seconds after a failure, which may have been one of the network, Nango does not try again.
    onNotice?.(`${again.length} connections that Nango could not refresh are read again.`)
    await options.sleep(31_000)
    await run(again, true)
  }
  return { counts: Object.fromEntries(counts), isComplete: canRead && isListComplete }
}

const NO_SCOPE =
  'The key cannot read credentials, which --apply needs: give it the scope environment:connections:read_credentials.'

/** The connections of all pages that Nango returns. @throws NangoError if there are none, for a refused key and without a response */
async function collectConnections({ nango, onNotice }: ImportNangoOptions): Promise<{
  readonly connections: readonly NangoConnection[]
  readonly isListComplete: boolean
}> {
  let isListComplete = true
  const connections: NangoConnection[] = []
  const onSkippedPage = (page: number, error: NangoError) => {
    isListComplete = false
    onNotice?.(`Page ${page} of the list of connections is missing: ${error.message}`)
  }
  try {
    for await (const one of nango.listConnections(onSkippedPage)) connections.push(one)
  } catch (error) {
    const status = error instanceof NangoError ? error.status : undefined
    const isRefused = status !== undefined && status !== 401 && status !== 403
    if (!isRefused || connections.length === 0) throw error
    isListComplete = false
    onNotice?.(`The list of connections ends early: ${describe(error)}`)
  }
  return { connections, isListComplete }
}

/** What importing one connection needs. */
interface Context extends ImportNangoOptions {
  readonly canRead: boolean
  readonly clients: OAuthClientComparison
  readonly readSpec: SpecReader
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
  context: Context,
  connection: NangoConnection,
  definition: IntegrationDefinition | undefined,
): Promise<ReportLine> {
  const { provider_config_key: integration, connection_id: connectionId, provider } = connection
  const base = { integration, connectionId }
  if (definition === undefined)
    return { ...base, outcome: 'unmapped', reason: 'Map it with --map integration=definition.' }
  const { integrationDefinitionId } = definition
  const warning = REVOKED_ON_DELETION.has(provider) ? KEEP_IT : undefined
  const known = { ...base, integrationDefinitionId, warning }
  const previous = context.report.find(integration, connectionId)
  if (previous !== undefined && SETTLED.has(previous.outcome)) return previous
  let stored: StoredAccount | undefined
  try {
    const found = await findAccount(context, connection, previous)
    if (!context.applies && found === undefined)
      return { ...known, ...(await planConnection(context, connection, definition)) }
    stored = found ?? (await storeAccount(context, connection, definition))
    const ids = { ...known, ...stored.noted, integrationAccountId: stored.id }
    if (stored.status === 'deleted') return { ...ids, outcome: 'deleted' }
    const outcome = found === undefined ? 'imported' : 'found'
    context.report.add({ ...ids, outcome })
    if (!context.checks || !context.applies) return { ...ids, outcome }
    // Verifies the stored credentials; expired tokens are refreshed first.
    await context.linchpin.accounts.update(stored.id, { config: {} })
    return { ...ids, outcome: 'checked' }
  } catch (error) {
    return { ...known, ...stored?.noted, ...toFailure(error, stored?.id) }
  }
}

const KEEP_IT =
  'Do not delete this connection in Nango: Nango then revokes the grant, and this account ends.'

/** Nothing is left to do for these. */
const SETTLED: ReadonlySet<Outcome> = new Set(['checked', 'deleted'])

/** What the report says about an account that was built from a connection. */
type Noted = Pick<ReportLine, 'unused' | 'warning'>

interface StoredAccount {
  readonly id: string
  readonly status: string
  readonly noted: Noted
}

async function findAccount(
  { linchpin, workspaceId }: ImportNangoOptions,
  connection: NangoConnection,
  previous: ReportLine | undefined,
): Promise<StoredAccount | undefined> {
  const noted = previous?.unused === undefined ? {} : { unused: previous.unused }
  const id = previous?.integrationAccountId
  if (id !== undefined) return { id, status: 'active', noted }
  const tag = Object.entries(getConnectionTags(connection)).map(([key, value]) => `${key}:${value}`)
  if (tag.some((one) => one.length > 320)) return undefined
  const [account] = await linchpin.accounts.list({ workspaceId, tag }).first(1)
  return account && { id: account.integrationAccountId, status: account.status, noted }
}

/** What would become of a connection, as far as its settings tell. */
async function planConnection(
  context: Context,
  connection: NangoConnection,
  definition: IntegrationDefinition,
): Promise<Pick<ReportLine, 'outcome' | 'reason'> & Noted> {
  if (!context.canRead) return { outcome: 'would_import', reason: 'Its credentials were not read.' }
  const full = await context.nango.getSettings(connection)
  const spec = await context.readSpec(definition.integrationDefinitionId)
  const built = buildImport(connection, full, { key: definition.key, spec }, context.identifier)
  return { outcome: 'would_import', ...(await note(context, connection, definition, built)) }
}

async function storeAccount(
  context: Context,
  connection: NangoConnection,
  definition: IntegrationDefinition,
): Promise<StoredAccount> {
  const { nango, linchpin, workspaceId, identifier } = context
  const { integrationDefinitionId, key } = definition
  const spec = await context.readSpec(integrationDefinitionId)
  const full = await nango.getCredentials(connection)
  const built = buildImport(connection, full, { key, spec }, identifier)
  const noted = await note(context, connection, definition, built)
  const body = { ...built.body, workspaceId, integrationDefinitionId }
  const account = await linchpin.accounts.import(body)
  return { id: account.integrationAccountId, status: account.status, noted }
}

/** Compares the OAuth client. @throws UnsupportedConnectionError if the OAuth app here has another one */
async function note(
  { clients }: Context,
  connection: NangoConnection,
  { integrationDefinitionId }: IntegrationDefinition,
  { body, clientId, unused }: BuiltImport,
): Promise<Noted> {
  const warning =
    body.tokens == null
      ? undefined
      : await clients.compare(connection, integrationDefinitionId, body.accountIdentifier, clientId)
  const isRevoked = REVOKED_ON_DELETION.has(connection.provider)
  const warnings = [isRevoked ? KEEP_IT : [], warning ?? []].flat()
  return {
    ...(unused.length === 0 ? {} : { unused }),
    ...(warnings.length === 0 ? {} : { warning: warnings.join(' ') }),
  }
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
  return {
    outcome: getOutcome(error, integrationAccountId),
    integrationAccountId,
    reason: describe(error),
  }
}

function getOutcome(error: unknown, integrationAccountId: string | undefined): Outcome {
  const isRefused = error instanceof NangoError && error.code === 'invalid_credentials'
  const isEnded = error instanceof LinchpinError && error.code === 'needs_reauth'
  if (isRefused || isEnded) return 'revoked'
  return integrationAccountId === undefined ? 'failed' : 'check_failed'
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (!(error instanceof LinchpinError)) return error.message
  return [error.code, ...Object.keys(error.errors)].join(' ')
}
