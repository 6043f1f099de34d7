import { compileStrictly } from '../build/build.ts'
import { loadIntegration } from '../build/load-integration.ts'
import { lint } from './lint.ts'
import type { StrictIntegration } from './strict-kit.ts'

/**
 * Lints the file of an integration, its keys included. Returns one sentence per problem; empty if there is none.
 *
 * @throws Error when the file does not compile or exports no integration
 */
export async function lintFile(file: string): Promise<string[]> {
  const integration = loadIntegration(await compileStrictly(file))
  const { unknownKeys = [] } = integration as Partial<StrictIntegration>
  return [...unknownKeys, ...lint(integration.definition)]
}
