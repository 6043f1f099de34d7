import type { GateRequest } from '@linchpin/runner'
import type { OAuthType, Params } from '../spec/auth-type.ts'

/** The client that is registered at the provider. Without a secret it is a public one. Only the provider is told of it. */
export interface OAuthClient {
  readonly clientId: string
  readonly clientSecret?: string | undefined
}

/**
 * A POST of a client to one of its provider's endpoints, with the client's authentication (RFC 6749 section 2.3.1) and
 * in the body format that the spec names.
 */
export function clientRequest(
  url: string,
  type: Pick<OAuthType, 'authorizationMethod' | 'bodyFormat'>,
  client: OAuthClient,
  params: Params,
): GateRequest {
  const { clientId, clientSecret } = client
  const inHeader = type.authorizationMethod === 'header' && Boolean(clientSecret)
  const isNamed = params.some(([name]) => name === 'client_id')
  const all: Params = inHeader
    ? params
    : [
        ...params,
        ...(isNamed ? [] : [['client_id', clientId] as const]),
        ...(clientSecret ? [['client_secret', clientSecret] as const] : []),
      ]
  const isJson = type.bodyFormat === 'json'
  return {
    method: 'POST',
    url,
    headers: {
      accept: 'application/json',
      'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
      ...(inHeader && { authorization: basic(clientId, clientSecret ?? '') }),
    },
    body: Buffer.from(isJson ? jsonBody(all) : formBody(all)),
  }
}

/** RFC 6749 section 2.3.1: both parts are form-encoded first. Characters that need no escape stay for lazy servers. */
function basic(clientId: string, clientSecret: string): string {
  const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

function formBody(params: Params): string {
  return new URLSearchParams(
    params.map(([name, value]): [string, string] => [name, value]),
  ).toString()
}

/** A name that comes more than once becomes a list. */
function jsonBody(params: Params): string {
  const grouped = Map.groupBy(params, ([name]) => name)
  const entries = [...grouped].map(([name, items]) => {
    const values = items.map(([, value]) => value)
    return [name, values.length === 1 ? values[0] : values] as const
  })
  return JSON.stringify(Object.fromEntries(entries))
}
