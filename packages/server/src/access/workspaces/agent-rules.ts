import Type, { type Static } from 'typebox'
import { fieldError, validationFailed } from '../../platform/errors.ts'
import { IdOf, OneOf, StrictObject } from '../../platform/http/schema.ts'
import type { Id } from '../../platform/storage/id.ts'

/** The methods that rules can name: those of the proxy. */
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** What a rule says of the requests that it matches: those that match all of its members. */
export const AgentRule = StrictObject(
  {
    effect: OneOf(
      ['allow', 'approve', 'deny'] as const,
      'Deny wins over approve, and approve over allow. With approve, each request waits until a person has approved it.',
    ),
    methods: Type.Optional(
      Type.Array(OneOf(METHODS, 'A method of HTTP.'), {
        minItems: 1,
        maxItems: METHODS.length,
        uniqueItems: true,
        description: 'Only requests with these methods. Default: any.',
      }),
    ),
    path: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: '^/',
        description:
          'Only paths that match, as they are sent to the provider, from the first slash after the host. `*` stands for one segment, and `**` at the end for all that follow. Default: any.',
      }),
    ),
    hosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255, description: 'A host name.' }), {
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
        description: 'Only requests to these hosts. Default: any that the integration allows.',
      }),
    ),
    integrationDefinitionIds: Type.Optional(
      Type.Array(IdOf<Id<'def'>>({ maxLength: 64, description: 'Identifier of a tool.' }), {
        minItems: 1,
        maxItems: 50,
        uniqueItems: true,
        description: 'Only accounts of these tools. Default: any.',
      }),
    ),
    tools: Type.Optional(
      Type.Array(
        Type.String({ minLength: 1, maxLength: 128, description: 'The name of a tool.' }),
        {
          minItems: 1,
          maxItems: 100,
          uniqueItems: true,
          description:
            'Only calls of these tools of MCP servers, which no rule without `tools` allows; `*` stands for any. Not together with `methods` or `path`.',
        },
      ),
    ),
  },
  { description: 'A rule for the requests of an agent.' },
)
export type AgentRule = Static<typeof AgentRule>

/** What rules decide, and what holds without them. */
export const RULES =
  'Without a rule that matches, GET and HEAD are allowed, and all other methods denied.'

/** Rules in a request. */
export const AgentRulesInput = Type.Array(AgentRule, {
  maxItems: 50,
  description: RULES,
})

/**
 * Asserts that the rules can match what is sent.
 *
 * @param field where the request has them
 * @throws ApiError `validation_failed` with the field
 */
export function assertRules(rules: readonly AgentRule[], field: string): void {
  for (const [index, { path, methods, hosts = [], tools }] of rules.entries()) {
    if (tools !== undefined && (path !== undefined || methods !== undefined))
      throw validationFailed(
        fieldError(
          `${field}.${index}.tools`,
          'conflict',
          'Must not be present together with methods or path: tools are called by their names.',
        ),
      )
    const wrong = hosts.findIndex((host) => !isHostName(host))
    if (wrong >= 0)
      throw validationFailed(
        fieldError(
          `${field}.${index}.hosts.${wrong}`,
          'invalid',
          'Must be a host name as it is sent, without scheme, port and wildcard, such as api.example.com.',
        ),
      )
    if (path === undefined) continue
    const problem = findProblem(path)
    if (problem !== undefined)
      throw validationFailed(fieldError(`${field}.${index}.path`, 'invalid', problem))
  }
}

/** Whether requests can have the host: in the form of URLs, in which international names are in ASCII. */
function isHostName(host: string): boolean {
  return !host.includes('*') && URL.parse(`https://${host}/`)?.hostname === host.toLowerCase()
}

function findProblem(path: string): string | undefined {
  if (/[?#\s]/.test(path)) return 'Must be a path without query, fragment and spaces.'
  if (isAmbiguous(path))
    return 'Must have no empty, encoded or dot segments, semicolons and backslashes: requests with such paths are denied.'
  const segments = path.split('/').slice(1)
  const isWrong = segments.some(
    (segment, index) =>
      segment.includes('*') &&
      segment !== '*' &&
      (segment !== '**' || index !== segments.length - 1),
  )
  return isWrong ? '`*` stands for a whole segment, and `**` only at the end.' : undefined
}

/**
 * What servers and the proxies before them resolve differently: empty and dot segments, path parameters, and encoded slashes,
 * backslashes, semicolons, percent signs and control characters, also as compatible characters such as U+FF0F; bytes that are not
 * UTF-8. One slash at the end is usual.
 */
export function isAmbiguous(path: string): boolean {
  if (/%(?:2f|5c|3b|25|[01][0-9a-f]|7f)|[^!-~]|[;\\]|%(?![0-9a-f]{2})/i.test(path)) return true
  const segments = path.split('/').slice(1)
  return segments.some(
    (segment, index) =>
      (segment === '' && index < segments.length - 1) || isAmbiguousSegment(segment),
  )
}

function isAmbiguousSegment(segment: string): boolean {
  try {
    const text = decodeURIComponent(segment)
    const compatible = text.normalize('NFKC').replace(IGNORED, '')
    if (segment !== '' && /^\.{0,2}$/.test(compatible.trim())) return true
    return compatible !== text && /[/\\;%?#]/.test(compatible)
  } catch {
    return true
  }
}

/** Characters that are not seen, which some servers leave out of names. */
export const IGNORED = /\p{Default_Ignorable_Code_Point}/gu
