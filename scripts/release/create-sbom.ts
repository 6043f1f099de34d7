import { hash } from 'node:crypto'
import type { ReleaseTarget } from './release-target.ts'
import { run } from './run.ts'

/** A component of the bill of materials. */
export interface SbomComponent {
  readonly name: string
  readonly version: string
  readonly purl: string
  /** Default: `library`. */
  readonly type?: 'application'
  /** The name that lists of vulnerabilities use. */
  readonly cpe?: string
  readonly hashes?: readonly { readonly alg: 'SHA-256'; readonly content: string }[]
}

/** What identifies a release. */
export interface ReleaseIdentity {
  readonly version: string
  readonly target: ReleaseTarget
  /** Unix time of the commit, in seconds. */
  readonly epoch: number
}

/**
 * The software bill of materials of a release (CycloneDX 1.5, JSON): what `npm sbom` lists for the service, Node, and other
 * components. The time is that of the commit and the serial number follows from the contents, so it is the same every time.
 */
export function createSbom(
  root: string,
  { version, epoch, target }: ReleaseIdentity,
  components: readonly SbomComponent[] = [],
): string {
  const args = ['sbom', '--omit=dev', '--sbom-format=cyclonedx', '--package-lock-only']
  const sbom = JSON.parse(run('npm', args, { cwd: root }))
  const { tools: _npm, component, ...metadata } = sbom.metadata
  const added = [describeNode(sbom.components, target), ...components]
  // npm lists the Node of every processor.
  const isReleased = (ref: string) =>
    !ref.startsWith('node-linux-') || ref.startsWith(`${target.nodePackage}@`)
  const contents = {
    ...sbom,
    metadata: {
      ...metadata,
      timestamp: new Date(epoch * 1_000).toISOString(),
      // npm names it after the folder of the clone.
      component: { ...component, name: 'linchpin', type: 'application', version },
    },
    components: [
      ...sbom.components.filter((each: { 'bom-ref': string }) => isReleased(each['bom-ref'])),
      ...added.map((each) => ({ type: 'library', 'bom-ref': each.purl, ...each })),
    ],
    dependencies: (sbom.dependencies as readonly SbomDependency[])
      .filter(({ ref }) => isReleased(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isReleased) })),
  }
  const digest = hash('sha256', JSON.stringify({ ...contents, serialNumber: undefined }))
  const uuid = [
    ...[digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`],
    ...[`8${digest.slice(17, 20)}`, digest.slice(20, 32)],
  ].join('-')
  return `${JSON.stringify({ ...contents, serialNumber: `urn:uuid:${uuid}` }, null, 2)}\n`
}

interface SbomDependency {
  readonly ref: string
  readonly dependsOn: readonly string[]
}

/** The program Node, which no scanner finds by the name of its package of npm. */
function describeNode(listed: readonly SbomComponent[], target: ReleaseTarget): SbomComponent {
  const version = listed.find(({ name }) => name === target.nodePackage)?.version
  if (version === undefined) throw new Error(`npm sbom does not list ${target.nodePackage}.`)
  return {
    name: 'node',
    version,
    type: 'application',
    purl: `pkg:generic/node@${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    hashes: [{ alg: 'SHA-256', content: target.nodeSha256 }],
  }
}
