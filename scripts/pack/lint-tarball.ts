import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'

/** Resolutions that cannot import an ESM package: the profile `esm-only` of `attw` leaves them out, too. */
const NOT_ESM: ReadonlySet<string> = new Set(['node10', 'node16-cjs'])

/** What publint and Are The Types Wrong find in a tarball of npm. */
export async function lintTarball(file: string): Promise<string[]> {
  const bytes = new Uint8Array(readFileSync(file))
  const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true })
  const analysis = await checkPackage(createPackageFromTarballData(bytes))
  if (!analysis.types) return ['It has no types.']
  const problems = analysis.problems.filter(
    (problem) => !('resolutionKind' in problem && NOT_ESM.has(problem.resolutionKind)),
  )
  return [...messages, ...problems].map((problem) => JSON.stringify(problem))
}
