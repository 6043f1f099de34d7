import { createConsoleAddress } from '../../start/console-code.ts'
import { type OperatorContext, OperatorError, OperatorUsageError } from '../operator-command.ts'

/**
 * `console [--user EMAIL]` prints an address that signs a person in to the console, once, within 15 minutes: the owner, or the
 * user with this e-mail.
 */
export async function consoleCommand(
  args: readonly string[],
  { open, output, now, loadConfig }: OperatorContext,
): Promise<number> {
  const [, email] = /^(?:--user[ =](.+))?$/.exec(args.join(' ')) ?? usage()
  const { port, publicUrl, consoleUrl } = loadConfig()
  const { database } = await open()
  try {
    const url = consoleUrl ?? publicUrl ?? `http://localhost:${port}`
    const address = await createConsoleAddress({ database, now }, url, email)
    if (address === undefined)
      throw new OperatorError(
        66,
        email === undefined
          ? 'there is no owner yet: start the service once first.'
          : 'there is no user with this e-mail.',
      )
    output.log(address)
    return 0
  } finally {
    await database.close()
  }
}

function usage(): never {
  throw new OperatorUsageError('expected nothing, or --user EMAIL')
}
