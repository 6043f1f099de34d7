import type { Catalogue, CatalogueEntry } from '@linchpin/catalogue'
import { compareVersions } from '@linchpin/catalogue'
import type { BundleStore } from '../definitions/bundle-store.ts'
import { catalogueDefinitionId } from './catalogue-definition-id.ts'
import type { CatalogueStore } from './catalogue-store.ts'
import { isLocalPath } from './offered-integration.ts'

export interface ServedVersionsDeps {
  readonly bundledCatalogue: Catalogue
  readonly catalogue: CatalogueStore
  readonly bundles: BundleStore
}

/** A version and the digest of the bytes that are served for it. */
export type ServedVersion = Pick<CatalogueEntry['versions'][number], 'version' | 'sha256'>

/**
 * What is at our addresses: the bytes that were had first for a version, and else those of our files. So nothing changes
 * under its address, and a version that workspaces run stays there when a later release of ours has it no more.
 */
export function servedVersions({ bundledCatalogue, catalogue, bundles }: ServedVersionsDeps) {
  const storedVersions = async (key?: string) =>
    (await catalogue.listVersions(key === undefined ? key : catalogueDefinitionId(key))).filter(
      ({ source_url, kept_sha256 }) => isLocalPath(source_url) && kept_sha256 !== null,
    )
  return {
    /** The versions of each integration of ours, newest first. */
    async all(): Promise<ReadonlyMap<string, readonly ServedVersion[]>> {
      const byDefinition = Map.groupBy(await storedVersions(), ({ definition_id }) => definition_id)
      return new Map(
        bundledCatalogue.entries.map(({ key, versions }) => {
          const stored = byDefinition.get(catalogueDefinitionId(key)) ?? []
          const all = new Map(versions.map(({ version, sha256 }) => [version, sha256]))
          for (const { version, bundle_sha256 } of stored) all.set(version, bundle_sha256)
          const served = [...all].map(([version, sha256]) => ({ version, sha256 }))
          return [key, served.toSorted((one, two) => compareVersions(two.version, one.version))]
        }),
      )
    },

    /** The bytes of a version; undefined when there is none. */
    async bundle(key: string, version: string): Promise<Uint8Array | undefined> {
      const stored = (await storedVersions(key)).find((each) => each.version === version)
      const bytes = stored && (await bundles.code(stored.bundle_sha256))
      return bytes ?? bundledCatalogue.bundle(key, version)
    },
  }
}
