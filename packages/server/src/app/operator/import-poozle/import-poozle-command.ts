import { readFile } from 'node:fs/promises'
import { createFindDeclared, loadCatalogue } from '@linchpin/catalogue'
import type { Caller } from '../../../access/auth/caller.ts'
import { createUserStore } from '../../../access/users/user-store.ts'
import { validateRedirectUrls } from '../../../access/workspaces/validate-allowlists.ts'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import { createRequestLog } from '../../../activity/requests/request-log.ts'
import { UNCOUNTED } from '../../../activity/statistics/statistics.ts'
import { createLinkCounters } from '../../../connect/links/link-counter-store.ts'
import { createLog } from '../../../platform/http/log.ts'
import type { Id } from '../../../platform/storage/id.ts'
import { type AppServices, createAppServices } from '../../app-services.ts'
import { createWorkMetrics } from '../../observability/metrics/work-metrics.ts'
import { importPoozle } from '../../poozle-import/import-poozle.ts'
import type { ImportPoozleOptions, PoozleReportLine } from '../../poozle-import/import-row.ts'
import { openPoozleSource, type PoozleSource } from '../../poozle-import/poozle-source-store.ts'
import type { Config } from '../../start/environment.ts'
import { openRuntime } from '../../start/open-runtime.ts'
import { type OpenServicesOptions, openServices } from '../../start/open-services.ts'
import {
  type CommandOutput,
  formatCommand,
  OperatorUsageError,
  parseOperatorArgs,
} from '../operator-command.ts'

const USAGE = `[options]

Imports the definitions, OAuth apps, links and accounts of a workspace of Poozle, of whose database it only reads.
Without --apply, it only lists what it would import. Safe to repeat. Prints one JSON text per row.
The URL of the database is in POOZLE_DATABASE_URL, or in the file of --database-url-file.

  --database-url-file FILE  a file with the URL
  --from WORKSPACE          the slug or the ID of Poozle's workspace. Default: the only one
  --into WORKSPACE          the ID of Linchpin's workspace. Default: the owner's oldest
  --map KEY=DEFINITION      a definition that exists here, for Poozle's with this key; repeat it. Default: the bundle
                            is downloaded again from its source URL
  --allow-redirects URL     a redirectURL that your product adds to the URLs of its links, exactly as there; repeat it.
                            Default: those of the workspace
  --apply                   imports`

const NOTICE = `Stop Poozle first: two systems must not use one refresh token. Its old link IDs lead to the imported links.`

export interface ImportPoozleCommandDeps {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly output: CommandOutput
  /** Opens Linchpin, only once the arguments and Poozle's database are valid. */
  readonly open: () => Promise<OpenedServices>
}

/** What the import needs of Linchpin. */
interface OpenedServices {
  readonly services: AppServices
  /** The first user; undefined before the first start. */
  readonly ownerId: Id<'usr'> | undefined
  close(): Promise<void>
}

/**
 * Runs `import poozle`.
 *
 * @returns the exit code: 0, 1 if a row failed, 69 if Poozle's database cannot be opened
 * @throws OperatorUsageError
 */
export async function importPoozleCommand(
  args: readonly string[],
  deps: ImportPoozleCommandDeps,
): Promise<number> {
  const { output } = deps
  const options = await parseOptions(args, deps.env)
  if (options === 'help') {
    output.log(`Usage: ${formatCommand(deps.env, 'import poozle')} ${USAGE}`)
    return 0
  }
  const source = await openPoozleSource(options.databaseUrl).catch((error: unknown) => {
    throwIfUsage(error)
    output.error(error instanceof Error ? error.message : 'unknown')
  })
  if (source === undefined) return 69
  try {
    return await runImport(source, options, deps)
  } catch (error) {
    throwIfUsage(error)
    throw error
  } finally {
    await source.close()
  }
}

/** What is wrong with the URL, or with the schema that it leads to, is a TypeError. */
function throwIfUsage(error: unknown): void {
  if (error instanceof TypeError) throw new OperatorUsageError(error.message)
}

async function runImport(
  source: PoozleSource,
  options: Options,
  { output, open }: ImportPoozleCommandDeps,
): Promise<number> {
  const from = await selectWorkspace(source, options.from)
  if (options.applies) output.error(NOTICE)
  const { services, ownerId, close } = await open()
  try {
    if (ownerId === undefined)
      throw new OperatorUsageError('there is no owner yet: start the service once first')
    const caller = createCaller(ownerId)
    const workspace = await (options.into === undefined
      ? services.workspaces.oldest(caller)
      : services.workspaces.find(caller, options.into as WorkspaceId))
    if (workspace === undefined)
      throw new OperatorUsageError('--into: no such workspace of the owner')
    const counts = new Map<string, number>()
    await importPoozle(services, {
      source,
      caller,
      from,
      workspaceId: workspace.workspaceId,
      map: options.map,
      redirectUrls: options.redirectUrls,
      applies: options.applies,
      onLine(line) {
        output.log(JSON.stringify(line))
        const name = `${line.kind} ${line.outcome}` satisfies CountName
        counts.set(name, (counts.get(name) ?? 0) + 1)
      },
    })
    output.error(summarize(counts, options))
    return [...counts.keys()].some((name) => name.endsWith(' failed')) ? 1 : 0
  } finally {
    await close()
  }
}

type CountName = `${PoozleReportLine['kind']} ${PoozleReportLine['outcome']}`

function summarize(counts: ReadonlyMap<string, number>, { applies }: Options): string {
  const text = [...counts].map(([name, count]) => `${count} ${name}`).join(', ') || 'nothing found'
  return applies ? `${text}.` : `${text}. This was a dry run: add --apply to import.`
}

/** The owner, by the command line: without a token. */
function createCaller(userId: Id<'usr'>): Caller {
  const actor = { kind: 'system', via: 'cli', requestId: null } as const
  const access = { userId, boundWorkspaceId: null, scopes: new Set<string>(), expiresAt: null }
  // A caller of the API has a token; records allow none.
  return { ...access, ...actor, tokenId: null } as unknown as Caller
}

async function selectWorkspace(source: PoozleSource, wanted: string | undefined): Promise<string> {
  const all = await source.listWorkspaces()
  const matches =
    wanted === undefined
      ? all
      : all.filter(({ slug, workspaceId }) => slug === wanted || workspaceId === wanted)
  const [match, ...others] = matches
  if (match !== undefined && others.length === 0) return match.workspaceId
  const slugs = all.map(({ slug }) => slug).join(', ')
  throw new OperatorUsageError(
    `--from must be one of the workspaces of Poozle: ${slugs || 'there are none'}`,
  )
}

interface Options extends Pick<ImportPoozleOptions, 'map' | 'redirectUrls' | 'applies'> {
  readonly databaseUrl: string
  readonly from: string | undefined
  readonly into: string | undefined
}

async function parseOptions(
  args: readonly string[],
  env: ImportPoozleCommandDeps['env'],
): Promise<Options | 'help'> {
  const { values, positionals } = parseOperatorArgs(args, {
    'database-url-file': { type: 'string' },
    from: { type: 'string' },
    into: { type: 'string' },
    map: { type: 'string', multiple: true },
    'allow-redirects': { type: 'string', multiple: true },
    apply: { type: 'boolean' },
    help: { type: 'boolean' },
  })
  if (positionals.length > 0) throw new OperatorUsageError('it takes only options')
  if (values.help) return 'help'
  const map = new Map(
    (values.map ?? []).map((text) => {
      const [, key, definition] = /^([^=]+)=(.+)$/.exec(text) ?? []
      if (key === undefined || definition === undefined)
        throw new OperatorUsageError(`--map: ${JSON.stringify(text)} must be key=definition`)
      return [key, definition] as const
    }),
  )
  const databaseUrl = await readDatabaseUrl(values['database-url-file'], env)
  const redirectUrls = values['allow-redirects'] ?? []
  const [error] = Object.values(validateRedirectUrls('url', redirectUrls)).flat()
  if (error !== undefined) throw new OperatorUsageError(`--allow-redirects: ${error.message}`)
  return {
    databaseUrl,
    from: values.from,
    into: values.into,
    map,
    redirectUrls,
    applies: values.apply ?? false,
  }
}

/** Never an argument: other users of the machine can see those, and it may contain a password. */
async function readDatabaseUrl(
  file: string | undefined,
  env: ImportPoozleCommandDeps['env'],
): Promise<string> {
  const text =
    file === undefined
      ? env.POOZLE_DATABASE_URL
      : await readFile(file, 'utf8').catch(() => {
          throw new OperatorUsageError(`--database-url-file: ${file} cannot be read`)
        })
  if (text === undefined || text.trim() === '')
    throw new OperatorUsageError('set POOZLE_DATABASE_URL, or use --database-url-file')
  return text.trim()
}

/** Opens what the import needs, beside a service that may be running. Logs to standard error. */
export async function openImportServices(
  config: Config,
  options: Omit<OpenServicesOptions, 'exclusive'>,
): Promise<OpenedServices> {
  const core = await openServices(config, { ...options, exclusive: false })
  const { database } = core
  const log = createLog('warn', process.stderr)
  const { now } = options
  const catalogue = await loadCatalogue()
  const runtime = openRuntime(config, {
    ...core,
    log,
    now,
    port: () => config.port,
    workMetrics: createWorkMetrics(now),
    requestLog: createRequestLog({ mode: 'off', write: async () => {} }),
    // Accounts that cannot be imported are in its report.
    accountErrors: { add: () => {} },
    statistics: UNCOUNTED,
    debugRecorder: { begin: () => undefined },
    observeRunner: (runner) => runner,
    findDeclared: createFindDeclared(catalogue),
  })
  const counters = createLinkCounters({ database, log })
  const services = createAppServices({
    ...core,
    ...runtime,
    log,
    counters,
    now,
    trustProxy: [],
    drainState: { isDraining: false },
    baseUrl: () => config.publicUrl ?? `http://localhost:${config.port}`,
  })
  return {
    services,
    ownerId: (await createUserStore(database).findOwner(database.read))?.userId,
    async close() {
      await Promise.all([
        runtime.close(),
        counters.stop(),
        services.accountUse.stop(),
        services.accountSuccess.stop(),
      ])
      await Promise.all([services.refusals.stop(), services.proxyUse.stop()])
      await database.close()
    },
  }
}
