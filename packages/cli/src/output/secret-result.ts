import type { CommandContext, CommandInput } from '../command.ts'
import { writePrivateFile } from '../profile-store.ts'
import { UsageError } from '../usage-error.ts'
import { printResult } from './print-result.ts'

/** Operations whose response has secrets, and the fields that have them. */
export const ONE_TIME_FIELDS: Readonly<Record<string, readonly string[]>> = {
  createToken: ['token'],
  createUser: ['token'],
  createConnectSession: ['token', 'url'],
  createWebhookEndpoint: ['secret'],
  rotateWebhookSecret: ['secret'],
  getAccountCredentials: ['config'],
}

/** @throws UsageError before a secret is created that is then lost */
export function requireSecretTarget(input: CommandInput): void {
  if (input.has('show-token') || input.has('out')) return
  throw new UsageError(
    'The result has a secret. Add --out FILE to write it to a file that only you can read, or --show-token to print it.',
  )
}

/** Prints a result as `--show-token` wants it; with `--out`, its secrets are only in the file. */
export async function printWithSecrets(
  result: unknown,
  input: CommandInput,
  context: CommandContext,
): Promise<void> {
  const file = input.get('out')
  if (file !== undefined) {
    await writePrivateFile(file, `${JSON.stringify(result)}\n`)
    context.io.stderr.write('Wrote the result with its secret to the file of --out.\n')
  }
  if (input.has('show-token')) return printResult(result, context)
  const names = new Set(Object.values(ONE_TIME_FIELDS).flat())
  const entries = Object.entries(Object(result)).filter(([name]) => !names.has(name))
  await printResult(Object.fromEntries(entries), context)
}
