import { readFile } from 'node:fs/promises'
import {
  createInstanceKeyReader,
  type InstanceKey,
  type InstanceKeyName,
} from '../../../integrations/catalogue/instance-key-store.ts'
import { parseRegistryDocument } from '../../../integrations/catalogue/registry/parse-registry-document.ts'
import { signRegistry } from '../../../integrations/catalogue/registry/registry-signature.ts'
import {
  expectNoArguments,
  type OperatorCommand,
  type OperatorContext,
  OperatorError,
  OperatorUsageError,
} from '../operator-command.ts'

/** Reads a signing key of this installation, which its first use creates. */
async function readInstanceKey(
  { open, now }: OperatorContext,
  name: InstanceKeyName,
): Promise<InstanceKey> {
  const services = await open()
  try {
    return await createInstanceKeyReader({ ...services, now }, name)()
  } finally {
    await services.database.close()
  }
}

/** Prints the public half of a signing key. */
export function publicKeyCommand(name: InstanceKeyName): OperatorCommand {
  return async (args, context) => {
    expectNoArguments(args)
    context.output.log((await readInstanceKey(context, name)).publicKey)
    return 0
  }
}

const DAY_MS = 86_400_000

/**
 * Signs a registry document that a web server publishes as a file.
 *
 * @returns the exit code: 65 for a document that is not valid, 66 for a file that cannot be read
 */
export async function signRegistryCommand(
  [file, flag, daysText = '30', ...extraArgs]: readonly string[],
  context: OperatorContext,
): Promise<number> {
  const days = Number(daysText)
  if (file === undefined || file.startsWith('-') || extraArgs.length > 0)
    throw new OperatorUsageError('expected one file')
  if (flag !== undefined && !(flag === '--days' && days >= 1 && days <= 366))
    throw new OperatorUsageError('--days must be a number from 1 to 366')
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new OperatorError(66, `the file cannot be read: ${error.message}.`, error)
  })
  const document = parseRegistryDocument(text)
  if (typeof document === 'string') {
    context.output.error(document)
    return 65
  }
  const issuedAt = context.now()
  const times = { issuedAt, expiresAt: issuedAt + days * DAY_MS }
  const key = await readInstanceKey(context, 'registry')
  context.output.log(signRegistry(JSON.parse(text), key, times))
  return 0
}
