import { type FileLint, lint } from '../lint/lint.ts'
import { lintPlaceholders } from '../lint/placeholders.ts'
import type { StrictIntegration } from '../lint/strict-kit.ts'
import { isEntryFile } from './build.ts'
import { lintEntryFile } from './bundle-entry.ts'
import { compileStrictly } from './compile.ts'
import { loadIntegration } from './load-integration.ts'

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
