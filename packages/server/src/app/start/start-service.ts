import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { type Catalogue, createFindDeclared, loadCatalogue } from '@linchpin/catalogue'
import {
  detectSandboxSupport,
  type EgressGateway,
  type Runner,
  type SandboxSupport,
} from '@linchpin/runner'
import { createTokenStore } from '../../access/tokens/token-store.ts'
import { ensureOwner } from '../../access/users/ensure-owner.ts'
import { createUserStore } from '../../access/users/user-store.ts'
import { createWorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { createAccountUseStore } from '../../accounts/accounts/account-use-store.ts'
import { createRefreshCounts } from '../../accounts/accounts/token-refresh/refresh-deps.ts'
import { createAccountErrors } from '../../activity/requests/account-errors.ts'
import { createDebugRecorder } from '../../activity/requests/debug-recorder.ts'
import { createDebugWindowStore } from '../../activity/requests/debug-window-store.ts'
import { createRequestLog } from '../../activity/requests/request-log.ts'
import { createRequestWriter } from '../../activity/requests/request-log-store.ts'
import { createStatistics } from '../../activity/statistics/statistics.ts'
import { createStatisticsWriter } from '../../activity/statistics/statistics-store.ts'
import { createLinkCounters } from '../../connect/links/link-counter-store.ts'
import type { OidcSettings } from '../../console/sign-in/oidc.ts'
import { createAcmeSandbox } from '../../integrations/acme-sandbox/acme-sandbox.ts'
import { applyOverrides } from '../../integrations/catalogue/apply-overrides.ts'
import { createCatalogueStore } from '../../integrations/catalogue/catalogue-store.ts'
import { createInstanceKeyReader } from '../../integrations/catalogue/instance-key-store.ts'
import {
  ACME_SANDBOX_ID,
  listBundledIntegrations,
} from '../../integrations/catalogue/offered-integration.ts'
import {
  type RegistryFetches,
  startRegistryRounds,
} from '../../integrations/catalogue/registry/fetch-registry.ts'
import { syncCatalogue } from '../../integrations/catalogue/sync-catalogue.ts'
import { createBundleStore } from '../../integrations/definitions/bundle-store.ts'
import { ConfigError, type SettingState } from '../../platform/config/config.ts'
import {
  type DrainState,
  describeRequests,
  type RequestsInProgress,
} from '../../platform/http/drain.ts'
import type { Log } from '../../platform/http/log.ts'
import type { Database } from '../../platform/storage/database.ts'
import { StorageError } from '../../platform/storage/storage-error.ts'
import { buildApp } from '../app.ts'
import { createAttemptCounts } from '../observability/metrics/work-metrics.ts'
import { startBackgroundJobs } from './background-jobs.ts'
import { type ConsoleAddress, createStartAddress } from './console-code.ts'
import type { Config } from './environment.ts'
import { type Measurements, openMeasurements, openRuntime } from './open-runtime.ts'
import { type CoreServices, type OpenServicesOptions, openServices } from './open-services.ts'
import { warnAboutOwnerTokenFile, writeOwnerToken } from './owner-token-file.ts'

/** A process that has ended is reported by the event loop: its output, its exit, the end of its pipes. */
const EVENT_TURNS = 4

const IDLE_CHECK_MS = 50

/** A running service. */
export interface Service {
  /** The public base URL. */
  readonly url: string
  /** The address of the console. Absent without a console. */
  readonly consoleAddress: ConsoleAddress | undefined
  /**
   * Is not ready from now on. Accepts connections for `delayMs`; then stops accepting work, finishes what is running and closes
   * everything.
   */
  stop(delayMs: number): Promise<void>
  /** Logs what `stop` has not ended yet. Then the process must exit. */
  cutOff(): void
}

export interface StartOptions extends Omit<OpenServicesOptions, 'exclusive'> {
  readonly log: Log
  /** Receives the path of the owner's token when this start created one: at once, since a later step may fail. */
  readonly onTokenFile: (file: string) => void
  /** Whether the log is text for a person. */
  readonly isPretty: boolean
  /** Which settings have a value. Default: unknown. */
  readonly settings?: readonly SettingState[] | undefined
}

/** Opens everything in order and listens. When a step fails, closes what was opened before it. */
export async function startService(config: Config, options: StartOptions): Promise<Service> {
  // It takes a process of its own, so it runs beside the rest of the start.
  const sandboxSupport = detectSandboxSupport()
  // The first child tries again.
  sandboxSupport.catch(() => {})
  if (config.isolation === 'require') assertSandboxAvailable(await sandboxSupport)
  const opened = await openServices(config, { ...options, exclusive: true })
  const measurements = await openMeasurements(config, options)
  const services = {
    ...opened,
    ...measurements,
    database: measurements.workMetrics.observeDatabase(opened.database),
  }
  try {
    await ensureInitialOwner(config, services, options)
    const catalogue = await openCatalogue(config, services, options)
    return await listen(config, services, catalogue, options)
  } catch (error) {
    await services.database.close()
    throw error
  }
}

async function ensureInitialOwner(
  config: Config,
  services: CoreServices,
  options: StartOptions,
): Promise<void> {
  await ensureOwner({
    ...services,
    users: createUserStore(services.database),
    workspaces: createWorkspaceStore(services.database),
    tokens: createTokenStore(services.database),
    email: config.ownerEmail,
    token: config.token,
    tokenSeconds: config.ownerTokenSeconds,
    now: options.now,
    async saveToken(token) {
      if (config.databaseUrl !== undefined)
        throw new ConfigError(['LINCHPIN_TOKEN: is required at the first start with DATABASE_URL.'])
      options.onTokenFile(await writeOwnerToken(config.dataDir, token))
    },
  })
}

async function listen(
  config: Config,
  services: CoreServices & Measurements,
  catalogue: OpenCatalogue,
  options: StartOptions,
): Promise<Service> {
  const drainState: DrainState = { isDraining: false }
  let port = config.port
  const baseUrl = () => config.publicUrl ?? `http://localhost:${port}`
  const consoleUrl = () => config.consoleUrl ?? baseUrl()
  // The start so far has not let the event loop turn. By now the probe has ended: with its result the first child starts
  // beside the rest of the start.
  for (let turn = 0; turn < EVENT_TURNS; turn++) await setImmediate()
  const acmeSandbox = config.acmeSandbox
    ? createAcmeSandbox(services.vault.deriveKey('linchpin acme sandbox'), options.now)
    : undefined
  const requestLog = createRequestLog({
    mode: config.requestLog,
    write: createRequestWriter(services.database),
  })
  const accountErrors = createAccountErrors({
    now: options.now,
    write: createAccountUseStore(services.database).writeErrors,
  })
  const debugRecorder = createDebugRecorder({
    store: createDebugWindowStore(services.database),
    vault: services.vault,
    now: options.now,
  })
  const statistics = createStatistics({
    log: options.log,
    now: options.now,
    write: createStatisticsWriter(services.database),
  })
  const runtime = openRuntime(config, {
    ...options,
    ...services,
    acmeSandbox,
    requestLog,
    accountErrors,
    debugRecorder,
    statistics,
    findDeclared: createFindDeclared(catalogue.bundledCatalogue),
    port: () => port,
  })
  // The first call of a bundle should not wait for a child. Integrations that are data need none.
  if (catalogue.hasCustomDefinitions) runtime.runner.ready().catch(() => {})
  await setImmediate()
  await catalogue.applyOverrides(runtime)
  const counters = createLinkCounters({ database: services.database, log: options.log, statistics })
  const attemptCounts = createAttemptCounts(statistics)
  const refreshCounts = createRefreshCounts(statistics)
  const own = {
    counters,
    statistics,
    attemptCounts,
    refreshCounts,
    requestLog,
    accountErrors,
    debugRecorder,
    baseUrl,
    consoleUrl,
    drainState,
    acmeSandbox,
  }
  const { emulator } = config
  if (emulator !== undefined)
    options.log.warn({ emulator: emulator.origin }, 'an emulator answers instead of all providers')
  const deps = { ...options, ...services, ...runtime, ...catalogue, ...own, emulator }
  const { trustProxy, metricsToken, auditIp, rates, maxConnections } = config
  let requests: RequestsInProgress = new Set()
  const app = await buildApp({
    ...deps,
    trustProxy,
    metricsToken,
    auditIp,
    rates,
    maxConnections,
    checkInterval: config.checkInterval,
    clientMetadataUrl: config.clientMetadataUrl,
    canRegisterClients: config.mcpRegistration === 'on',
    console: config.console,
    oidc: toOidcSettings(config),
    onRequests: (inProgress) => {
      requests = inProgress
    },
  })
  const closing = new AbortController()
  const background = startBackgroundJobs({
    ...deps,
    refreshConcurrency: config.refreshConcurrency,
    checkInterval: config.checkInterval,
    eventDays: config.eventDays,
    attemptDays: config.attemptDays,
    auditDays: config.auditDays,
    retentionDays: config,
  })
  const registry = catalogue.startRegistryUpdates(runtime)
  const integrityCheck = startIntegrityCheck(deps)
  const close = async () => {
    closing.abort()
    await Promise.all([app.close(), background.stop(), registry.stop(), integrityCheck.stop()])
    // Last, so that requests that finished meanwhile are counted.
    await Promise.all([runtime.close(), counters.stop(), statistics.stop()])
    await services.tracing?.stop()
  }
  try {
    await app.listen({ port: config.port, host: config.host })
    const address = app.server.address()
    if (address !== null && typeof address === 'object') port = address.port
  } catch (error) {
    await close()
    throw error
  }
  await warnAboutOwnerTokenFile(config.dataDir, options.log, closing.signal)
  const consoleAddress = config.console
    ? await createStartAddress(deps, consoleUrl(), config)
    : undefined
  const cutOff = () => {
    const jobs = services.workMetrics.listRunningJobs()
    const detail = { count: requests.size, requests: describeRequests(requests), jobs }
    options.log.warn(detail, 'stopped before all work had ended')
  }
  return {
    url: baseUrl(),
    consoleAddress,
    async stop(delayMs) {
      drainState.isDraining = true
      await sleep(delayMs)
      // A connection whose request ends during the close would stay open until its client closes it.
      const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS)
      await close().finally(() => clearInterval(idle))
      await services.database.close()
    },
    cutOff,
  }
}

/** LINCHPIN_OIDC_…; undefined without an issuer. */
function toOidcSettings(config: Config): OidcSettings | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId = '' } = config
  if (issuer === undefined) return undefined
  return {
    issuer,
    clientId,
    clientSecret: config.oidcClientSecret,
    roles: config.oidcRoles,
    isOnly: config.oidcOnly,
  }
}

/** Checks the requirements of `LINCHPIN_ISOLATION=require`. @throws ConfigError when bubblewrap or seccomp does not work */
export function assertSandboxAvailable({ bubblewrap, seccomp }: SandboxSupport): void {
  if (!bubblewrap)
    throw new ConfigError([
      'LINCHPIN_ISOLATION: require needs bubblewrap, which does not work here: install it and allow user namespaces, or set auto.',
    ])
  if (!seccomp)
    throw new ConfigError([
      'LINCHPIN_ISOLATION: require needs seccomp, which does not work here: use a kernel with seccomp filters on x86_64 or aarch64, or set auto.',
    ])
}

interface IntegrityCheckDeps {
  readonly database: Pick<Database, 'checkIntegrity'>
  readonly log: Pick<Log, 'warn'>
  /** Called with a `corrupt` error: the process must exit, and the next start checks the file before it serves. */
  readonly onFatal: (error: StorageError) => void
}

/** Checks the files of the database once, some seconds after the start, while the service runs. */
export function startIntegrityCheck(
  { database, log, onFatal }: IntegrityCheckDeps,
  delayMs: number = DELAY_MS,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const check = async () => {
    await sleep(delayMs, undefined, { signal: stopping.signal, ref: false })
    await database.checkIntegrity(stopping.signal)
  }
  const finished = check().catch((error: unknown) => {
    if (error instanceof StorageError) onFatal(error)
    else if (!stopping.signal.aborted)
      log.warn({ err: error }, 'the database file could not be checked')
  })
  return {
    async stop() {
      stopping.abort()
      await finished
    },
  }
}

/** The first requests should not share the disk with the check. */
const DELAY_MS = 10_000

/** The built-in catalogue and the optional registry. */
interface OpenCatalogue {
  readonly bundledCatalogue: Catalogue
  /** Whether any workspace has definitions of its own. */
  readonly hasCustomDefinitions: boolean
  /** Undefined when no registry is configured. */
  readonly registryFetches: RegistryFetches | undefined
  /** Changes integrations as LINCHPIN_CATALOGUE_OVERRIDES says. */
  applyOverrides(runtime: CatalogueRuntime): Promise<unknown>
  /** Starts polling the registry. */
  startRegistryUpdates(runtime: CatalogueRuntime): {
    stop(): Promise<void>
  }
}

interface CatalogueRuntime {
  readonly egressGateway: EgressGateway
  readonly runner: Runner
}

/** Stores the built-in catalogue. It runs no bundle: the build has already extracted the specs. */
async function openCatalogue(
  config: Pick<Config, 'registryUrl' | 'registryKeys' | 'acmeSandbox' | 'catalogueOverrides'>,
  { database, vault }: CoreServices,
  { log, now }: { readonly log: Log; readonly now: () => number },
): Promise<OpenCatalogue> {
  const { registryUrl, registryKeys } = config
  const bundledCatalogue = await loadCatalogue()
  const bundles = createBundleStore(database)
  const deps = { database, bundles, catalogue: createCatalogueStore(database), log, now }
  await syncCatalogue(deps, listBundledIntegrations(bundledCatalogue))
  await deps.catalogue.setDeleted(ACME_SANDBOX_ID, config.acmeSandbox ? null : now())
  // Creates the key pair at the first start, so that `npm run linchpin -- registry key` can print it from then on.
  await createInstanceKeyReader({ database, vault, now })()
  const registryFetches =
    registryUrl === undefined ? undefined : { ok: 0, unchanged: 0, failed: 0, refused: 0 }
  const override = (runtime: CatalogueRuntime) =>
    applyOverrides({ ...deps, ...runtime, bundledCatalogue }, config.catalogueOverrides ?? {})
  return {
    bundledCatalogue,
    applyOverrides: override,
    hasCustomDefinitions: await deps.catalogue.hasCustomDefinitions(),
    registryFetches,
    startRegistryUpdates(runtime) {
      if (registryUrl === undefined || registryFetches === undefined)
        return { stop: async () => {} }
      const loopDeps = {
        ...deps,
        ...runtime,
        bundledCatalogue,
        registryUrl: registryUrl.href,
        registryKeys: registryKeys ?? [],
        afterSync: () => override(runtime),
      }
      return startRegistryRounds(loopDeps, registryFetches)
    },
  }
}
