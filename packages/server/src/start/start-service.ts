import {
  createEgressGateway,
  createRunner,
  type EgressGateway,
  findJailSupport,
  type Runner,
} from '@linchpin/runner'
import { createRefreshCache } from '../accounts/token-refresh/refresh-cache.ts'
import { type RefreshLoop, startRefreshLoop } from '../accounts/token-refresh/refresh-loop.ts'
import { createRefreshStore } from '../accounts/token-refresh/refresh-store.ts'
import { createRotationStore } from '../accounts/verification/rotation-store.ts'
import { createTokenLeaseStore } from '../accounts/verification/token-lease-store.ts'
import { buildApp } from '../app.ts'
import { ConfigError } from '../config/config.ts'
import { createSubmissionStore, sweepSubmissions } from '../connect-page/stores/submission-store.ts'
import { createBundleStore } from '../definitions/bundle-store.ts'
import type { Log } from '../http/log.ts'
import { createLinkCounters } from '../links/counters/link-counters.ts'
import { createOAuthAppStore } from '../oauth-apps/oauth-app-store.ts'
import { sweepOAuth } from '../oauth-flow/cleanup/sweep-oauth.ts'
import { createConfirmationStore } from '../oauth-flow/confirmation-store.ts'
import { createOAuthSessionStore } from '../oauth-flow/oauth-session-store.ts'
import type { DrainState } from '../observability/health.ts'
import { createTokenStore } from '../tokens/token-store.ts'
import { ensureOwner } from '../users/ensure-owner.ts'
import { createUserStore } from '../users/user-store.ts'
import { createWorkspaceStore } from '../workspaces/workspace-store.ts'
import type { Config } from './environment.ts'
import { monitorFileDescriptors } from './monitor-file-descriptors.ts'
import { type OpenCatalogue, openCatalogue } from './open-catalogue.ts'
import { type CoreServices, type OpenServicesOptions, openServices } from './open-services.ts'
import { warnAboutOwnerTokenFile, writeOwnerToken } from './owner-token-file.ts'
import { requireJail } from './require-jail.ts'

/** A running service. */
export interface Service {
  /** The public base URL. */
  readonly url: string
  /** Stops accepting work, finishes what is running and closes everything. */
  stop(): Promise<void>
}

export interface StartOptions extends Omit<OpenServicesOptions, 'exclusive'> {
  readonly log: Log
  /** Receives the path of the owner's token when this start created one: at once, since a later step may fail. */
  readonly onTokenFile: (file: string) => void
}

/** Opens everything in order and listens. When a step fails, closes what was opened before it. */
export async function startService(config: Config, options: StartOptions): Promise<Service> {
  if (config.jail === 'require') requireJail(await findJailSupport())
  const services = await openServices(config, { ...options, exclusive: true })
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
  services: CoreServices,
  catalogue: OpenCatalogue,
  options: StartOptions,
): Promise<Service> {
  const drainState: DrainState = { isDraining: false }
  let port = config.port
  const baseUrl = () => config.publicUrl ?? `http://localhost:${port}`
  const fileDescriptors = monitorFileDescriptors(options.log, options.now)
  const egressGateway = createEgressGateway({
    allow: config.egressAllow,
    proxy: config.egressProxy,
    proxyResolves: config.egressProxyResolves,
    listeningPorts: () => [port],
    log: (detail) => {
      fileDescriptors.recordMessage(detail)
      options.log.info({ detail }, 'an outgoing request got no answer')
    },
    onCircuitChange: ({ change, ...detail }) =>
      options.log.warn(
        { ...detail, scope: detail.workspaceId ? 'workspace' : 'node' },
        `the circuit to a host ${change}`,
      ),
  })
  const runner = createRunner({
    egressGateway,
    log: (level, message, detail) => options.log[level](detail ?? {}, message),
  })
  const counters = createLinkCounters({ database: services.database, log: options.log })
  const app = await buildApp({
    ...options,
    ...services,
    egressGateway,
    runner,
    counters,
    ...catalogue,
    baseUrl,
    drainState,
    trustProxy: config.trustProxy,
    maxConnections: config.maxConnections,
    metricsToken: config.metricsToken,
  })
  const closing = new AbortController()
  const background = startBackgroundJobs(services, options, { egressGateway, runner })
  const registry = catalogue.startRegistryUpdates({ egressGateway, runner })
  const close = async () => {
    closing.abort()
    fileDescriptors.stop()
    await Promise.all([app.close(), background.stop(), registry.stop()])
    // Last, so that requests that finished meanwhile are counted.
    await Promise.all([runner.close(), egressGateway.close(), counters.stop()])
  }
  try {
    await app.listen({ port: config.port, host: config.host })
  } catch (error) {
    await close()
    throw error
  }
  const address = app.server.address()
  if (address !== null && typeof address === 'object') port = address.port
  await warnAboutOwnerTokenFile(config.dataDir, options.log, closing.signal)
  return {
    url: baseUrl(),
    async stop() {
      drainState.isDraining = true
      await close()
      await services.database.close()
    },
  }
}

/** Refreshes tokens before they expire, and deletes expired rows. */
function startBackgroundJobs(
  { database, vault }: CoreServices,
  { now, log }: StartOptions,
  runtime: { readonly egressGateway: EgressGateway; readonly runner: Runner },
): RefreshLoop {
  const deps = {
    ...runtime,
    database,
    vault,
    now,
    log,
    bundles: createBundleStore(database),
    oauthApps: createOAuthAppStore(database),
    refreshStore: createRefreshStore(database, now),
    refreshCache: createRefreshCache(),
    oauthSessions: createOAuthSessionStore(database),
    confirmations: createConfirmationStore(database),
    submissions: createSubmissionStore(database),
  }
  const rotations = createRotationStore(database)
  const tokenLeases = createTokenLeaseStore(database, now)
  const sweeps = [
    () => sweepOAuth(deps),
    () => sweepSubmissions(deps),
    () => rotations.sweep(now()),
    () => tokenLeases.sweep(),
  ]
  return startRefreshLoop(deps, { sweeps })
}
