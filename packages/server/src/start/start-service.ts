import { createGate, createRunner, findJailSupport, type Gate, type Runner } from '@linchpin/runner'
import { createRotationStore } from '../account/check/rotation-store.ts'
import { createTokenLeaseStore } from '../account/check/token-lease-store.ts'
import { createRenewalStore } from '../account/renewal/lease/renewal-store.ts'
import { type RenewalLoop, startRenewalLoop } from '../account/renewal/renewal-loop.ts'
import { createRenewalState } from '../account/renewal/renewal-state.ts'
import { buildApp } from '../app.ts'
import { ConfigError } from '../config/config.ts'
import { sweepOAuth } from '../connect/abandon/sweep-oauth.ts'
import { createAttemptStore } from '../connect/attempt/attempt-store.ts'
import { createPendingAccountStore } from '../connect/attempt/pending-account-store.ts'
import { createBundleStore } from '../definition/bundle-store.ts'
import type { Log } from '../http/log.ts'
import { createLinkCounters } from '../link/counters/link-counters.ts'
import { sweepVisitAttempts } from '../link-page/attempt/sweep-visit-attempts.ts'
import { createVisitAttemptStore } from '../link-page/attempt/visit-attempt-store.ts'
import { createOAuthAppStore } from '../oauth-app/oauth-app-store.ts'
import type { Draining } from '../operate/health.ts'
import { createTokenStore } from '../token/token-store.ts'
import { ensureOwner } from '../user/ensure-owner.ts'
import { createUserStore } from '../user/user-store.ts'
import { createWorkspaceStore } from '../workspace/workspace-store.ts'
import type { Config } from './environment.ts'
import { watchFileLimit } from './file-limit.ts'
import { type OpenCatalogue, openCatalogue } from './open-catalogue.ts'
import { type Core, type CoreOptions, openCore } from './open-core.ts'
import { warnOfOwnerTokenFile, writeOwnerToken } from './owner-token-file.ts'
import { requireJail } from './require-jail.ts'

/** A service that listens. */
export interface Service {
  /** Where people reach it. */
  readonly url: string
  /** Takes no new work, finishes what runs, and closes everything. */
  stop(): Promise<void>
}

export interface StartOptions extends Omit<CoreOptions, 'exclusive'> {
  readonly log: Log
  /** Hears of the owner's token and its file, when this start makes one: at once, since a later step may fail. */
  readonly onToken: (token: string, file: string) => void
}

/** Opens everything in order and listens. What was opened is closed again when a later step fails. */
export async function startService(config: Config, options: StartOptions): Promise<Service> {
  if (config.jail === 'require') requireJail(await findJailSupport())
  const core = await openCore(config, { ...options, exclusive: true })
  try {
    await makeOwner(config, core, options)
    const catalogue = await openCatalogue(config, core, options)
    return await listen(config, core, catalogue, options)
  } catch (error) {
    await core.database.close()
    throw error
  }
}

async function makeOwner(config: Config, core: Core, options: StartOptions): Promise<void> {
  await ensureOwner({
    ...core,
    users: createUserStore(core.database),
    workspaces: createWorkspaceStore(core.database),
    tokens: createTokenStore(core.database),
    email: config.ownerEmail,
    token: config.token,
    tokenSeconds: config.ownerTokenSeconds,
    now: options.now,
    async keepToken(token) {
      if (config.databaseUrl !== undefined)
        throw new ConfigError(['LINCHPIN_TOKEN: is required at the first start with DATABASE_URL.'])
      options.onToken(token, await writeOwnerToken(config.dataDir, token))
    },
  })
}

async function listen(
  config: Config,
  core: Core,
  catalogue: OpenCatalogue,
  options: StartOptions,
): Promise<Service> {
  const draining: Draining = { isDraining: false }
  let port = config.port
  const baseUrl = () => config.publicUrl ?? `http://localhost:${port}`
  const fileLimit = watchFileLimit(options.log, options.now)
  const gate = createGate({
    allow: config.egressAllow,
    proxy: config.egressProxy,
    proxyResolves: config.egressProxyResolves,
    ownPorts: () => [port],
    log: (detail) => {
      fileLimit.note(detail)
      options.log.info({ detail }, 'an outgoing request got no answer')
    },
    onCircuit: ({ change, ...detail }) =>
      options.log.warn(
        { ...detail, scope: detail.workspaceId ? 'workspace' : 'node' },
        `the circuit to a host ${change}`,
      ),
  })
  const runner = createRunner({
    gate,
    log: (level, message, detail) => options.log[level](detail ?? {}, message),
  })
  const counters = createLinkCounters({ database: core.database, log: options.log })
  const app = await buildApp({
    ...options,
    ...core,
    gate,
    runner,
    counters,
    ...catalogue,
    baseUrl,
    draining,
    trustProxy: config.trustProxy,
    maxConnections: config.maxConnections,
    metricsToken: config.metricsToken,
  })
  const closing = new AbortController()
  const background = startBackground(core, options, { gate, runner })
  const registry = catalogue.watch({ gate, runner })
  const close = async () => {
    closing.abort()
    fileLimit.stop()
    await Promise.all([app.close(), background.stop(), registry.stop()])
    // Last, so that what finished meanwhile is counted.
    await Promise.all([runner.close(), gate.close(), counters.stop()])
  }
  try {
    await app.listen({ port: config.port, host: config.host })
  } catch (error) {
    await close()
    throw error
  }
  const address = app.server.address()
  if (address !== null && typeof address === 'object') port = address.port
  await warnOfOwnerTokenFile(config.dataDir, options.log, closing.signal)
  return {
    url: baseUrl(),
    async stop() {
      draining.isDraining = true
      await close()
      await core.database.close()
    },
  }
}

/** Renews tokens before they end, and sweeps what has ended. */
function startBackground(
  { database, vault }: Core,
  { now, log }: StartOptions,
  outside: { readonly gate: Gate; readonly runner: Runner },
): RenewalLoop {
  const deps = {
    ...outside,
    database,
    vault,
    now,
    log,
    bundles: createBundleStore(database),
    oauthApps: createOAuthAppStore(database),
    renewals: createRenewalStore(database, now),
    renewalState: createRenewalState(),
    attempts: createAttemptStore(database),
    pendingAccounts: createPendingAccountStore(),
    visitAttempts: createVisitAttemptStore(database),
  }
  const rotations = createRotationStore(database)
  const tokenLeases = createTokenLeaseStore(database, now)
  const sweeps = [
    () => sweepOAuth(deps),
    () => sweepVisitAttempts(deps),
    () => rotations.sweep(now()),
    () => tokenLeases.sweep(),
  ]
  return startRenewalLoop(deps, { sweeps })
}
