import type { Catalogue } from '@linchpin/catalogue'
import { knownCategory } from '../definition/category.ts'
import { toReleaseStage } from '../definition/release-stage.ts'
import { bundlePath, iconPath } from './offer.ts'
import type { ServedVersion } from './served-versions.ts'

/** The registry document of the catalogue that comes with us, as LINCHPIN_REGISTRY_URL takes it. */
export async function registryDocument(
  { entries, icon }: Catalogue,
  served: ReadonlyMap<string, readonly ServedVersion[]>,
  baseUrl: string,
) {
  const definitions = entries.map(async ({ key, name, category, stage }) => {
    const all = (served.get(key) ?? []).map(({ version, sha256 }) => ({
      version,
      sourceUrl: baseUrl + bundlePath(key, version),
      sha256,
    }))
    return {
      key,
      name,
      icon: (await icon(key)) === undefined ? '' : baseUrl + iconPath(key),
      integrationType: knownCategory(category) ?? { key: category, name: category },
      releaseStage: toReleaseStage(stage),
      ...all[0],
      versions: all,
    }
  })
  return { version: 1, definitions: await Promise.all(definitions) }
}
