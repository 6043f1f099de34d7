import { type ParseArgsConfig, parseArgs } from 'node:util'
import { OperatorUsageError } from './operator-command.ts'

/**
 * Parses options and positionals.
 *
 * @throws OperatorUsageError
 */
export function parseOperatorArgs<T extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new OperatorUsageError(error instanceof Error ? error.message : '')
  }
}
