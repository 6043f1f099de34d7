import Type, { type Static, type TSchema } from 'typebox'
import { IdOf, OptionalField, StrictObject } from '../../platform/http/schema.ts'
import type { AccountId } from '../accounts/account.ts'

/** The parameter of the paths of the proxy. */
export const ProxyParams = Type.Object({
  integrationAccountId: IdOf<AccountId>({ description: 'ID of the integration account.' }),
})

const oneOrMore = <T extends TSchema>(schema: T, description: string) =>
  Type.Unsafe<Static<T> | Static<T>[]>({
    description,
    anyOf: [schema, { type: 'array', items: schema, maxItems: 100 }],
  })

const QueryValue = Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] })

/** Field names and values of RFC 9110, section 5: what HTTP cannot carry is refused here, not by the provider. */
const HEADER_NAME = "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$"
const HeaderValue = Type.String({ maxLength: 8_192, pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$' })

/** Methods of WebDAV, CalDAV and CardDAV (RFC 4918; RFC 4791; RFC 5323; RFC 6578). */
export const WEBDAV_METHODS = [
  ...['PROPFIND', 'PROPPATCH', 'REPORT', 'MKCOL', 'MKCALENDAR'],
  ...['COPY', 'MOVE', 'LOCK', 'UNLOCK', 'SEARCH'],
]

/** Methods that the proxy sends. */
const METHODS = [...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'], ...WEBDAV_METHODS]

/** The request body of Send proxy request. */
export const SendProxyRequest = StrictObject(
  {
    method: OptionalField(
      Type.Unsafe<string>({
        type: 'string',
        enum: [...METHODS],
        description: 'Method of the request to the provider. Default: `GET`.',
      }),
    ),
    path: Type.String({
      maxLength: 4_096,
      description:
        "Path below the spec's `api_base_url`, with or without a leading slash, or a URL of an allowed host. It is sent unchanged: encode what must be encoded.",
    }),
    query: OptionalField(
      Type.Unsafe<Record<string, string | number | boolean | (string | number | boolean)[]>>({
        type: 'object',
        maxProperties: 100,
        additionalProperties: oneOrMore(QueryValue, 'A value, or several for one name.'),
        description: 'Query parameters. They are encoded and follow those of `path`.',
      }),
    ),
    headers: OptionalField(
      Type.Unsafe<Record<string, string | string[]>>({
        type: 'object',
        maxProperties: 100,
        propertyNames: { pattern: HEADER_NAME },
        additionalProperties: oneOrMore(HeaderValue, 'A value, or several for one name.'),
        description:
          'Header fields. Connection headers, `Host`, `Authorization` and `Cookie` are not sent; those of the account override the others.',
      }),
    ),
    body: Type.Optional(
      Type.Unsafe<unknown>({
        description:
          'Body of the request: a string is sent unchanged, any other value as the JSON that was written, with `Content-Type: application/json` unless `headers` has another one.',
      }),
    ),
    bodyBase64: OptionalField(
      Type.String({
        description:
          'Body of the request as base64 (RFC 4648, section 4), instead of `body`: at most 25 MB of bytes of any content type.',
      }),
    ),
  },
  {
    $id: 'SendProxyRequest',
    examples: [
      { path: '/repos/acme/site/issues', query: { state: 'open' } },
      { method: 'POST', path: '/user/repos', body: { name: 'site' } },
    ],
  },
)
export type SendProxyRequest = Static<typeof SendProxyRequest>
