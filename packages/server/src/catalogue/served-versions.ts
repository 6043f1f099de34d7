import { type Catalogue, type CatalogueEntry, compareVersions } from '@linchpin/catalogue'
import type { BundleStore } from '../definitions/bundle-store.ts'
import type { CatalogueStore } from './catalogue-store.ts'
import { catalogueDefinitionId, isLocalPath } from './offered-integration.ts'

export interface ServedVersionsDeps {
  readonly bundledCatalogue: Catalogue
  readonly catalogue: CatalogueStore
  readonly bundles: BundleStore
}

/** A version and the digest of the bytes that are served for it. */
export type ServedVersion = Pick<CatalogueEntry['versions'][number], 'version' | 'sha256'>

/**
 * The versions that this service serves: stored bytes first, otherwise the bundled files. So the bytes at a URL never
 * change, and a version in use stays available when a later release no longer bundles it.
 */
export function servedVersions({ bundledCatalogue, catalogue, bundles }: ServedVersionsDeps) {
  const storedVersions = async (key?: string) =>
    (await catalogue.listVersions(key === undefined ? key : catalogueDefinitionId(key))).filter(
      ({ sourceUrl, isStored }) => isLocalPath(sourceUrl) && isStored,
    )
  return {
    /** All versions of each bundled integration, newest first. */
    async all(): Promise<ReadonlyMap<string, readonly ServedVersion[]>> {
      const byDefinition = Map.groupBy(await storedVersions(), ({ definitionId }) => definitionId)
      return new Map(
        bundledCatalogue.entries.map(({ key, versions }) => {
          const stored = byDefinition.get(catalogueDefinitionId(key)) ?? []
          const all = new Map(versions.map(({ version, sha256 }) => [version, sha256]))
          for (const { version, bundleSha256 } of stored) all.set(version, bundleSha256)
          const served = [...all].map(([version, sha256]) => ({ version, sha256 }))
          return [key, served.toSorted((one, two) => compareVersions(two.version, one.version))]
        }),
      )
    },

    /** The bytes of a version; undefined if it does not exist. */
    async bundle(key: string, version: string): Promise<Uint8Array | undefined> {
      const stored = (await storedVersions(key)).find((each) => each.version === version)
      const bytes = stored && (await bundles.code(stored.bundleSha256))
      return bytes ?? bundledCatalogue.bundle(key, version)
    },
  }
}
