import { type OperatorContext, OperatorError, OperatorUsageError } from './operator-command.ts'
import { OPERATOR_COMMANDS } from './operator-commands.ts'
import { OPERATOR_USAGES, type OperatorCommandName } from './operator-usages.ts'

const NAMES = Object.keys(OPERATOR_USAGES) as OperatorCommandName[]

/**
 * Runs the command whose name the arguments begin with. Without one, it prints the usage of all.
 *
 * @returns the exit code: 64 for an unknown command or wrong arguments
 * @throws what opening the service throws
 */
export async function runOperatorCommand(
  args: readonly string[],
  context: OperatorContext,
): Promise<number> {
  const name = NAMES.find((each) => each.split(' ').every((word, index) => args[index] === word))
  if (name === undefined) {
    context.output.error(['Usage:', ...NAMES.map(describe)].join('\n'))
    return args.length === 0 || args.join() === '--help' ? 0 : 64
  }
  try {
    return await OPERATOR_COMMANDS[name](args.slice(name.split(' ').length), context)
  } catch (error) {
    if (error instanceof OperatorError) {
      context.output.error(`${name}: ${error.message}`)
      return error.exitCode
    }
    if (!(error instanceof OperatorUsageError)) throw error
    context.output.error(`${name}: ${error.message}\nUsage:\n${describe(name)}`)
    return 64
  }
}

function describe(name: OperatorCommandName): string {
  const { arguments: usage, summary } = OPERATOR_USAGES[name]
  return `  ${`npm run linchpin -- ${name} ${usage}`.trimEnd()}\n      ${summary}`
}
