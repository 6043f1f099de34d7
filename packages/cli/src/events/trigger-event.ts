import type { Linchpin, TestWebhookEndpoint } from '@linchpin/sdk'
import type { ParsedCommand } from '../command.ts'
import { printResult } from '../output/print-result.ts'
import { UsageError } from '../usage-error.ts'

/** `events trigger`: what the API offers is an example event to a webhook endpoint. */
export const TRIGGER_EVENT: ParsedCommand = {
  name: 'events trigger',
  summary: 'Send an example event to a webhook endpoint, and print the response',
  description:
    'The event is not stored, and only this endpoint receives it. Exits with 1 if the endpoint does not accept it.',
  positionals: ['type'],
  flags: [
    {
      name: 'endpoint',
      value: 'ID',
      description: 'the webhook endpoint; not needed if there is only one',
    },
  ],
  run: async (input, context) => {
    const linchpin = await context.connect()
    const { signal } = context.io
    const endpoint = input.get('endpoint') ?? (await findOnlyEndpoint(linchpin, signal))
    // The service knows the types, and names them in its error.
    const type = input.positionals[0] as TestWebhookEndpoint['type']
    const result = await linchpin.webhookEndpoints.test(endpoint, { type }, { signal })
    await printResult(result, context)
    return result.delivered ? 0 : 1
  },
}

async function findOnlyEndpoint(linchpin: Linchpin, signal: AbortSignal): Promise<string> {
  const [first, second] = await linchpin.webhookEndpoints.list({}, { signal }).first(2)
  if (first === undefined)
    throw new UsageError('There is no webhook endpoint. See linchpin webhooks create --help.')
  if (second !== undefined)
    throw new UsageError('There are several webhook endpoints: name one with --endpoint ID.')
  return first.webhookEndpointId
}
