import { createHash } from 'node:crypto'
import type { ReceivedRequest } from '../fake-provider.ts'
import type { SignInFixture } from '../fixtures.ts'
import { isSameCredential } from '../request-encoding.ts'
import { CLIENT } from './sign-in-client.ts'
import type { Consent } from './validate-authorization-request.ts'

/** The parameters of a request to the token endpoint, JSON or a form. */
export function parseParams({ headers, body }: ReceivedRequest): Readonly<Record<string, string>> {
  return isJson(headers) ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))
}

/** Validates a token request as a provider (RFC 6749, sections 4.1.3 and 6). */
export function validateTokenRequest(
  documented: SignInFixture,
  request: ReceivedRequest,
  params: Readonly<Record<string, string>>,
  consent: Consent | undefined,
): string[] {
  const { bodyFormat, clientAuthentication, tokenParams, refreshParams } = documented
  const { client_id: id, client_secret: secret, code_verifier: verifier, code } = params
  const inHeader = isSameCredential(
    String(request.headers.authorization ?? ''),
    `Basic ${CLIENT.id}:${CLIENT.secret}`,
  )
  const inBody = id === CLIENT.id && secret === CLIENT.secret
  const format = isJson(request.headers) ? 'json' : 'form'
  const authenticatedBy = { body: inBody, header: inHeader, any: inBody || inHeader }
  const rules: [boolean, string][] = [
    [
      bodyFormat === undefined || bodyFormat === format,
      `the provider expects token requests as ${bodyFormat}: set bodyFormat`,
    ],
    [
      authenticatedBy[clientAuthentication ?? 'any'],
      `the provider expects client id and secret in the ${clientAuthentication}: set clientAuthentication`,
    ],
    [
      code === undefined || consent?.redirectUri === params.redirect_uri,
      'the code was issued for another redirect_uri',
    ],
    [
      consent?.challenge === codeChallenge(verifier),
      'the code verifier does not match the challenge',
    ],
    ...Object.entries((code === undefined ? refreshParams : tokenParams) ?? {}).map(
      ([name, value]): [boolean, string] => [
        params[name] === value,
        `the token request has ${name} "${params[name]}", not "${value}"`,
      ],
    ),
  ]
  return rules.filter(([isValid]) => !isValid).map(([, message]) => message)
}

function codeChallenge(verifier: string | undefined): string | undefined {
  return verifier && createHash('sha256').update(verifier).digest('base64url')
}

function isJson(headers: ReceivedRequest['headers']): boolean {
  return String(headers['content-type']).startsWith('application/json')
}
