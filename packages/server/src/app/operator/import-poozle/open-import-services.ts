import { createUserStore } from '../../../access/users/user-store.ts'
import { createLinkCounters } from '../../../connect/links/counters/link-counters.ts'
import { createLog } from '../../../platform/http/log.ts'
import { createAppServices } from '../../app-services.ts'
import { createWorkMetrics } from '../../observability/metrics/work-metrics.ts'
import type { Config } from '../../start/environment.ts'
import { openRuntime } from '../../start/open-runtime.ts'
import { type OpenServicesOptions, openServices } from '../../start/open-services.ts'
import type { OpenedServices } from './import-poozle-command.ts'

/** Opens what the import needs, beside a service that may be running. Logs to standard error. */
export async function openImportServices(
  config: Config,
  options: Omit<OpenServicesOptions, 'exclusive'>,
): Promise<OpenedServices> {
  const core = await openServices(config, { ...options, exclusive: false })
  const { database } = core
  const log = createLog('warn', process.stderr)
  const { now } = options
  const runtime = openRuntime(config, {
    ...core,
    log,
    now,
    port: () => config.port,
    workMetrics: createWorkMetrics(now),
    observeRunner: (runner) => runner,
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
      await Promise.all([runtime.close(), counters.stop(), services.accountUse.stop()])
      await Promise.all([services.refusals.stop(), services.proxyUse.stop()])
      await database.close()
    },
  }
}
