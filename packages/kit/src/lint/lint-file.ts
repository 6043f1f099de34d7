import { isEntryFile } from '../build/build.ts'
import { compileStrictly } from '../build/compile.ts'
import { loadIntegration } from '../build/load-integration.ts'
import { lintEntryFile } from '../entry/bundle-entry.ts'
import { type FileLint, lint } from './lint.ts'
import { lintPlaceholders } from './placeholders.ts'
import type { StrictIntegration } from './strict-kit.ts'

/**
 * Lints the file of an integration, its keys included.
 *
 * @throws Error when the file does not compile or exports no integration
 */
export async function lintFile(file: string): Promise<FileLint> {
  if (isEntryFile(file)) return lintEntryFile(file)
  const integration = loadIntegration(await compileStrictly(file))
  const { unknownKeys = [] } = integration as Partial<StrictIntegration>
  return {
    errors: [...unknownKeys, ...lint(integration.definition)],
    placeholders: lintPlaceholders(integration.definition),
  }
}
