import Type, { type Static } from 'typebox'
import { StrictObject } from '../../../platform/http/schema.ts'

/** The codes of CHECK that pages and events understand. */
export const CHECK_CODES = [
  ...(['credentials_rejected', 'insufficient_scope', 'rate_limited', 'wrong_host'] as const),
  'provider_unreachable',
] as const

const AcceptedCredentials = StrictObject({
  status: Type.Literal(true, { description: '`true`: the credentials work.' }),
  error: Type.String({ description: 'Empty.' }),
})

const RejectedCredentials = StrictObject({
  status: Type.Literal(false, { description: '`false`: they do not work.' }),
  error: Type.String({ description: 'The message of the integration.' }),
  code: Type.Optional(
    Type.String({
      'x-known-values': CHECK_CODES,
      description: 'The kind of failure; integrations may return others.',
    }),
  ),
  field: Type.Optional(Type.String({ description: 'The field that caused the failure.' })),
  hint: Type.Optional(Type.String({ description: 'What to do about the failure.' })),
  retryable: Type.Optional(Type.Boolean({ description: 'Whether retrying later may succeed.' })),
})
export type RejectedCredentials = Static<typeof RejectedCredentials>

/** The response of Check credentials, for valid and invalid ones. */
export const CheckResponse = Type.Union([AcceptedCredentials, RejectedCredentials], {
  $id: 'CheckAnswer',
  description: 'Whether credentials work.',
  examples: [
    { status: true, error: '' },
    {
      status: false,
      error: 'The key was revoked.',
      code: 'credentials_rejected',
      field: 'api_key',
    },
  ],
})
export type CheckResponse = Static<typeof CheckResponse>
