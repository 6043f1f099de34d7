import { hash } from 'node:crypto'
import { stringEntries } from '@linchpin/runner'
import type { Actor } from '../../audit/audit-store.ts'
import { ApiError, fieldError } from '../../errors.ts'

type Config = Readonly<Record<string, unknown>>

/** Who sends a configuration: an access token, or a visit of a link. */
export interface Sender {
  /** Undefined: unknown, equal to no other. */
  readonly id: string | undefined
  readonly mayReadSecrets: boolean
}

/** What stored tokens were issued for: the sender of the first request, and its newest configuration. */
export interface Binding {
  readonly sender?: string | undefined
  readonly config?: string
}

/** The sender of a request. A visitor of a link has no access token: `visit` identifies the visit. */
export function getSender(
  { tokenId, scopes }: Pick<Actor, 'tokenId'> & { readonly scopes?: ReadonlySet<string> },
  pageSessionId?: string,
): Sender {
  const mayReadSecrets = scopes?.has('credentials:read') === true
  if (tokenId) return { id: `token ${tokenId}`, mayReadSecrets }
  return { id: pageSessionId && `visit ${pageSessionId}`, mayReadSecrets }
}

/** What tokens that this request gets are bound to; a sender that continues with the tokens of another one takes nothing over. */
export function createBinding(
  config: Config,
  sender: Sender,
  previous: Binding | undefined,
): Binding {
  if (previous !== undefined && previous.sender !== sender.id) return previous
  return { sender: sender.id, config: configHash(config) }
}

/**
 * Admits a request to continue with tokens that replaced the given one. They are secrets that its sender need not know, and a
 * changed field may choose a host: so it is the sender of the request that got them, one that sends the same fields, or one
 * that may read secrets.
 *
 * @throws ApiError `secret_required` naming the fields of the given token
 */
export function assertMayUseRotation(
  config: Config,
  sender: Sender,
  { given, binding }: { readonly given: string; readonly binding: Binding | undefined },
): void {
  // Rows of an earlier version have none; they live for an hour.
  if (binding === undefined || sender.mayReadSecrets) return
  if (sender.id !== undefined && sender.id === binding.sender) return
  if (binding.config === configHash(config)) return
  const names = stringEntries(config).flatMap(([name, text]) => (text === given ? [name] : []))
  throw new ApiError(
    'secret_required',
    'This token was replaced in an earlier request that had other fields and another sender. Send the fields of that request, a token that was issued since, or use an access token with the scope credentials:read.',
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

const NEWER_TOKEN_MESSAGE = 'This token was replaced, so the newest one must be sent.'

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
