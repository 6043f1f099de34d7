import { hash } from 'node:crypto'
import { run } from './run.ts'

/** A component of the bill of materials. */
export interface SbomComponent {
  readonly name: string
  readonly version: string
  readonly purl: string
}

/** What identifies a release. */
export interface ReleaseIdentity {
  readonly version: string
  /** Unix time of the commit, in seconds. */
  readonly epoch: number
}

/**
 * The software bill of materials of a release (CycloneDX 1.5, JSON): what `npm sbom` lists for the service, and other
 * components. The time is that of the commit and the serial number follows from the contents, so it is the same every time.
 */
export function createSbom(
  root: string,
  { version, epoch }: ReleaseIdentity,
  components: readonly SbomComponent[] = [],
): string {
  const args = ['sbom', '--omit=dev', '--sbom-format=cyclonedx', '--package-lock-only']
  const sbom = JSON.parse(run('npm', args, { cwd: root }))
  const { tools: _npm, component, ...metadata } = sbom.metadata
  const contents = {
    ...sbom,
    metadata: {
      ...metadata,
      timestamp: new Date(epoch * 1_000).toISOString(),
      // npm names it after the folder of the clone.
      component: { ...component, name: 'linchpin', type: 'application', version },
    },
    components: [
      ...sbom.components,
      ...components.map((each) => ({ type: 'library', 'bom-ref': each.purl, ...each })),
    ],
  }
  const digest = hash('sha256', JSON.stringify({ ...contents, serialNumber: undefined }))
  const uuid = [
    ...[digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`],
    ...[`8${digest.slice(17, 20)}`, digest.slice(20, 32)],
  ].join('-')
  return `${JSON.stringify({ ...contents, serialNumber: `urn:uuid:${uuid}` }, null, 2)}\n`
}
