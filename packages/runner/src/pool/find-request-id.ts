import { getHeaderValues } from '../egress/headers.ts'
import { createScrubber } from '../redact-secrets.ts'

/**
 * The provider's id of a request, from the headers of its response: the support of most providers asks for it. Undefined if there
 * is none, or if it is no id: a text that a provider chooses must not reach a log or a list.
 */
export function findRequestId(rawHeaders: readonly string[]): string | undefined {
  for (const name of HEADERS) {
    const [value] = getHeaderValues(rawHeaders, name)
    if (value !== undefined) return ID.test(value) ? value : undefined
  }
  return undefined
}

/** Those of the providers in the catalogue, the most common ones first. */
const HEADERS = [
  ...['x-request-id', 'request-id', 'x-correlation-id', 'x-hubspot-correlation-id'],
  ...['x-github-request-id', 'x-slack-req-id', 'x-amzn-requestid', 'x-ms-request-id'],
  ...['twilio-request-id', 'x-zendesk-request-id', 'cf-ray'],
]
const ID = /^[\w.:=+/-]{1,128}$/

/** The id, unless it contains a value of the config, in any encoding: a provider that repeats what it was sent has sent no id. */
export function omitSecret(id: string | undefined, config: unknown): string | undefined {
  return id !== undefined && createScrubber(config)(id) === id ? id : undefined
}
