import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createSbom } from '../create-sbom.ts'
import type { ReleaseTarget } from '../release-target.ts'
import type { ReleaseInput } from '../stage-release.ts'
import type { DebianPackages } from './debian-package.ts'
import { stageRoot } from './stage-root.ts'
import { writeImage } from './write-image.ts'

/** Builds the image of a release in a folder: the release, Debian's libraries for it, and a bill of materials of both. */
export function buildImage(
  release: string,
  file: string,
  input: ReleaseInput & { readonly target: ReleaseTarget },
): void {
  const { target, cacheFolder } = input
  const pinned = path.join(import.meta.dirname, 'debian-packages.json')
  const all: DebianPackages = JSON.parse(readFileSync(pinned, 'utf8'))
  const packages = all[target.architecture]
  const root = mkdtempSync(path.join(tmpdir(), 'linchpin-root-'))
  try {
    stageRoot(root, { release, packages, cacheFolder })
    const components = packages.map(({ name, version }) => ({
      name,
      version,
      purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${target.architecture}`,
    }))
    const sbom = path.join(root, 'opt/linchpin/sbom.json')
    writeFileSync(sbom, createSbom(input.root, input, components))
    writeImage(file, { ...input, root })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
