import type { Catalogue } from '@linchpin/catalogue'
import { validateSpec } from '../definitions/spec/validate-spec.ts'

/** One version of an integration that is offered to all workspaces. */
export interface OfferedVersion {
  readonly version: string
  /** Begins with `/` where we serve it. */
  readonly sourceUrl: string
  readonly sha256: string
}

/** The bytes of a bundle, and its judged spec as JSON. */
export interface LoadedVersion {
  readonly code: Uint8Array
  readonly spec: string
}

/** An integration that is offered to all workspaces. */
export interface OfferedIntegration {
  readonly key: string
  readonly name: string
  /** Begins with `/` where we serve it; empty: none. */
  readonly icon: string
  readonly category: string
  readonly stage: string
  /** Newest first; never empty. */
  readonly versions: readonly OfferedVersion[]
  /** @throws OtherBytes; ApiError when the bundle cannot be had, or is not valid */
  readonly load: (version: OfferedVersion) => Promise<LoadedVersion>
}

/** The address of a version gives other bytes than its digest says. */
export class DigestMismatchError extends Error {
  /** Of the bytes that came. */
  readonly sha256: string

  constructor(bundleName: string, sha256: string) {
    super(`${bundleName} has other bytes`)
    this.sha256 = sha256
  }
}

/** Whether we serve what is at this address. */
export function isLocalPath(url: string | null | undefined): boolean {
  return url?.startsWith('/') === true
}

/** The address of a bundle of ours, without our base URL. */
export function bundlePath(key: string, version: string): string {
  return `/catalogue/${key}/${version}/index.js`
}

/** The address of an icon of ours, without our base URL. */
export function iconPath(key: string): string {
  return `/catalogue/icons/${key}.svg`
}

/** The catalogue that comes with us: its specs were made when it was built, so that nothing needs to run. */
export function bundledIntegrations(catalogue: Catalogue): Promise<OfferedIntegration[]> {
  return Promise.all(
    catalogue.entries.map(async ({ key, name, category, stage, versions }) => {
      const icon = await catalogue.icon(key)
      return {
        key,
        name,
        icon: icon === undefined ? '' : iconPath(key),
        category,
        stage,
        versions: versions.map(({ version, sha256 }) => ({
          version,
          sha256,
          sourceUrl: bundlePath(key, version),
        })),
        async load({ version }: OfferedVersion) {
          const code = await catalogue.bundle(key, version)
          const spec = versions.find((each) => each.version === version)?.spec
          if (code === undefined || spec === undefined)
            throw new Error(`the catalogue has no ${key} ${version}`)
          const validated = validateSpec(JSON.parse(spec))
          if (typeof validated === 'string') throw new Error(`${key} ${version}: ${validated}`)
          return { code, spec: validated.json }
        },
      }
    }),
  )
}
