import { hash } from 'node:crypto'
import { stringEntries } from '@linchpin/runner'
import type { Actor } from '../../audit/audit-store.ts'
import { ApiError, fieldError } from '../../errors.ts'

type Config = Readonly<Record<string, unknown>>

/** The sender of a configuration: an access token or a page session of a link. */
export interface Sender {
  /** Undefined if unknown: equal to no other sender. */
  readonly id: string | undefined
  readonly mayReadSecrets: boolean
}

/** What stored tokens are bound to: the sender of the first request and its latest configuration. */
export interface Binding {
  readonly sender?: string | undefined
  readonly config?: string
}

/** The sender of a request. Visitors of a link have no access token; `pageSessionId` identifies them. */
export function getSender(
  { tokenId, scopes }: Pick<Actor, 'tokenId'> & { readonly scopes?: ReadonlySet<string> },
  pageSessionId?: string,
): Sender {
  const mayReadSecrets = scopes?.has('credentials:read') === true
  if (tokenId) return { id: `token ${tokenId}`, mayReadSecrets }
  return { id: pageSessionId && `visit ${pageSessionId}`, mayReadSecrets }
}

/**
 * The binding of tokens that this request obtains. A sender that continues with the tokens of another sender does not
 * take them over.
 */
export function createBinding(
  config: Config,
  sender: Sender,
  previous: Binding | undefined,
): Binding {
  if (previous !== undefined && previous.sender !== sender.id) return previous
  return { sender: sender.id, config: configHash(config) }
}

/**
 * Asserts that a request may continue with tokens that replaced the given one. The sender does not necessarily know
 * those tokens, and a changed field may choose the host they are sent to. Allowed are the sender that obtained them,
 * a request with the same fields, and callers that may read secrets.
 *
 * @throws ApiError `secret_required` naming the fields of the given token
 */
export function assertMayUseRotation(
  config: Config,
  sender: Sender,
  {
    configuredToken,
    binding,
  }: { readonly configuredToken: string; readonly binding: Binding | undefined },
): void {
  // Rows written by an earlier version have no binding; they expire within an hour.
  if (binding === undefined || sender.mayReadSecrets) return
  if (sender.id !== undefined && sender.id === binding.sender) return
  if (binding.config === configHash(config)) return
  const names = stringEntries(config).flatMap(([name, text]) =>
    text === configuredToken ? [name] : [],
  )
  throw new ApiError(
    'secret_required',
    'This token was replaced in an earlier request with other fields and another sender. Send the fields of that request or the latest token, or use an access token with the scope credentials:read.',
    {
      errors: Object.assign(
        {},
        ...names.map((name) =>
          fieldError(`config.${name}`, 'secret_required', NEWER_TOKEN_MESSAGE),
        ),
      ),
    },
  )
}

const NEWER_TOKEN_MESSAGE = 'This token was replaced. Send the latest one.'

/** Independent of the order of the fields. */
function configHash(config: Config): string {
  return hash('sha256', JSON.stringify(canonicalize(config)))
}

function canonicalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalize)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => [name, canonicalize(inner)])
}
