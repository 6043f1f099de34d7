import Type from 'typebox'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { IdOf } from '../../platform/http/schema.ts'
import { ORDERINGS, PAYLOADS, SIGNATURES } from './webhook-endpoint.ts'

export const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description })

export const url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: 'Where events are posted: https, without user name, password and fragment.',
})
export const description = Type.String({ maxLength: 500, description: 'What the endpoint is for.' })
export const types = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: 50,
  uniqueItems: true,
  description: 'Types such as account.created and prefixes such as account.*. Empty: all.',
})
export const integrationDefinitionIds = Type.Array(
  IdOf<DefinitionId>({ minLength: 1, maxLength: 64, description: 'ID of a definition.' }),
  {
    maxItems: 100,
    uniqueItems: true,
    description: 'Only events of these definitions and of their accounts. Empty: all events.',
  },
)
export const payload = oneOf(
  PAYLOADS,
  'full: events as the API returns them. thin: `data` has only ids, `previous` and `reason`.',
)
export const version = Type.Integer({
  minimum: 1,
  maximum: 1,
  description: 'The version of the events that the endpoint receives.',
})
export const ordering = oneOf(
  ORDERINGS,
  'account: the events of one resource one after the other. none: as soon as possible.',
)
export const signature = oneOf(
  SIGNATURES,
  'The scheme of Standard Webhooks: v1 (HMAC-SHA256), v1a (Ed25519) or both.',
)
export const maxInFlight = Type.Integer({
  minimum: 1,
  maximum: 64,
  description: 'Maximum number of concurrent requests.',
})
