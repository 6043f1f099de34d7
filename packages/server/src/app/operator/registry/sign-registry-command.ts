import { readFile } from 'node:fs/promises'
import { parseRegistryDocument } from '../../../integrations/catalogue/registry/parse-registry-document.ts'
import { signRegistry } from '../../../integrations/catalogue/registry/sign-registry.ts'
import { type OperatorContext, OperatorError, OperatorUsageError } from '../operator-command.ts'
import { readInstanceKey } from './read-instance-key.ts'

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
