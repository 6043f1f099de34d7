import { OperatorUsageError } from './operator-command.ts'

/** @throws OperatorUsageError if a command without arguments got one */
export function expectNoArguments(args: readonly string[]): void {
  if (args.length > 0) throw new OperatorUsageError('it takes no arguments')
}
