import { type Catalogue, loadCatalogue } from '@linchpin/catalogue'
import type { EgressGateway, Runner } from '@linchpin/runner'
import { createCatalogueStore } from '../../integrations/catalogue/catalogue-store.ts'
import { createInstanceKeyReader } from '../../integrations/catalogue/instance-key.ts'
import {
  ACME_SANDBOX_ID,
  listBundledIntegrations,
} from '../../integrations/catalogue/offered-integration.ts'
import {
  type RegistryFetches,
  startRegistryLoop,
} from '../../integrations/catalogue/registry/registry-loop.ts'
import { syncCatalogue } from '../../integrations/catalogue/sync-catalogue.ts'
import { createBundleStore } from '../../integrations/definitions/bundle-store.ts'
import type { Log } from '../../platform/http/log.ts'
import type { Config } from './environment.ts'
import type { CoreServices } from './open-services.ts'

/** The built-in catalogue and the optional registry. */
export interface OpenCatalogue {
  readonly bundledCatalogue: Catalogue
  /** Undefined when no registry is configured. */
  readonly registryFetches: RegistryFetches | undefined
  /** Starts polling the registry. */
  startRegistryUpdates(runtime: {
    readonly egressGateway: EgressGateway
    readonly runner: Runner
  }): {
    stop(): Promise<void>
  }
}

/** Stores the built-in catalogue. It runs no bundle: the build has already extracted the specs. */
export async function openCatalogue(
  config: Pick<Config, 'registryUrl' | 'registryKeys' | 'acmeSandbox'>,
  { database, vault }: CoreServices,
  { log, now }: { readonly log: Log; readonly now: () => number },
): Promise<OpenCatalogue> {
  const { registryUrl, registryKeys } = config
  const bundledCatalogue = await loadCatalogue()
  const bundles = createBundleStore(database)
  const deps = { database, bundles, catalogue: createCatalogueStore(database), log, now }
  await syncCatalogue(deps, await listBundledIntegrations(bundledCatalogue))
  await deps.catalogue.setDeleted(ACME_SANDBOX_ID, config.acmeSandbox ? null : now())
  // Creates the key pair at the first start, so that `npm run linchpin -- registry key` can print it from then on.
  await createInstanceKeyReader({ database, vault, now })()
  const registryFetches =
    registryUrl === undefined ? undefined : { ok: 0, unchanged: 0, failed: 0, refused: 0 }
  return {
    bundledCatalogue,
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
      }
      return startRegistryLoop(loopDeps, registryFetches)
    },
  }
}
