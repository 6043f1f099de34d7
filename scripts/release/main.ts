/**
 * Builds releases: a folder and a tarball for each processor, and with --image a container image too, which takes root and
 * Debian's buildah.
 *
 * Usage: npm run release [-- --arch amd64|arm64] [--output FOLDER] [--image]
 */
import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../pack/pack-package.ts'
import { buildImage } from './image/build-image.ts'
import { RELEASE_TARGETS } from './release-target.ts'
import { run } from './run.ts'
import { stageRelease } from './stage-release.ts'
import { writeTarball } from './write-tarball.ts'

const { values } = parseArgs({
  options: {
    arch: { type: 'string' },
    output: { type: 'string', default: path.join(ROOT, 'dist/release') },
    image: { type: 'boolean', default: false },
  },
})
const targets = RELEASE_TARGETS.filter(
  ({ architecture }) => values.arch === undefined || architecture === values.arch,
)
if (targets.length === 0) throw new Error(`--arch is amd64 or arm64, not ${values.arch}`)

const output = path.resolve(values.output)
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
const git = (...args: string[]) => run('git', args, { cwd: ROOT }).trim()
const epoch = Number(process.env.SOURCE_DATE_EPOCH || git('log', '-1', '--format=%ct'))
const commit = git('rev-parse', 'HEAD')
const input = { root: ROOT, cacheFolder: path.join(ROOT, 'dist/cache'), version, commit, epoch }

// Releases have the kit, too.
const packages = path.join(ROOT, 'packages/server/generated/packages')
run(process.execPath, ['--no-warnings', 'scripts/pack/pack-served.ts', '--kit', packages], {
  cwd: ROOT,
})

mkdirSync(output, { recursive: true })
const files = targets.flatMap((target) => {
  const name = `linchpin-${version}-linux-${target.architecture}`
  const folder = path.join(output, name)
  stageRelease(folder, target, input)
  writeTarball(folder, `${folder}.tar.gz`, epoch)
  if (!values.image) return [`${name}.tar.gz`]
  const image = `linchpin-${version}-image-${target.architecture}.tar`
  buildImage(folder, path.join(output, image), { target, ...input })
  return [`${name}.tar.gz`, image]
})
const sums = files.map(
  (file) => `${hash('sha256', readFileSync(path.join(output, file)))}  ${file}\n`,
)
writeFileSync(path.join(output, 'SHA256SUMS'), sums.join(''))
process.stdout.write(sums.join(''))
