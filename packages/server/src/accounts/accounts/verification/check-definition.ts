import { hash } from 'node:crypto'
import { type CallExchange, RunnerError, TokenObserver } from '@linchpin/runner'
import Type, { type Static } from 'typebox'
import type { Caller } from '../../../access/auth/caller.ts'
import { CHECK_ERRORS, defineOperation } from '../../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import {
  resolveWorkspace,
  type WorkspaceStore,
} from '../../../access/workspaces/workspace-store.ts'
import {
  createExchangeScrubber,
  listSecretValues,
  MAX_BODY_BYTES,
  redactExchange,
  StoredExchange,
} from '../../../activity/requests/debug-exchange.ts'
import {
  bundleTenantEntry,
  type EntryBundleDeps,
  EntryInput,
} from '../../../integrations/definitions/entry-bundle.ts'
import { IntegrationSpec } from '../../../integrations/definitions/get-definition-spec.ts'
import { loadSpec } from '../../../integrations/definitions/spec/validate-spec.ts'
import { ApiError, fieldError, validationFailed } from '../../../platform/errors.ts'
import { IdOf, Nullable, OptionalField, ref, StrictObject } from '../../../platform/http/schema.ts'
import { newId } from '../../../platform/storage/id.ts'
import {
  type PrepareConfigDeps,
  type PreparedConfig,
  prepareConfig,
  redactConfig,
} from '../credentials/account-config.ts'
import { CheckAccount, CheckResponse } from '../schemas.ts'
import { fetchIdentity, type RunCheckDeps, runCheck } from './run-check.ts'

const { authType, config } = CheckAccount.properties

export const CheckDefinition = StrictObject(
  {
    entry: EntryInput,
    authType: OptionalField(authType),
    config: OptionalField(config),
    workspaceId: OptionalField(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
  },
  {
    $id: 'CheckDefinition',
    examples: [
      {
        entry: {
          hosts: ['desk.example.com'],
          auth: {
            'Client Credentials': {
              clientCredentials: { token: 'https://desk.example.com/oauth/token' },
            },
          },
          check: { get: '/me' },
        },
      },
    ],
  },
)
export type CheckDefinition = Static<typeof CheckDefinition>

const TriedExchange = StrictObject(
  {
    method: Type.String({ description: 'The method of the request.' }),
    status: Nullable(
      Type.Integer({ description: 'The status of the response; null without one.' }),
    ),
    ...StoredExchange.properties,
  },
  { description: 'A request to the provider, and its response, without credentials.' },
)

const FoundIdentity = StrictObject(
  {
    id: Nullable(Type.String({ description: 'The ID; null if its paths lead to none.' })),
    label: Nullable(
      Type.String({ description: 'The display name; null if its paths lead to none.' }),
    ),
  },
  { description: 'What the identity found in the response.' },
)

/** What an entry would be as a definition, and what the provider said to the credentials. */
export const CheckedDefinition = StrictObject(
  {
    spec: ref(IntegrationSpec),
    result: Type.Optional(ref(CheckResponse)),
    identity: Type.Optional(FoundIdentity),
    exchanges: Type.Array(TriedExchange, {
      description: 'The first ten requests of the check and the identity.',
    }),
  },
  {
    $id: 'CheckedDefinition',
    description: 'The spec of an entry, and the result of its check.',
    examples: [
      {
        spec: { auth_specification: { 'Api Key': {} }, 'x-hosts': ['desk.example.com'] },
        exchanges: [],
      },
    ],
  },
)
export type CheckedDefinition = Static<typeof CheckedDefinition>

export interface CheckDefinitionDeps extends RunCheckDeps, PrepareConfigDeps, EntryBundleDeps {
  readonly runner: RunCheckDeps['runner']
  readonly workspaces: WorkspaceStore
  readonly now: () => number
}

export const checkDefinitionOperation = defineOperation({
  id: 'checkDefinition',
  sdk: 'definitions.check',
  method: 'POST',
  path: '/v1/integration_definition/check',
  tag: 'Integration definitions',
  summary: 'Check an entry before it becomes a definition',
  description:
    'Returns the spec that the entry would have. With `authType` and `config`, also sends its check and its identity with these credentials, as for an account, and returns the requests and responses without credentials. Nothing is stored.',
  scope: 'definitions:write',
  body: CheckDefinition,
  response: CheckedDefinition,
  returns: 'The spec, and the result of the check.',
  errors: [...CHECK_ERRORS, 'bundle_invalid'],
  config: { ignoresIdempotencyKey: true, rate: 'bundle' },
  handle: (deps: CheckDefinitionDeps, caller, { body }) => checkDefinition(deps, caller, body),
})

/**
 * Validates an entry as create does and, with credentials, tries it as an account would. A provider that rejects them is a normal
 * result, and so is one that cannot be reached.
 *
 * @throws ApiError `validation_failed` with the path in the entry or the configuration; `bundle_invalid`,
 * `auth_type_not_allowed`, `workspace_not_accessible`
 */
export async function checkDefinition(
  deps: CheckDefinitionDeps,
  caller: Caller,
  input: CheckDefinition,
): Promise<CheckedDefinition> {
  const missing = input.config == null ? 'config' : 'authType'
  if ((input.authType == null) !== (input.config == null))
    throw validationFailed(fieldError(missing, 'required', 'Send authType and config, or neither.'))
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  const defaults = { name: 'Custom', version: '1.0.0' }
  const code = await bundleTenantEntry(deps, input.entry, { workspaceId }, defaults)
  const bundleSha256 = hash('sha256', code)
  const { spec } = await loadSpec(deps.runner, bundleSha256, code, { workspaceId }, 'entry')
  const untried = { spec: spec as CheckedDefinition['spec'], exchanges: [] }
  if (input.authType == null || input.config == null) return untried
  const prepared = await prepareConfig(
    deps,
    { definitionId: newId('def', deps.now()), bundleSha256, spec },
    input.authType,
    input.config,
    { workspaceId },
  )
  const bundle = { sha256: bundleSha256, load: async () => new TextDecoder().decode(code) }
  return { ...untried, ...(await tryCredentials(deps, { ...prepared, bundle })) }
}

/** Requests whose exchanges are returned: each takes up to 100 kB. */
const MAX_EXCHANGES = 10

async function tryCredentials(deps: CheckDefinitionDeps, prepared: PreparedConfig) {
  const exchanges: CallExchange[] = []
  const issued: unknown[] = []
  // What a login returns is a credential too. It is not stored.
  const tokens = new TokenObserver(prepared.config, async (each) => void issued.push(each))
  const subject = {
    ...prepared,
    tokens,
    onExchange: (exchange: CallExchange) => {
      if (exchanges.length < MAX_EXCHANGES) exchanges.push(exchange)
    },
  }
  const result = await runCheck(deps, subject).then((outcome) => outcome.result, describeFailure)
  const identity = result.status ? await fetchIdentity(deps, subject) : undefined
  const scrub = createExchangeScrubber(
    listSecretValues(
      [prepared.config, issued, exchanges.map(({ request }) => request.headers)],
      new Set(Object.values(redactConfig(prepared.config, prepared.fields)).map(String)),
    ),
  )
  return {
    result,
    ...(identity !== undefined && {
      identity: { id: identity.id, label: identity.label ?? null },
    }),
    exchanges: await Promise.all(exchanges.map((exchange) => redactTried(exchange, scrub))),
  }
}

/** A check that ended with an error, as its result: the requests that it has sent show why. @throws what is not about the integration */
function describeFailure(error: unknown): CheckResponse {
  const isResult =
    error instanceof RunnerError
      ? error.code !== 'overloaded' && error.isConclusive
      : error instanceof ApiError && error.statusCode >= 502
  if (!isResult) throw error
  const { message, code } = error as RunnerError | ApiError
  return { status: false, error: message, code }
}

async function redactTried(
  { request, response }: CallExchange,
  scrub: ReturnType<typeof createExchangeScrubber>,
) {
  const { method, url, headers = {}, body } = request
  const exchange = await redactExchange(
    {
      operation: 'integration',
      url,
      request: {
        rawHeaders: Object.entries(headers).flatMap(([name, value]) =>
          [value].flat().flatMap((each) => [name, each]),
        ),
        body: toBody(body),
      },
      response: response && {
        status: response.status,
        rawHeaders: response.rawHeaders,
        body: toBody(response.body),
      },
    },
    scrub,
  )
  return { method, status: response?.status ?? null, ...exchange }
}

function toBody(bytes: Uint8Array = new Uint8Array()) {
  return {
    bytes: bytes.subarray(0, MAX_BODY_BYTES),
    size: bytes.byteLength,
    isDecoded: true,
  }
}
