import type { Catalogue } from '@linchpin/catalogue'
import { findCategory } from '../definitions/category.ts'
import { serializeReleaseStage } from '../definitions/release-stage.ts'
import { bundlePath, iconPath } from './offered-integration.ts'
import type { ServedVersion } from './served-versions.ts'

/** The registry document of the catalogue that comes with us, as LINCHPIN_REGISTRY_URL takes it. */
export async function buildRegistryDocument(
  { entries, icon }: Catalogue,
  served: ReadonlyMap<string, readonly ServedVersion[]>,
  baseUrl: string,
) {
  const definitions = entries.map(async ({ key, name, category, stage }) => {
    const servedVersions = (served.get(key) ?? []).map(({ version, sha256 }) => ({
      version,
      sourceUrl: baseUrl + bundlePath(key, version),
      sha256,
    }))
    return {
      key,
      name,
      icon: (await icon(key)) === undefined ? '' : baseUrl + iconPath(key),
      integrationType: findCategory(category) ?? { key: category, name: category },
      releaseStage: serializeReleaseStage(stage),
      ...servedVersions[0],
      versions: servedVersions,
    }
  })
  return { version: 1, definitions: await Promise.all(definitions) }
}
