import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ReleaseTarget } from '../release-target.ts'
import { run } from '../run.ts'
import { listReproducibleTarFlags } from '../write-tarball.ts'
import { normalizeArchive } from './normalize-archive.ts'
import { IMAGE_USER } from './stage-root.ts'

/** What is packed, and what the labels say. */
export interface ImageInput {
  /** The root file system. */
  readonly root: string
  readonly target: ReleaseTarget
  readonly version: string
  readonly commit: string
  readonly epoch: number
}

/**
 * Packs a root file system into an image in Docker's format (OCI's has no HEALTHCHECK), as an archive for `docker load`,
 * `podman load` and `skopeo copy docker-archive:…`. Needs buildah, and no registry: the image has no base.
 */
export function writeImage(file: string, input: ImageInput): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'linchpin-image-'))
  const storage = ['--root', `${folder}/root`, '--runroot', `${folder}/run`]
  const buildah = (...args: string[]) =>
    run('buildah', [...storage, '--storage-driver', 'vfs', ...args], {
      cwd: folder,
      env: { BUILDAH_ISOLATION: 'chroot', LC_ALL: 'C' },
    }).trim()
  const { target, version, epoch } = input
  try {
    const layer = packLayer(folder, input)
    const container = buildah('from', '--arch', target.architecture, 'scratch')
    buildah('add', container, layer, '/')
    buildah('config', '--arch', target.architecture, ...listConfigFlags(input), container)
    const name = `localhost/linchpin:${version}`
    buildah('commit', '--format', 'docker', '--timestamp', String(epoch), container, name)
    const archive = path.join(folder, 'image.tar')
    buildah('push', '--format', 'v2s2', name, `docker-archive:${archive}:linchpin:${version}`)
    normalizeArchive(archive, file, { epoch, name: `linchpin:${version}` })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The tar of the layer: all of it belongs to root, except the folders that may be written to. */
function packLayer(folder: string, { root, epoch }: ImageInput): string {
  const layer = path.join(folder, 'layer.tar')
  const options = { cwd: folder, env: { LC_ALL: 'C' } }
  const flags = listReproducibleTarFlags(epoch)
  run('tar', [...flags, '-cf', layer, '-C', root, '.'], options)
  for (const name of WRITABLE) mkdirSync(path.join(folder, name))
  const owner = [`--owner=${IMAGE_USER}`, `--group=${IMAGE_USER}`, '--mode=0700']
  run('tar', [...flags, ...owner, '-rf', layer, ...WRITABLE], options)
  return layer
}

const WRITABLE = ['data', 'tmp']

const NODE = '/opt/linchpin/bin/node'
const SERVER = [
  ...[NODE, '--max-semi-space-size=8'],
  '/opt/linchpin/packages/server/generated/main.mjs',
]

function listConfigFlags({ version, commit, epoch }: ImageInput): readonly string[] {
  const labels = {
    title: 'Linchpin',
    description: 'A connection layer: customers of a product connect their tools to it',
    created: new Date(epoch * 1_000).toISOString(),
    licenses: 'MIT',
    version,
    revision: commit,
  }
  return [
    ...[
      '--entrypoint',
      JSON.stringify(SERVER),
      '--cmd',
      '',
      '--user',
      `${IMAGE_USER}:${IMAGE_USER}`,
    ],
    ...['--workingdir', '/', '--port', '3000', '--volume', '/data', '--stop-signal', 'SIGTERM'],
    ...['--env', 'PATH=/usr/bin', '--env', 'HOST=0.0.0.0', '--env', 'LINCHPIN_DATA_DIR=/data'],
    // glibc keeps memory for each thread otherwise: some 20 MB.
    ...['--env', 'MALLOC_ARENA_MAX=1'],
    ...['--healthcheck', `CMD ${NODE} /opt/linchpin/bin/health.mjs`],
    ...['--healthcheck-interval', '10s', '--healthcheck-timeout', '5s'],
    ...['--healthcheck-start-period', '60s', '--healthcheck-retries', '3'],
    ...Object.entries(labels).flatMap(([name, value]) => [
      '--label',
      `org.opencontainers.image.${name}=${value}`,
    ]),
  ]
}
