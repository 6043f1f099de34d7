import type { InstanceKeyName } from '../../../integrations/catalogue/instance-key.ts'
import { expectNoArguments } from '../expect-no-arguments.ts'
import type { OperatorCommand } from '../operator-command.ts'
import { readInstanceKey } from './read-instance-key.ts'

/** Prints the public half of a signing key. */
export function publicKeyCommand(name: InstanceKeyName): OperatorCommand {
  return async (args, context) => {
    expectNoArguments(args)
    context.output.log((await readInstanceKey(context, name)).publicKey)
    return 0
  }
}
