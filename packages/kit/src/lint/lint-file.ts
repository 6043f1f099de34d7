import { compileStrictly } from '../build/build.ts'
import { loadIntegration } from '../build/load-integration.ts'
import { lint } from './lint.ts'
import { lintPlaceholders } from './placeholders.ts'
import type { StrictIntegration } from './strict-kit.ts'

/** What the lint found in a file, one sentence per problem. */
export interface FileLint {
  readonly errors: readonly string[]
  /** Placeholders of `new`: the integration can be tested with them, but not published. */
  readonly placeholders: readonly string[]
}

/**
 * Lints the file of an integration, its keys included.
 *
 * @throws Error when the file does not compile or exports no integration
 */
export async function lintFile(file: string): Promise<FileLint> {
  const integration = loadIntegration(await compileStrictly(file))
  const { unknownKeys = [] } = integration as Partial<StrictIntegration>
  return {
    errors: [...unknownKeys, ...lint(integration.definition)],
    placeholders: lintPlaceholders(integration.definition),
  }
}
